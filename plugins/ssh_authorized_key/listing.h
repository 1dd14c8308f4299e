/* SPDX-License-Identifier: Apache-2.0 */
/* listing - all keys of a file, each with the name that it is listed by. */
#ifndef SSH_AUTHORIZED_KEY_LISTING_H
#define SSH_AUTHORIZED_KEY_LISTING_H

#include "keys.h"

struct listing_key {
    struct key k;
    char fingerprint[64];
    int is_first; /* no line above has this key */
    int has_name; /* no line above has this comment as its name */
};

/* The lines that have a key, in memory of the call; how many. Sorts rather than compares each with each: the
 * file is written by a user, who may want to keep us busy. */
size_t listing_make(rhost_ctx *ctx, const struct rhost_lines *l, const struct listing_key **keys);

#endif
