/* SPDX-License-Identifier: Apache-2.0 */
/* input - what the caller of rh_manifest_load() provides: types, attributes of the command line, limits. */
#ifndef RH_MANIFEST_LOAD_INPUT_H
#define RH_MANIFEST_LOAD_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_budget;
struct rh_error;
struct rh_node;
struct rh_secrets;
struct rh_script_limits;
struct rh_suggest;
struct rh_type;
struct rh_value;

/* What the command line says of attributes. All of it is borrowed. */
struct rh_command_line {
    const char *environment; /* NULL: the one that the manifests name */
    const char *const *roles;
    size_t n_roles;
    const char *const *attribute_files; /* levels or operations */
    size_t n_attribute_files;
    const char *const *attributes; /* "LEVEL.PATH=VALUE", "PATH=VALUE" */
    size_t n_attributes;
};

/* What comes from above. Types do, since this room does not know plugins. */
struct rh_manifest_types {
    void *data;
    /* The type as `provider` serves it (NULL: the one that suits best). NULL when there is none:
     * without a message in `err` the type is unknown, else the message says why it can't be used: of
     * the kind RH_EPROVIDER when no provider suits this machine. Asked once for each pair. */
    const struct rh_type *(*find)(void *data, const char *type, const char *provider, struct rh_error *err);
    /* Tries all names of types, for "did you mean". May be NULL. */
    void (*suggest)(void *data, struct rh_suggest *s);
    /* Another provider of the type that has this attribute, or NULL. May be NULL. */
    const struct rh_type *(*owner)(void *data, const char *type, const char *attr);
    /* The actual state of a resource, canonical: a hash of its attributes, an undef when it is absent,
     * an RH_UNKNOWN when its provider does not suit yet. NULL with a message. Asked once for each. May
     * be NULL: then expressions can't ask. */
    const struct rh_value *(*current)(void *data, const char *type, const char *title, struct rh_arena *a,
                                      struct rh_error *err);
    /* The answer of a plugin's lookup to these arguments: see script.h. Asked once for each. May be NULL:
     * then expressions can't ask. */
    const struct rh_value *(*lookup)(void *data, const char *name, const struct rh_value *arguments,
                                     struct rh_arena *a, struct rh_error *err);
    /* What is in a credential that systemd-creds made, from a file called `name`: the arena's. NULL
     * with a message. May be NULL. */
    const char *(*decrypt)(void *data, const char *name, const void *credential, size_t size,
                           struct rh_arena *a, size_t *n, struct rh_error *err);
    struct rh_secrets *secrets; /* gets each secret that an expression, template or recipe met; may be NULL */
    struct rh_node *node;       /* attributes, with its facts; NULL: one of its own, without */
    const struct rh_command_line *command_line; /* may be NULL */
    const struct rh_script_limits *limits;      /* of expressions; NULL: the usual ones */
    const struct rh_budget *budget;             /* see budget.h; NULL: the usual one */
    const char *parsed; /* the directory of records of large files, see parsed.h; NULL: none are kept */
    bool explain;       /* origins have what was written, and which attributes were read */
    bool placeholders;  /* secrets that cannot be read have placeholders */
    bool outside;       /* files that manifests name may be outside of their folder: see root.h */
    bool guarded;       /* files that others can change are refused: see root.h */
};

#endif
