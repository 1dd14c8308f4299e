/* SPDX-License-Identifier: Apache-2.0 */
/* safe-path - open what a path names, without following a link that a lesser user could have put there.
 *
 * For root, a path below a directory that somebody else can change is an invitation: a symbolic link at any
 * part of it leads wherever that user wants. A link is followed only when nobody but root (and the
 * effective user) could have made it: its directory belongs to one of them and others can't write to it, or
 * is sticky and the link itself belongs to one of them. Directories are always entered by descriptor, so that
 * nothing can be exchanged between looking and acting. Other users than root meet no lesser user: for
 * them, links are followed as open(2) does. */
#ifndef RH_BASE_SAFE_PATH_H
#define RH_BASE_SAFE_PATH_H

#include "base/cleanup.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Why a path was refused: a sentence without a subject, empty when it was not. */
struct rh_unsafe {
    char why[PATH_MAX + 128];
};

/* Opens an absolute path as open(2) does with `flags` and `mode`, plus O_CLOEXEC and O_NOCTTY. A link at the
 * end is followed with `follow`, and fails with ELOOP without (or is opened, with O_PATH). Returns the
 * descriptor, or -1 with errno; ELOOP with `unsafe` filled in when the path was refused. */
RH_CHECKED int rh_safe_open(const char *path, bool follow, int flags, mode_t mode, struct rh_unsafe *unsafe);

/* Opens the directory that the last part of an absolute path is in, for the *at() family (O_PATH), and gives
 * that last part as `name`, never empty. With `follow`, a link there is followed to where it leads, also when
 * nothing is there. Returns as above; EISDIR for "/" and for paths that end with "..". */
RH_CHECKED int rh_safe_parent(const char *path, bool follow, char name[NAME_MAX + 1],
                              struct rh_unsafe *unsafe);

/* Whether only root and the effective user can put entries into this directory, remove or rename them. */
bool rh_safe_directory(const struct stat *dir);

#endif
