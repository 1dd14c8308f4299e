/* SPDX-License-Identifier: Apache-2.0 */
/* type - a resource type as one provider serves it: pure data, made from a description.
 *
 * A description is a value tree (a JSON object where it is kept): the same whether it was just read
 * from a live plugin or comes from the cache, so there is one way in and one set of refusals. */
#ifndef RH_SCHEMA_TYPE_H
#define RH_SCHEMA_TYPE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_buf;
struct rh_datatype;
struct rh_error;
struct rh_title_pattern;
struct rh_type;
struct rh_value;

/* Behaviours and features have the bits of the ABI (a test holds them together). */
enum rh_behaviour {
    RH_NAMEVAR = 1,
    RH_PARAMETER = 2,
    RH_READ_ONLY = 4,
    RH_INIT_ONLY = 8,
    RH_UNORDERED = 16,
    RH_BEHAVIOURS = 31, /* all that we know */
};

enum rh_feature {
    RH_SIMPLE_GET_FILTER = 1,
    RH_SUPPORTS_NOOP = 2,
    RH_REMOTE_RESOURCE = 4,
    RH_FORGETS_WORLD = 8,
    RH_READ_BACK = 16,
    RH_GATHERS = 32,
    RH_FEATURES = 63, /* all that we know */
};

/* Which callbacks a provider has. */
enum rh_slot {
    RH_HAS_SUITS = 1 << 0,
    RH_HAS_OPEN = 1 << 1,
    RH_HAS_CLOSE = 1 << 2,
    RH_HAS_CANONICALIZE = 1 << 3,
    RH_HAS_INSYNC = 1 << 4,
    RH_HAS_GET = 1 << 5,
    RH_HAS_LOAD = 1 << 6,
    RH_HAS_SET = 1 << 7,
    RH_HAS_CREATE = 1 << 8,
    RH_HAS_UPDATE = 1 << 9,
    RH_HAS_REMOVE = 1 << 10,
    RH_HAS_CONVERGE = 1 << 11,
    RH_HAS_ACT = 1 << 12,
    RH_HAS_VALIDATE = 1 << 13,
};

struct rh_attr {
    const char *name, *desc;
    const char *type_text; /* as the plugin wrote it */
    const struct rh_datatype *type;
    uint32_t behaviour;
    bool required;         /* for creating: the type refuses undef, and there is no default */
    bool sensitive;        /* by its type, all of it */
    bool sensitive_within; /* parts of it */
    bool binary;           /* its type has a Binary in it, so text may have a NUL */
    const struct rh_value *default_value, *initial; /* or NULL */
    const char *deprecated;                         /* what to use instead, or NULL */
    const struct rh_value *formerly;                /* an array of its older names, or NULL */
    uint16_t next; /* one more than the index of another one that begins alike; 0: there is none */
};

struct rh_action {
    const char *name, *desc;
    const struct rh_value *overlay; /* a hash; NULL: the provider's act() */
};

enum rh_relation_kind { RH_REQUIRE, RH_BEFORE, RH_SUBSCRIBE, RH_NOTIFY };

/* A part of a title: the value, or values, of an attribute; or constant text. */
struct rh_title_piece {
    const struct rh_attr *attr;
    const char *text;
};

/* A namevar of the resource that a relation names: "server: $host". */
struct rh_name_part {
    const char *namevar;
    struct rh_title_piece *pieces;
    size_t n_pieces;
};

struct rh_auto_relation {
    enum rh_relation_kind kind;
    const char *type;
    const char *title; /* as it was declared: "$server:$owner", "{server: $server, name: $owner}" */
    struct rh_title_piece *pieces;
    size_t n_pieces;
    struct rh_name_part *parts; /* of the name, where namevars are named instead of a title */
    size_t n_parts;
    bool above; /* "$path/..": the nearest directory above it that is in the catalog */
};

struct rh_condition {
    const struct rh_attr *attr; /* that has a value: not undef, false or "" */
    bool unless;                /* has none */
};

/* What a resource determines: no two of one manifest own the same, nor does one own what another edits. */
struct rh_claim {
    const char *text;             /* "path[$path] unless $follow" */
    struct rh_auto_relation what; /* its type is a word that types share: path, content */
    bool owns;                    /* all of it; otherwise it edits a part of it */
    struct rh_condition *conditions;
    size_t n_conditions;
};

/* A parameter that an undo gives, so that what is desired is all that there is. */
struct rh_restore {
    const struct rh_attr *attr;
    const struct rh_value *value;
    const char *text; /* as it was declared: "membership=inclusive" */
};

/* What a change destroys, and no undo brings back. */
struct rh_loss {
    const char *text; /* "what is in it if $force" */
    const char *what; /* "what is in it" */
    struct rh_condition *conditions;
    size_t n_conditions;
};

enum rh_need_kind {
    RH_NEED_ROOT,       /* applying takes root */
    RH_NEED_USER,       /* it takes this user, or root */
    RH_NEED_WRITE,      /* the path is written to, replaced, removed, or what is below it */
    RH_NEED_READ,       /* the path is read, and what is below it */
    RH_NEED_RUN,        /* the program is run: a path, a name that is searched for, or "*" */
    RH_NEED_SOCKET,     /* a Unix socket is connected to */
    RH_NEED_DBUS,       /* a service of the system bus is called */
    RH_NEED_NETWORK,    /* "tcp", "tcp:443", "udp" */
    RH_NEED_CAPABILITY, /* "chown", of capabilities(7) */
};

