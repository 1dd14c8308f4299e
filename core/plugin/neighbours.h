/* SPDX-License-Identifier: Apache-2.0 */
/* neighbours - whether paths that are given one after the other are directories or symbolic links. Where many
 * are in one directory, it is read once, and none of them is looked at. */
#ifndef RH_PLUGIN_NEIGHBOURS_H
#define RH_PLUGIN_NEIGHBOURS_H

#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_neighbours {
    char *directory; /* of the last path, with '/' at the end; or NULL */
    size_t n, asked; /* its length; and how many paths have been in it, one after the other */
    bool is_read;
    struct rh_map special; /* the names in it that may be something else than a regular file */
    char **names;          /* of the map */
    size_t n_names, cap_names;
};

/* True: it is a regular file, or there is nothing at this path. False: it has to be looked at. */
bool rh_neighbours_are_plain(struct rh_neighbours *n, const char *path);

void rh_neighbours_clear(struct rh_neighbours *n);

#endif
