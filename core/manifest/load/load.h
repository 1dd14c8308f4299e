/* SPDX-License-Identifier: Apache-2.0 */
/* load - what the files of this room share while a manifest is read. */
#ifndef RH_MANIFEST_LOAD_LOAD_H
#define RH_MANIFEST_LOAD_LOAD_H

#include "base/map.h"
#include "base/place.h"
#include "catalog/catalog.h"
#include "manifest/load/file.h"
#include "manifest/load/root.h"
#include "manifest/text/lua-place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_complaints;
struct rh_keyword;
struct rh_manifest_types;
struct rh_node;
struct rh_resource;
struct rh_script;
struct rh_type;
struct rh_value;

/* What a key means beside a type. Keys are shared within a file, so their addresses do. */
struct rh_meaning {
    const char *key;
    const struct rh_type *type;
    const struct rh_attr *attr;
    const struct rh_keyword *keyword;
};

enum { RH_MEANINGS = 256 };

/* An edit that was read before what it edits. */
struct rh_late {
    struct rh_late *next;
    struct rh_value *entry;
    size_t at;
    struct rh_reference ref;
    const struct rh_value *scope;
    struct rh_place doubt;
};

/* A type made of resources (define.h). */
struct rh_definition {
    const struct rh_type *type;
    const struct rh_value *resources;
    struct rh_place place;
    /* A recipe's function that declares them, in its state's registry, and what calls it: -1 after a
     * complaint. 0 and NULL when `resources` has all. */
    int body;
    int (*expand)(struct rh_load *load, const struct rh_definition *d,
                  const struct rh_resource *instance);
};

/* What a recipe has begun (recipe/parts.h). */
struct rh_awaited {
    struct rh_awaited *next;
    const char *what;
    struct rh_place place;
    bool said;
};

struct rh_load {
    struct rh_catalog *catalog;
    /* Reads the files that an entry names by its key number `at` (include.c): -1 after a complaint. */
    int (*include)(struct rh_load *load, struct rh_value *entry, size_t at);
    const struct rh_manifest_types *types;
    struct rh_complaints *complaints;
    struct rh_roots roots;   /* which files may be read */
    struct rh_files files;
    struct rh_node *node;    /* attributes */
    struct rh_value *secrets; /* the paths of those that are shown nowhere */
    struct rh_value *given;   /* what the files of --attributes hold */
    struct rh_map schedules; /* by name: see manifest/keyword/schedule.h */
    struct rh_map known; /* "type" or "type provider" to struct rh_known_type */
    struct rh_map definitions; /* name to struct rh_definition */
    struct rh_script *script; /* made when the first expression comes: see expression.h */
    struct rh_map warned;     /* places with what was warned of there */
    struct rh_map states;     /* "type[title]" to what `current` gave */
    struct rh_map templates;  /* name of a file to struct rh_template: see template.h */
    const struct rh_value *scope;  /* what expressions may name beside that; or NULL */
    bool secret;                   /* what is read is one: expressions in it are not quoted */
    struct rh_place doubt;         /* the `when` that can't be known yet, or line 0 */
    struct rh_resource *container; /* the instance whose resources are being read */
    bool unlisted;                 /* and which has no turn: they have none either */
    struct rh_awaited *awaited;
    int body;                   /* of the definition that is expanded (recipe.c) */
    struct rh_line recipe_line; /* where a recipe's line was found last */
    struct rh_late *edits, *last_edit;
    size_t read, size_before;   /* bytes of all files; of the arena before anything was read */
    size_t made, loops;         /* resources that definitions and loops made; loops around this */
    bool spent;                 /* it became too much, and nothing more is read (budget.h) */
    bool late; /* everything is read: what is not there now does not come */
    struct rh_meaning meanings[RH_MEANINGS];
};

struct rh_known_type {
    const struct rh_type *type;
    const char *message; /* why there is none, or NULL when it is unknown */
    bool unsuited;       /* because no provider suits this machine */
    bool told;
};

/* Never NULL; asks only once. */
struct rh_known_type *rh_load_type(struct rh_load *load, const char *type, const char *provider);

/* Complains that there is none. That no provider suits is said once, not for each resource. */
void rh_load_complain_type(struct rh_load *load, const char *type,
                           const struct rh_known_type *known, struct rh_place place);

/* The nearest type name to `word`, or NULL. */
const char *rh_load_suggest_type(struct rh_load *load, const char *word);

/* Marks a value as shown nowhere. */
void rh_load_hide(struct rh_load *load, struct rh_value *v);

void rh_load_clear(struct rh_load *load);

/* This type is known from now on. */
void rh_load_define(struct rh_load *load, const struct rh_type *type);

#endif
