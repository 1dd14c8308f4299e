/* SPDX-License-Identifier: Apache-2.0 */
/* durable - the file systems that were written to since the last sync.
 *
 * A batch that creates ten thousand files is brought to disk by one syncfs(2) for each file system,
 * before it is reported as done, and not by ten thousand calls of fsync(2). */
#ifndef RH_PROVIDER_DURABLE_H
#define RH_PROVIDER_DURABLE_H

#include <stdbool.h>
#include <sys/types.h>

struct rh_error;

/* Remembers the file system that `fd` lives on; `fd` stays the caller's. Not for O_PATH. The second
 * form is for who knows the device already. */
void rh_durable_touch(int fd);
void rh_durable_touch_on(int fd, dev_t dev);

/* Brings all that was touched to disk, and forgets it, also on error. */
int rh_durable_sync(struct rh_error *err);

bool rh_durable_pending(void);
void rh_durable_clear(void); /* forgets without a sync */

#endif
