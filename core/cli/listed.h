/* SPDX-License-Identifier: Apache-2.0 */
/* listed - a resource that was read, as the entry of a manifest that means it. */
#ifndef RH_CLI_LISTED_H
#define RH_CLI_LISTED_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_attr;
struct rh_buf;
struct rh_type;
struct rh_value;

/* One attribute as it is to be shown. */
struct rh_shown {
    const struct rh_attr *attr;
    const struct rh_value *is;
    struct rh_value *written; /* NULL: a manifest cannot have it */
    const char *why;          /* not */
    bool secret;
};

/* A resource, under the title that a manifest can give it. */
struct rh_listed {
    const struct rh_value *item;
    const char *title;
    const char *provider; /* to be named, or NULL */
    struct rh_shown *attrs;
    size_t n_attrs;
    bool unknown; /* nothing but its name was read: who knows what applying it would do */
    bool apart;   /* its attributes stand apart from its type: the long form */
};

enum rh_listed_as {
    RH_LISTED_BRIEF = 1,   /* without what is read-only, and what has its default; with parameters */
    RH_LISTED_SECRETS = 2, /* what is sensitive is written as it is */
};

/* The title by which a manifest can name what was read; `asked_for` may be NULL. */
const char *rh_listed_title(struct rh_arena *a, const struct rh_type *t, const struct rh_value *item,
                            const char *asked_for);

/* Chooses the attributes of `l`, which has its item and title; `how` is a sum of enum rh_listed_as. */
void rh_listed_choose(struct rh_arena *a, const struct rh_type *t, struct rh_listed *l, unsigned how);

/* Adds the entry as lines of YAML. With `blocks`, text of several lines is a block; what is secret and was
 * written is named by the keyword `sensitive` then. */
void rh_listed_add_yaml(struct rh_buf *b, struct rh_arena *a, const struct rh_type *t,
                        const struct rh_listed *l, bool blocks);

/* What stands in the place of the attributes of one that is `unknown`. */
extern const char rh_listed_nothing_known[];

#endif