/* What applying a resource takes: "root", "write[$target] if $persist". */
struct rh_need {
    const char *text; /* "root unless $target" */
    enum rh_need_kind kind;
    struct rh_auto_relation what; /* no pieces: root */
    bool folds;                   /* it has "/../" behind an attribute: a directory beside that one */
    struct rh_condition *conditions;
    size_t n_conditions;
};

enum { RH_BEGINNINGS = 32 }; /* of names of attributes: lower case letters and what else there is */

struct rh_type {
    const char *type, *provider, *desc;
    const char *plugin, *version; /* who ships it */
    const char *built_with;       /* the SDK's version, or "" */
    const char *path;             /* of the shared object; set by whoever found it, or NULL */
    const char *description;      /* as JSON text, to hold a live plugin against; set likewise */
    bool source;                  /* no type: the lookups and facts of a plugin; set likewise */
    const struct rh_type *const
        *lookups; /* of it, as types whose attributes are the parameters; set likewise */
    size_t n_lookups;
    bool sole;      /* no other provider serves the type here; set likewise */
    bool transport; /* it is a way to a device, and its resources are targets; set likewise */
    uint32_t features, slots;
    bool one_worker; /* all providers of the plugin want to be in one process */
    bool defined;    /* made of resources, in a manifest: no provider serves it */
    struct rh_attr *attrs;
    size_t n_attrs;
    uint16_t begins[RH_BEGINNINGS]; /* one more than the index of one that begins so; 0: none does */
    bool renamed;                   /* some of them have older names */
    const struct rh_attr **namevars;
    size_t n_namevars;
    const struct rh_value *data_types; /* with names of their own: a hash of texts, or NULL */
    const struct rh_attr *ensure;      /* that says whether a resource is there; or NULL */
    struct rh_title_pattern *patterns;
    size_t n_patterns;
    struct rh_auto_relation *relations;
    size_t n_relations;
    struct rh_claim *claims;
    size_t n_claims;
    struct rh_loss *losses;
    size_t n_losses;
    struct rh_restore *restores;
    size_t n_restores;
    struct rh_need *needs;
    size_t n_needs;
    bool declares_needs; /* even that there are none */
    struct rh_action *actions;
    size_t n_actions;
    const char *irreversible;   /* why what it does cannot be undone, or NULL */
    const char *default_action; /* "converge" unless it says otherwise */
    const char *refresh_action; /* or NULL */
};

/* Reads one provider's description: a hash with type, provider, desc, features, slots, attributes
 * (name, type, desc, behaviour or behavior, default, initial), title_patterns, relations, needs,
 * irreversible, actions, default_action, refresh_action, data_types (names and texts, which the attributes
 * may use). Everything is checked (S1 to S14, and what I1 to I21 point at); the message names the attribute
 * and, for a bad data type, the position. NULL on error. The description must live as long as the type. */
RH_CHECKED struct rh_type *rh_type_read(struct rh_arena *a, const struct rh_value *description,
                                        struct rh_error *err);

/* The same of a lookup, or of the facts of a plugin. They only look: what needs the rights of those who
 * change something is refused. */
RH_CHECKED struct rh_type *rh_type_read_question(struct rh_arena *a, const struct rh_value *description,
                                                 struct rh_error *err);

/* What declares no needs: the type itself, or one of the lookups that are asked in the same process; NULL:
 * all is declared. */
const struct rh_type *rh_type_undeclared(const struct rh_type *t);

/* "TYPE,PROVIDER": one name for both, which a file can have. */
const char *rh_type_with_provider(const struct rh_type *t, struct rh_arena *a);

/* Attribute `i` was added: from now on rh_type_attr finds it. */
void rh_type_index_attr(struct rh_type *t, size_t i);

/* Also by an older name of it; or NULL. */
const struct rh_attr *rh_type_attr(const struct rh_type *t, const char *name);
const struct rh_action *rh_type_action(const struct rh_type *t, const char *name);
bool rh_attr_is_property(const struct rh_attr *attr); /* compared and enforced */

/* Whether what is desired is that the resource is absent. */
bool rh_type_wants_gone(const struct rh_type *t, const struct rh_value *should);

/* The nearest attribute name to `word`, or NULL. */
const char *rh_type_suggest(const struct rh_type *t, const char *word);

/* The name of a resource: a hash of those namevars that it has, with the values that it shares. */
struct rh_value *rh_resource_name(const struct rh_type *t, struct rh_arena *a,
                                  const struct rh_value *resource);

/* The text of a name: the one namevar's value, or all of them as 'a=x b=y': the key under
 * which resources are unique, and how they are shown. */
void rh_type_name_text(const struct rh_type *t, const struct rh_value *name, struct rh_buf *b);

/* Words that are no attribute because they mean something on every resource (I10). Other keywords may
 * be one. */
bool rh_is_reserved_attribute(const char *name);

/* title.c: from a resource's title to the attributes that make its name (S8, I26 to I29). */

/* Compiles the patterns of a description and holds their groups against the namevars. */
RH_CHECKED int rh_title_patterns_read(struct rh_arena *a, struct rh_type *t, const struct rh_value *patterns,
                                      struct rh_error *err);

/* Puts into `name` (a hash) what the title says: the whole of it into a single namevar, which shares
 * the text, or what the first matching pattern captures. 1, or 0 when there are patterns and none matches, or
 * several namevars and no pattern: then the attributes must say it; -1 when
 * a pattern takes too many steps for this title. */
RH_CHECKED int rh_title_parse(const struct rh_type *t, const char *title, struct rh_value *name,
                              struct rh_error *err);

/* The text of pattern i, for messages and descriptions. */
const char *rh_title_pattern_text(const struct rh_type *t, unsigned i);

#endif
