/* SPDX-License-Identifier: Apache-2.0 */
/* unmount - unmounting what lies in a directory that others can change.
 *
 * umount(8) takes a path, which another user may have made lead elsewhere by the time it is used. The kernel
 * takes a name in a directory that is open. */
#ifndef MOUNT_UNMOUNT_H
#define MOUNT_UNMOUNT_H

#include <rhost/provider.h>

/* Unmounts the upmost of what is mounted at the path, /proc/self/fd/NUMBER/NAME with the number of the
 * directory; a link at its end is not followed. 0, or an errno: ETIMEDOUT after `timeout` milliseconds. */
int unmount_at(const char *path, uint32_t timeout);

#endif
