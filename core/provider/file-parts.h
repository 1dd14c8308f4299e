/* SPDX-License-Identifier: Apache-2.0 */
/* file-parts - what the files behind rhost.file/1 share. */
#ifndef RH_PROVIDER_FILE_PARTS_H
#define RH_PROVIDER_FILE_PARTS_H

#include "base/cleanup.h"

#include <limits.h>
#include <rhost/file.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct rh_error;
struct rh_unsafe;

/* file-copy.c: bytes, and what hangs on a file beside them, from one descriptor to another. */

/* All of `from`, a regular file that stands at its beginning, into the empty `to`; holes stay holes where
 * both file systems know them. `alive` is called again and again meanwhile; NULL: nobody waits. -1 with
 * errno. */
int rh_copy_bytes(int from, int to, void (*alive)(rhost_ctx *ctx), rhost_ctx *ctx);

/* Extended attributes, with the security label and, with `acl`, the access ACL among them. What the file
 * system can't hold is left out, and so is what was said of the old content (IMA, EVM) or granted to it
 * (capabilities); an ACL that `to` inherited from its directory and `from` has not goes. -1 with errno. */
int rh_copy_xattrs(int from, int to, bool acl);

/* own.c: another owner, and what must not outlive the former one. */

/* Gives what is open as `fd` (not by O_PATH) owner, group and mode; -1: as it is. When owner or group change,
 * setuid and setgid bits that `mode` does not state, capabilities and the ACLs, also the one that a directory
 * gives to what is made in it, go: they were granted under the former owner. -1 with errno. */
int rh_own(int fd, int64_t uid, int64_t gid, int64_t mode);

/* Removes the access ACL: of a new file, that is the default one of its directory. -1 with errno. */
int rh_own_drop_acl(int fd);

/* The permission bits of what has `st`, without what its access ACL adds: with an ACL, the group bits of a
 * mode are the most that anybody named in it may have. -1 with errno. */
int rh_own_mode(int fd, const struct stat *st, mode_t *mode);

/* last-parent.c: rh_safe_parent() (base/safe-path.h) without following a link, for one file after the other.
 * With *kept the descriptor is not the caller's: it stays open for the next file of the batch, and no longer,
 * since nothing can unmount its file system meanwhile. */
RH_CHECKED int rh_last_parent(const char *path, char name[NAME_MAX + 1], bool *kept,
                              struct rh_unsafe *unsafe);
void rh_last_parent_batch(bool begins); /* or ends */

/* durable.c: the file systems that were written to since the last sync.
 *
 * A batch that creates ten thousand files is brought to disk by one syncfs(2) for each file system,
 * before it is reported as done, and not by ten thousand calls of fsync(2). */

/* Remembers the file system that `fd` lives on; `fd` stays the caller's. Not for O_PATH. The second
 * form is for who knows the device already. */
void rh_durable_touch(int fd);
void rh_durable_touch_on(int fd, dev_t dev);

/* Brings all that was touched to disk, and forgets it, also on error. */
RH_CHECKED int rh_durable_sync(struct rh_error *err);

/* As fdatasync(2). The host is told that a large file takes its time. */
RH_CHECKED int rh_durable_content(rhost_ctx *ctx, int fd);

bool rh_durable_pending(void);
void rh_durable_clear(void); /* forgets without a sync */

/* seen.c: whether a file is still the one whose content was read and edited (`seen` of <rhost/file.h>).
 *
 * Two runs that edit one file, with different state directories, would else both look, and then both replace
 * it. So the old file is locked (flock(2)) from the look until another one has its name. */

/* Locks the file `base` in `dir` until the descriptor is closed; waits for one second at the most, since
 * everybody who may read the file may lock it. -1 when there is nothing to lock, or it can't be locked: then
 * nothing but the look protects what others write. */
int rh_seen_lock(int dir, const char *base, const struct rhost_file_seen *seen);

/* Whether what is there now is not what was seen; never so without `seen`. */
bool rh_seen_changed(int dir, const char *base, const struct rhost_file_seen *seen);

#endif
