/* SPDX-License-Identifier: Apache-2.0 */
/* meta - what a resource has beside its attributes: tags, other names, what is watched, when. */
#ifndef RH_CATALOG_META_H
#define RH_CATALOG_META_H

#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_purge;
struct rh_resource;
struct rh_schedule;
struct rh_value;

struct rh_names {
    const char **v;
    size_t n;
};

struct rh_meta {
    struct rh_names tags;    /* as they were given, in lower case */
    struct rh_names aliases; /* other names for references */
    struct rh_names audit;   /* attributes, by the type's own texts */
    struct rh_names secrets; /* attributes that `sensitive` names */
    bool audits, audit_all;
    bool only_audits; /* no property is managed, not even one that has a default */
    bool verify, verify_given; /* read again after a change */
    bool level_given;
    enum rh_level level; /* at which its changes are reported */
    const char *loglevel; /* the word that said so */
    const struct rh_schedule *schedule; /* or NULL: always */
    const struct rh_purge *purge;       /* or NULL: a resource like any other */
};

/* Letters, digits and '_', and behind the first character also ':', '.' and '-'. */
bool rh_is_tag(const char *text, size_t n);

/* The tags of a resource: those that were given, its type, and its title where that is a tag. `fn` is
 * called for each until it returns true; returns whether it did. Texts are in lower case. */
bool rh_resource_each_tag(const struct rh_resource *r, bool (*fn)(void *data, const char *tag),
                          void *data);

/* The level at which changes of this resource are reported. */
enum rh_level rh_resource_level(const struct rh_resource *r);

/* Puts the words as a manifest has them. */
void rh_meta_to_value(struct rh_arena *a, struct rh_value *to, const struct rh_meta *meta);

#endif
