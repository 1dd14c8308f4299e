/* SPDX-License-Identifier: Apache-2.0 */
/* beside - the new file that is to take the place of another one, until it does.
 *
 * It has no name until it is complete: whenever its maker is killed, nothing is left behind. Where the file
 * system can't do that, and for the moment before the old one is replaced, it has one of these.
 *
 * The dot keeps it out of what globs like *.conf gather, and its length does not depend on that of the file's
 * name. Where only root and we can make entries, it is always the same for one file, and one that nobody
 * chooses by accident: should we be killed before the file is in its place, the next try removes what is
 * left. A file that another run is just making is not removed: its maker claims it with a shared lock
 * (flock(2)) for as long as it has it open. Where others can make entries it is random: else they could keep
 * us from writing by taking the name. */
#ifndef RH_BASE_BESIDE_H
#define RH_BASE_BESIDE_H

#include "base/cleanup.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Opens a new file for what is `base` in `dir`: without a name, and `beside` is empty, or with one. `mode` is
 * for the first kind; the other one is 0600, for others can open it. -1 with errno. */
RH_CHECKED int rh_beside_open(int dir, const char *base, mode_t mode, char beside[NAME_MAX + 1]);

/* Gives a file without a name this one, which nothing has: 0, or -1 with errno. */
RH_CHECKED int rh_beside_link(int fd, int dir, const char *name);

/* Gives it a name from which it can be renamed, and claims it. -1 with errno, and an empty name. */
RH_CHECKED int rh_beside_name(int fd, int dir, const char *base, char beside[NAME_MAX + 1]);

enum { RH_BESIDE_TRIES = 16 };

/* Makes something under such a name: 0, or -1 with errno; EEXIST has another name tried. */
typedef int rh_beside_make(void *data, int dir, const char *name);

/* Claims the open file until it is closed everywhere, or released; `name` is its name in `dir`, or NULL while
 * it has none. False: somebody took it for a leftover, and it is lost. Where files can't be locked none is
 * taken for a leftover. */
bool rh_beside_claim(int fd, int dir, const char *name);
void rh_beside_release(int fd);

/* Has `make` make it in `dir`, for the file `base` there, and gives the name. 0, or -1 with errno, and an
 * empty name. */
int rh_beside(int dir, const char *base, rh_beside_make *make, void *data, char name[NAME_MAX + 1]);

/* Removes the new file that stands beside this absolute path, under the name that a replacement has until it
 * is complete, unless its maker still has it. True: there was one, and it is gone. Where other users can make
 * entries in the directory these names are random, and nothing is removed. */
bool rh_leftover_remove(const char *path);

#endif
