/* SPDX-License-Identifier: Apache-2.0 */
/* keyword - the words that mean something on every resource, in one table.
 *
 * An attribute of the same name, where a type has one (exec has only_if), goes before the word. */
#ifndef RH_MANIFEST_KEYWORD_KEYWORD_H
#define RH_MANIFEST_KEYWORD_KEYWORD_H

#include "catalog/catalog.h"
#include "catalog/conduct.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_load;
struct rh_meaning;
struct rh_meta;
struct rh_suggest;
struct rh_type;
struct rh_value;

struct rh_relation_word {
    enum rh_relation_kind kind;
    struct rh_reference to;
};

/* What the keywords of one entry say. */
struct rh_keyword_values {
    const struct rh_type *type;
    struct rh_relation_word *relations;
    size_t n_relations, cap_relations;
    const char **actions; /* none given: the type's default */
    size_t n_actions, cap_actions;
    bool nothing;                /* action: nothing */
    struct rh_reference *anchor; /* insert_before, insert_after: its place in the list */
    bool anchor_after;
    struct rh_stated_notification *notifications;
    size_t n_notifications, cap_notifications;
    struct rh_conduct conduct;
    bool noop, noop_specified;
    struct rh_meta *meta; /* the arena's, or NULL */
};

void rh_keyword_values_clear(struct rh_keyword_values *keywords);

/* Notes on a resource how it is applied, and its relations and notifications; the second one these alone. */
void rh_keyword_values_state(struct rh_load *load, const struct rh_keyword_values *keywords,
                             struct rh_resource *r);
void rh_keyword_values_relate(struct rh_load *load, const struct rh_keyword_values *keywords,
                              struct rh_resource *r);

/* Has the actions run that were said, or the type's default one. */
void rh_keyword_values_trigger(struct rh_load *load, const struct rh_keyword_values *keywords,
                               struct rh_resource *r);

struct rh_keyword {
    const char *word;
    const char *desc;
    const char *type; /* the data type of its values, for `rhost schema` */
    int (*read)(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
};

/* For readers: calls `one` for a text, or for each text of a list; complains with `wanted` of
 * anything else. */
int rh_keyword_texts(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v,
                     const char *wanted,
                     int (*one)(struct rh_load *, struct rh_keyword_values *, const struct rh_value *));

const struct rh_keyword *rh_keyword_at(size_t i);           /* NULL past the end */
const struct rh_keyword *rh_keyword_find(const char *word); /* or NULL */

/* Whether it is looked at before the type of the entry is known: an attribute of the same name gives
 * way to it, where the two don't stand apart (entry/long-form.h). */
bool rh_keyword_leads(const char *word);

/* Whether a group can have it: it says how entries are applied, and means the same whatever their type is. */
bool rh_keyword_is_common(const char *word);

/* Whether what an entry says and what the groups around it say count together; else the nearest decides. */
bool rh_keyword_adds_up(const char *word);

void rh_keyword_suggest(struct rh_suggest *s); /* tries all that work */

/* Reads "type[title]", complaining where it is none. */
int rh_keyword_reference(struct rh_load *load, const struct rh_value *v, struct rh_reference *to);

/* meaning.c: whether a key of an entry is an attribute or a keyword. */

/* Whether `key`, a key of a tree that rh_yaml_read made, is an attribute of the type (which
 * may be NULL) or a keyword. Valid until the next call. */
const struct rh_meaning *rh_key_meaning(struct rh_load *load, const struct rh_type *type, const char *key);

#endif
