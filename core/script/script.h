/* SPDX-License-Identifier: Apache-2.0 */
/* script - Lua 5.4 in a sandbox: expressions, templates, and what recipes are run by.
 *
 * Nothing in it reaches the machine but through the callbacks given here. What runs is limited
 * in instructions, memory, depth, and the work that library functions and patterns do; a limit
 * that is hit ends the whole evaluation and can't be caught. Iteration is in a fixed order, and
 * nothing random or depending on addresses can be seen.
 *
 * Marks follow values: what comes of an expression or template that has looked at something
 * sensitive is sensitive; what looks at something unknown is unknown. */
#ifndef RH_SCRIPT_SCRIPT_H
#define RH_SCRIPT_SCRIPT_H

#include "base/cleanup.h"
#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_node;
struct rh_secrets;
struct rh_sources;
struct rh_value;

/* All limits are for one script state and one evaluation; 0 means the default. */
struct rh_script_limits {
    /* Default: 20,000,000 for one expression or template, 2,000,000,000 for a recipe. */
    uint64_t instructions;
    size_t memory; /* bytes; default 256 MiB for the state */
    size_t output; /* bytes of one text that is made; default 64 MiB */
    /* Of the processor, in case that some instruction takes longer than it should. Default: 60 for
     * one expression or template, 600 for a recipe. */
    unsigned seconds;
};

/* What scripts may reach. Each may be NULL: then its functions say that they can't be used here. */
struct rh_script_world {
    void *data;
    /* The actual state of a resource, as its provider sees it: a hash of its attributes, an undef
     * when it is absent, an RH_UNKNOWN when that can't be known yet. NULL with a message. */
    const struct rh_value *(*current)(void *data, const char *type, const char *title, struct rh_arena *a,
                                      struct rh_error *err);
    /* What a resource is after its turn: a hash of its attributes, with `changed` and `status`; an RH_UNKNOWN
     * when it was not applied yet. NULL with a message. */
    const struct rh_value *(*result)(void *data, const char *type, const char *title, struct rh_arena *a,
                                     struct rh_error *err);
    /* What an RH_UNKNOWN that is looked at means now; NULL when it is not known, or with a message. May be
     * NULL. */
    const struct rh_value *(*resolve)(void *data, const struct rh_value *unknown, struct rh_error *err);
    /* The answer of a lookup to these arguments, an array: an undef when there is none, an RH_UNKNOWN when
     * it is not asked for now. NULL with a message. */
    const struct rh_value *(*lookup)(void *data, const char *name, const struct rh_value *arguments,
                                     struct rh_arena *a, struct rh_error *err);
    /* The file that `path` names, relative to the file in which it was written (`from`, a number in
     * the sources); below the manifest's root unless that is allowed, which the callback sees to.
     * The text is the arena's. NULL with a message. */
    const char *(*read_file)(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n,
                             struct rh_error *err);
    /* The same for a file that is a secret, which may be elsewhere. NULL: as any other. */
    const char *(*read_secret)(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n,
                               struct rh_error *err);
    /* The text of a file that `systemd-creds encrypt` made, like read_file. */
    const char *(*decrypt)(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n,
                           struct rh_error *err);
    /* Whether a secret that cannot be read is unknown instead, and text in a recipe. */
    bool placeholders;
    /* Adds such a file, whose text that is, to the sources, or finds it there, and returns its
     * number: what it names is relative to it. May be NULL: it is added by the path as it was
     * written. */
    unsigned (*add_file)(void *data, const char *path, unsigned from, const char *text, size_t n);
    /* An expression has read this path within the attributes of the node: "web.port". May be NULL. */
    void (*read)(void *data, const char *path);
    /* The value that this YAML stands for, one document by the core schema; NULL with a message. */
    struct rh_value *(*read_yaml)(void *data, const char *text, size_t n, struct rh_arena *a,
                                  struct rh_error *err);
    /* What `print` says. */
    void (*print)(void *data, const char *text, size_t n, struct rh_place place);
};

struct rh_script_options {
    struct rh_arena *arena;     /* what results live in */
    struct rh_node *node;       /* `node`; may be NULL */
    struct rh_sources *sources; /* files that are read (templates) are added to it */
    struct rh_script_world world;
    struct rh_script_limits limits;
};

struct rh_script;

struct rh_script *rh_script_new(const struct rh_script_options *options);
/* Adds each secret that the script has met, whatever text it was put into. */
void rh_script_add_secrets(const struct rh_script *s, struct rh_secrets *to);

void rh_script_free(struct rh_script *s); /* NULL is fine */

/* Why something failed is an error (base/error.h). In templates and recipes its `place` says where; in
 * expressions `at` is the offset in bytes within the expression's text (and `place` has line 0), which the
 * caller turns into a place. Where a template was included from is in `related`. */

/* Evaluates one expression. Names are looked up in `scope` (a hash, may be NULL), then in the
 * library, then `node`. `file` is the source it stands in: relative paths are relative to that.
 * The result is a value of its own in the options' arena, of the type that the expression has:
 * undef for nil, RH_UNKNOWN when it can't be known. NULL after a problem. A text is compiled
 * once, however often it is evaluated. */
RH_CHECKED struct rh_value *rh_script_evaluate(struct rh_script *s, const char *text, size_t n,
                                               const struct rh_value *scope, unsigned file,
                                               struct rh_error *err);

/* The end of the expression that starts at `text` (behind "${"): the offset of the '}' that
 * closes it, past texts, tables, comments and long brackets; SIZE_MAX when there is none. */
size_t rh_script_expression_end(const char *text, size_t n);

/* A template: `{{ expression }}` and `{% statements %}`, both Lua; `{{-`, `-}}`, `{%-`, `-%}`
 * take the white space beside them away; `{# comment #}`. `file` is its number in the sources.
 * The result is a string. */
RH_CHECKED struct rh_value *rh_script_render(struct rh_script *s, const char *text, size_t n, unsigned file,
                                             const struct rh_value *scope, struct rh_error *err);

#endif
