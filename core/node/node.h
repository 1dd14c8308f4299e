/* SPDX-License-Identifier: Apache-2.0 */
/* node - what is known of a machine: attributes in levels of precedence (RFC 23), with where
 * each value came from.
 *
 * Ten components, low to high, make four precedences: default, normal, override, automatic.
 * Tables merge deeply; lists are joined within a precedence and replaced between precedences.
 * The automatic level (facts) is asked for, one top-level key at a time, when somebody reads it.
 *
 * Paths are arrays of texts (keys) and integers (positions in a list; on a table, an integer is
 * a key of its own). Values that go in are copied; values that come out belong to the node and
 * stay as they are, whatever is written later, until it goes. */
#ifndef RH_NODE_NODE_H
#define RH_NODE_NODE_H

#include "base/cleanup.h"
#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_sources;
struct rh_value;

enum rh_node_level {
    RH_LEVEL_DEFAULT,
    RH_LEVEL_ENV_DEFAULT,
    RH_LEVEL_ROLE_DEFAULT,
    RH_LEVEL_FORCE_DEFAULT,
    RH_LEVEL_NORMAL,
    RH_LEVEL_OVERRIDE,
    RH_LEVEL_ROLE_OVERRIDE,
    RH_LEVEL_ENV_OVERRIDE,
    RH_LEVEL_FORCE_OVERRIDE,
    RH_LEVEL_AUTOMATIC,
    RH_LEVELS
};

const char *rh_node_level_name(enum rh_node_level level);
int rh_node_level_find(const char *name); /* -1 when there is none */

/* Why an operation was refused; the names are those that `rhost node eval` prints. */
enum rh_node_fault {
    RH_NODE_OK,
    RH_NODE_IMMUTABLE,         /* "immutable": writing through the merged view */
    RH_NODE_NO_SUCH_ATTRIBUTE, /* "no_such_attribute" */
    RH_NODE_TYPE_MISMATCH,     /* "type_mismatch" */
    RH_NODE_NOT_CONTAINER,     /* "not_container": through what is neither table nor list */
    RH_NODE_ARGUMENT,          /* "argument" */
    RH_NODE_WRITE_ONLY,        /* "write_only": reading through default! and the like */
    RH_NODE_UNEXPECTED,        /* "unexpected": what a `check` says is not so */
};

const char *rh_node_fault_name(enum rh_node_fault fault);

struct rh_node;

struct rh_node *rh_node_new(void);
void rh_node_free(struct rh_node *node);

/* Bytes that it has, with all that was read of it. */
size_t rh_node_size(const struct rh_node *node);

/* Where the automatic level comes from. `get` is called at most once for each key, when it is
 * read first; NULL when there is no such fact. `keys` tries all of them, for a reading of
 * everything. */
struct rh_node_facts {
    void *data;
    const struct rh_value *(*get)(void *data, const char *key);
    void (*keys)(void *data, void (*one)(void *to, const char *key), void *to);
};
void rh_node_set_facts(struct rh_node *node, const struct rh_node_facts *facts);

/* Sets a fact that the caller knows already: the source of facts is not asked for this name. */
void rh_node_set_fact(struct rh_node *node, const char *name, const struct rh_value *fact);

/* Attributes of the level `normal` that are put there when somebody needs them. `need` is called before a
 * top-level key is read or written there (NULL: all of them are), and puts with rh_node_edit_* what belongs
 * there and was not put before. */
struct rh_node_source {
    void *data;
    void (*need)(void *data, const char *key);
};
void rh_node_set_source(struct rh_node *node, const struct rh_node_source *source);

/* What an operation did. `message` (the node's, until the next operation) says what to use
 * instead where something was refused. `returns` is NULL for nil. */
struct rh_node_result {
    enum rh_node_fault fault;
    const char *message;
    const char *hint;   /* "did you mean 'set'?", in the arena of the node; or NULL */
    const char *format; /* that the message was made from (base/message-code.h) */
    const struct rh_value *returns;
};

/* One operation as data: {op: set, level: default, path: [web, port], value: 80}. The names of
 * the operations are RFC 23's with all of its aliases, and those of Chef 12 and later: set,
 * set!, set_level, set_unless, write, write!, append, rm, rm_level, unlink, unlink!, delete_key,
 * read, read!, exist, read_level, exist_level, has_key, debug, reset, consume_json and the rest
 * of `rhost node eval`. `place` is where it was written (when the operation's own value has
 * none): it is kept for `explain`. -1 when it was refused; what fails changes nothing. */
int rh_node_operate(struct rh_node *node, const struct rh_value *op, struct rh_place place,
                    struct rh_node_result *result);

/* Deep assignment of a whole table onto one component: what a file says under `default:`. Tables
 * merge, lists are joined as within any precedence, all else is replaced. */
void rh_node_merge(struct rh_node *node, enum rh_node_level level, const struct rh_value *table,
                   struct rh_place place);

/* edit.c: several changes of one component as one step, which an explanation calls `op`. Paths have keys
 * only. Nothing is asked of a source. */
struct rh_node_edit {
    struct rh_node *node;
    enum rh_node_level level;
    unsigned step;
};

/* `path`: what the step is about; NULL: the top. `value` and `path` are copied. */
struct rh_node_edit rh_node_edit_begin(struct rh_node *node, enum rh_node_level level, const char *op,
                                       const struct rh_value *path, struct rh_place place);
/* What the component has at the path now, NULL for nothing. */
const struct rh_value *rh_node_edit_read(const struct rh_node_edit *edit, const struct rh_value *path);
void rh_node_edit_put(const struct rh_node_edit *edit, const struct rh_value *path, const struct rh_value *v);
void rh_node_edit_remove(const struct rh_node_edit *edit,
                         const struct rh_value *path); /* a position may end it */
void rh_node_edit_append(const struct rh_node_edit *edit, const struct rh_value *path,
                         const struct rh_value *v); /* to a list that is there */
/* Tables merge, all else is replaced; lists are joined, or with `replace` replaced as well. */
void rh_node_edit_merge(const struct rh_node_edit *edit, const struct rh_value *table, bool replace);

/* What is written at this path from now on is shown nowhere. */
void rh_node_hide(struct rh_node *node, const struct rh_value *path);

/* The merged value at a path; NULL when there is nothing there, an undef when nil was stored. An
 * empty path is everything. Cached: reading costs no merge of what was not written since, and
 * reading a leaf costs no merge of its neighbours. */
const struct rh_value *rh_node_read(struct rh_node *node, const struct rh_value *path);
const struct rh_value *rh_node_read_key(struct rh_node *node, const char *key); /* of the top */

/* One component, or a precedence's components combined ("combined_default", "normal",
 * "combined_override", "automatic", "merged", and the components' own names); NULL for another
 * name. */
const struct rh_value *rh_node_view(struct rh_node *node, const char *view);

/* What touched the value at a path, in the order in which it was done, and what came out:
 *   {path: [...], value: ..., winner: N or absent,
 *    steps: [{op: "set", level: "default", place: {file, line, column}, value: ...,
 *             effect: "overridden" | "wins" | "part" | "removed", by: N}, ...]}
 * `sources` names the files of the places. Values stay marked where they are sensitive. */
struct rh_value *rh_node_explain(struct rh_node *node, struct rh_arena *a, const struct rh_sources *sources,
                                 const struct rh_value *path);

/* "web.port", "a.b[0].c", "users['j.doe'].shell" to a path; NULL with a message in `err`. */
struct rh_error;
RH_CHECKED struct rh_value *rh_node_path_parse(struct rh_arena *a, const char *text, struct rh_error *err);

#endif
