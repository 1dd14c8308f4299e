/* SPDX-License-Identifier: Apache-2.0 */
/* purge - which resources of a type may stay although no manifest has them, and how many may go. */
#ifndef RH_CATALOG_PURGE_H
#define RH_CATALOG_PURGE_H

#include <stdbool.h>
#include <stddef.h>

struct rh_regex;
struct rh_type;

struct rh_keep {
    const char *text;             /* a title, or with wildcards the pattern of some */
    const struct rh_regex *regex; /* what stood between slashes, or NULL */
};

enum rh_kept { RH_KEPT_NOT, RH_KEPT, RH_KEPT_UNDECIDED };

struct rh_purge {
    const struct rh_type *type; /* what is purged; the resource itself is of the type 'purge' */
    struct rh_keep *keep;
    size_t n_keep;
    bool system; /* also what belongs to the system */
    bool limited, percent;
    long limit; /* how many may go, or how many in a hundred of those that are there */
};

/* Whether one that is called `title`, and by its name `name`, is to be kept. Undecided: a regular expression
 * took too long. */
enum rh_kept rh_purge_keeps(const struct rh_purge *p, const char *title, const char *name);

/* Whether the i-th of keep is a title, and not a pattern of titles. */
bool rh_purge_is_title(const struct rh_purge *p, size_t i);

/* How many of `there` may go. */
size_t rh_purge_most(const struct rh_purge *p, size_t there);

#endif
