/* SPDX-License-Identifier: Apache-2.0 */
/* seen - whether a file is still the one whose content was read and edited (`seen` of <rhost/file.h>).
 *
 * Two runs that edit one file, with different state directories, would else both look, and then both replace it. So
 * the old file is locked (flock(2)) from the look until another one has its name. */
#ifndef RH_PROVIDER_SEEN_H
#define RH_PROVIDER_SEEN_H

#include <rhost/file.h>

#include <stdbool.h>

/* Locks the file `base` in `dir` until the descriptor is closed; waits for one second at the most, since everybody
 * who may read the file may lock it. -1 when there is nothing to lock, or it can't be locked: then nothing but the
 * look protects what others write. */
int rh_seen_lock(int dir, const char *base, const struct rhost_file_seen *seen);

/* Whether what is there now is not what was seen; never so without `seen`. */
bool rh_seen_changed(int dir, const char *base, const struct rhost_file_seen *seen);

#endif
