/* SPDX-License-Identifier: Apache-2.0 */
/* defaults - attributes and keywords that the resources of a type have unless they say otherwise:
 *
 *   defaults:
 *     file: {owner: root, mode: 0644}
 *
 * A group has words for all of its entries, whatever their type is: of one scope, what is said of a type
 * decides.
 *
 * They stand in scopes, which lie within each other in the text: a file, an entry that includes files, a
 * definition, a group. For each attribute the nearest scope decides, the entry before all; null takes back
 * what the scopes around say. A scope does not reach into the files that are included in it, nor into the
 * instances of definitions that stand elsewhere. */
#ifndef RH_MANIFEST_ENTRY_DEFAULTS_H
#define RH_MANIFEST_ENTRY_DEFAULTS_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_load;
struct rh_reading;
struct rh_type;
struct rh_value;

/* One attribute or keyword of a type. */
struct rh_default {
    struct rh_default *next;
    const char *key;
    struct rh_value *value; /* its expressions are evaluated for the first entry that takes it */
    struct rh_place place;  /* of the key */
    const struct rh_value *written, *reads; /* see catalog/origin.h */
    bool evaluated, refused;
};

struct rh_defaults_of_type {
    struct rh_defaults_of_type *next;
    const char *type;
    struct rh_place place;
    struct rh_value *all; /* the hash, for messages */
    struct rh_default *first;
};

/* A scope. */
struct rh_defaults {
    const struct rh_defaults *outer;
    const struct rh_value *scope; /* what its expressions may name */
    struct rh_defaults_of_type *types;
    struct rh_default *words; /* for each type */
};

/* One that an entry has taken. */
struct rh_taken_default {
    struct rh_taken_default *next;
    struct rh_default *from;
};

/* Opens the scope of these defaults (NULL: of none) within load->context.defaults. */
void rh_defaults_open(struct rh_load *load, struct rh_value *defaults);

/* The same of a group, with those of its keys that are words for all of its entries. */
void rh_defaults_open_group(struct rh_load *load, struct rh_value *group);

/* A word that some group around has for all of its entries; NULL: there is none. */
const char *rh_defaults_word(const struct rh_load *load);

/* Back to `outer`. What the scopes since then name and no type has is refused, once: definitions that stand
 * behind them are known now. */
void rh_defaults_close(struct rh_load *load, const struct rh_defaults *outer);

/* default-merge.c: what an entry takes of them. */

/* The provider, if that is a default of the type which the entry names: it decides which attributes there
 * are. To be called before the type is looked for. */
void rh_defaults_take_provider(struct rh_reading *r, struct rh_value *entry, const char *type);

/* Adds what the entry does not say: attributes to r->entry, keywords to r->words where they are apart. The
 * key
 * `*at` is the type's, and may come to stand elsewhere. */
void rh_defaults_take(struct rh_reading *r, size_t *at);

/* Since there were `before` complaints, those about what was taken name the entry (at `place`) too, and are
 * not said of the next one. */
void rh_defaults_blame(struct rh_reading *r, size_t before, struct rh_place place);

#endif
