/* SPDX-License-Identifier: Apache-2.0 */
/* beside - the name that a new file has until it takes its place.
 *
 * The dot keeps it out of what globs like *.conf gather. Where only root and we can make entries, it is always the
 * same for one file, and one that nobody chooses by accident: should we be killed before the file is in its place,
 * the next try removes what is left. A file that another run is just making is not removed: its maker claims it
 * with a shared lock (flock(2)) for as long as it has it open. Where others can make entries it is random: else they could keep us from
 * writing by taking the name. */
#ifndef RH_PROVIDER_BESIDE_H
#define RH_PROVIDER_BESIDE_H

#include <limits.h>
#include <stdbool.h>

enum { RH_BESIDE_TRIES = 16 };

/* Makes something under such a name: 0, or -1 with errno; EEXIST has another name tried. */
typedef int rh_beside_make(void *data, int dir, const char *name);

/* Claims the open file until it is closed everywhere, or released; `name` is its name in `dir`, or NULL while it has none. False: somebody
 * took it for a leftover, and it is lost. Where files can't be locked none is taken for a leftover. */
bool rh_beside_claim(int fd, int dir, const char *name);
void rh_beside_release(int fd);

/* Has `make` make it in `dir`, for the file `base` there, and gives the name. 0, or -1 with errno, and an empty name. */
int rh_beside(int dir, const char *base, rh_beside_make *make, void *data, char name[NAME_MAX + 1]);

#endif
