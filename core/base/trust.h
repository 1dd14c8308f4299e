/* SPDX-License-Identifier: Apache-2.0 */
/* trust - whether somebody else than root and this user can change what a path stands for. */
#ifndef RH_BASE_TRUST_H
#define RH_BASE_TRUST_H

#include "base/cleanup.h"

struct rh_error;
struct stat;

enum {
    RH_TRUST_CALLER = 1,  /* who called us by sudo is none of the others */
    RH_TRUST_MISSING = 2, /* what is not there is no trouble */
    RH_TRUST_ENTRY = 4,   /* who may change what the path stands for doesn't count, only who may put something
                           * else in its place */
};

/* Why others can change this file or directory, like "its owner is user 1000"; NULL when none can. The
 * text is the caller's. */
char *rh_trust_refusal(const struct stat *st, unsigned flags);

/* The same for what a path stands for, and for every directory and symbolic link on the way to it. -1
 * with an error that names the one that others can change. 0 also when there is nothing, in a directory
 * where only trusted users could make it. */
RH_CHECKED int rh_trust_path(const char *path, unsigned flags, struct rh_error *err);

#endif
