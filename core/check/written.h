/* SPDX-License-Identifier: Apache-2.0 */
/* written - the files that this process, and those that it starts, write: wherever they are, and even when
 * they are removed again. */
#ifndef RH_CHECK_WRITTEN_H
#define RH_CHECK_WRITTEN_H

struct rh_written;
struct stat;

/* From now on; in a process of a check, which gets a mount namespace of its own. NULL where the system does
 * not let us: it takes root. */
struct rh_written *rh_written_watch(void);
void rh_written_close(struct rh_written *w); /* NULL is fine */

/* Those since the last call: where each is, or was before it was removed, open for reading, and what it is
 * now. */
void rh_written_each(struct rh_written *w,
                     void (*one)(void *data, const char *path, int fd, const struct stat *st), void *data);

#endif
