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
struct rh_data;
struct rh_defaults;
struct rh_later_condition;
struct rh_error;
struct rh_keyword;
struct rh_manifest_types;
struct rh_node;
struct rh_resource;
struct rh_results;
struct rh_script;
struct rh_suggest;
struct rh_type;
struct rh_use;
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
    struct rh_place undecided;
    struct rh_later_condition *conditions;
};

/* A type made of resources (entry/define.h). */
struct rh_definition {
    const struct rh_type *type;
    const struct rh_value *resources;
    const struct rh_value *defaults;  /* its own, or NULL */
    const struct rh_defaults *around; /* where it stands */
    bool checked;                     /* the names in its defaults */
    struct rh_place place;
    /* A recipe's function that declares them, in its state's registry, and what calls it: -1 after a
     * complaint. 0 and NULL when `resources` has all. */
    int body;
    int (*expand)(struct rh_load *load, const struct rh_definition *d, const struct rh_resource *instance);
};

/* What a recipe has begun (recipe/parts.h). */
struct rh_awaited {
    struct rh_awaited *next;
    const char *what;
    struct rh_place place;
    bool finished;
};

/* The types that are known, and what keys mean beside them. */
struct rh_known_types {
    struct rh_map types;       /* "type" or "type provider" to struct rh_known_type */
    struct rh_map definitions; /* name to struct rh_definition */
    struct rh_map modules;     /* name to struct rh_module_pin, of those that were read */
    struct rh_meaning meanings[RH_MEANINGS];
};

/* The node's attributes. */
struct rh_load_attributes {
    struct rh_node *node;
    struct rh_value *secrets;    /* the paths of those that are shown nowhere */
    struct rh_value *from_files; /* what the files of --attributes hold */
};

/* Expressions and templates (expression.h). */
struct rh_load_expressions {
    struct rh_script *script; /* made when the first expression comes */
    bool unasked;             /* the last one had a lookup that is not asked for now */
    const char *answer;    /* the data type of its answer; NULL: it had several, or the type is not known */
    bool may_use_results;  /* it is the value of an attribute, a template, a `when` or a guard */
    struct rh_place place; /* where it stands */
    struct rh_use *uses;   /* results that the one under way uses (later.h) */
    bool later;            /* some values are known later: the load is kept for them */
    const struct rh_results *results; /* while resources are applied; else NULL */
    /* What an RH_UNKNOWN that waited means now; NULL with the reason (resolve.c). */
    const struct rh_value *(*resolve)(struct rh_load *load, const struct rh_value *v, struct rh_error *err);
    struct rh_map states;    /* "type[title]" to what `current` gave */
    struct rh_map templates; /* name of a file to struct rh_template */
};

/* Where reading is right now: around the entry, and around the value. */
struct rh_load_context {
    const struct rh_value *scope;          /* what expressions may name beside the library; or NULL */
    bool secret;                           /* what is read is one: expressions in it are not quoted */
    struct rh_place undecided;             /* the `when` that can't be known yet, or line 0 */
    struct rh_later_condition *conditions; /* each `when` around it that is known later, innermost first */
    struct rh_resource *container;         /* the instance whose resources are being read */
    bool unlisted;                         /* it is not in the list of actions, nor are these */
    const struct rh_defaults *defaults;    /* the innermost scope of them (entry/defaults.h), or NULL */
    unsigned groups;                       /* around the entry */
    struct rh_value *reads;                /* the paths that are read, or NULL */
    const char *module;                    /* whose definitions are read, or NULL */
    struct rh_place excluded;              /* the `when` that is false for what is noted as left out */
};

struct rh_load_recipes {
    struct rh_awaited *unfinished;
    int body;            /* of the definition that is expanded (recipe/words.c) */
    struct rh_line line; /* where a recipe's line was found last */
};

/* Edits of what is not declared yet. */
struct rh_late_edits {
    struct rh_late *first, *last;
    bool late; /* everything is read: what is not declared now never is */
};

/* What the load has used of its budget (budget.h). */
struct rh_spent {
    size_t bytes;            /* of all files */
    size_t memory_before;    /* of the arena, before anything was read */
    size_t resources, loops; /* that definitions and loops made; loops around this */
    size_t elements;         /* that loops went through */
    bool exceeded;           /* nothing more is read */
};

struct rh_load {
    struct rh_catalog *catalog;
    const struct rh_manifest_types *types;
    struct rh_complaints *complaints;
    /* Reads the files that an entry names by its key number `at` (include.c): -1 after a complaint. */
    int (*include)(struct rh_load *load, struct rh_value *entry, size_t at);
    /* Reads the definitions of the module that a type is of, if the site has it (module-definitions.c): -1
     * with the reason. */
    int (*module)(struct rh_load *load, const char *type, struct rh_error *err);
    struct rh_roots roots; /* which files may be read */
    struct rh_files files;
    struct rh_map schedules; /* by name: see manifest/keyword/schedule.h */
    struct rh_known_types known;
    struct rh_load_attributes attributes;
    struct rh_data *data; /* of the data files (manifest/data); NULL: there are none */
    struct rh_load_expressions expressions;
    struct rh_load_context context;
    struct rh_load_recipes recipes;
    struct rh_late_edits edits;
    struct rh_spent spent;
};

struct rh_known_type {
    const struct rh_type *type;
    const char *message; /* why there is none, or NULL when it is unknown */
    const char *hint;    /* or NULL */
    unsigned code;       /* of the message, or 0 */
    bool unsuited;       /* because no provider suits this machine */
    bool reported;
};

/* Never NULL; asks only once. */
struct rh_known_type *rh_load_type(struct rh_load *load, const char *type, const char *provider);

/* Complains that there is none. That no provider suits is said once, not for each resource. */
void rh_load_complain_type(struct rh_load *load, const char *type, const struct rh_known_type *known,
                           struct rh_place place);

/* The nearest type name to `word`, or NULL. */
const char *rh_load_suggest_type(struct rh_load *load, const char *word);

/* Tries the names of all definitions. */
void rh_load_suggest_definition(const struct rh_load *load, struct rh_suggest *near);

/* Marks a value as shown nowhere. */
void rh_load_hide(struct rh_load *load, struct rh_value *v);

void rh_load_clear(struct rh_load *load);

/* This type is known from now on. */
void rh_load_define(struct rh_load *load, const struct rh_type *type);

#endif
