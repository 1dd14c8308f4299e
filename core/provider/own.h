/* SPDX-License-Identifier: Apache-2.0 */
/* own - another owner, and what must not outlive the former one. */
#ifndef RH_PROVIDER_OWN_H
#define RH_PROVIDER_OWN_H

#include <stdint.h>
#include <sys/stat.h>

/* Gives what is open as `fd` (not by O_PATH) owner, group and mode; -1: as it is. When owner or group change,
 * setuid and setgid bits that `mode` does not state, capabilities and the access ACL go: they were granted
 * under the former owner. -1 with errno. */
int rh_own(int fd, int64_t uid, int64_t gid, int64_t mode);

/* The permission bits of what has `st`, without what its access ACL adds: with an ACL, the group bits of a mode are
 * the most that anybody named in it may have. -1 with errno. */
int rh_own_mode(int fd, const struct stat *st, mode_t *mode);

#endif
