/* SPDX-License-Identifier: Apache-2.0 */
/* later - expressions of which the value is known only when other resources were applied: they are kept, with
 * what they name, and evaluated at their resource's turn. */
#ifndef RH_MANIFEST_EXPRESSION_LATER_H
#define RH_MANIFEST_EXPRESSION_LATER_H

#include "base/place.h"
#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_datatype;
struct rh_load;
struct rh_resource;
struct rh_use;

enum rh_later_kind {
    RH_LATER_TEXT,       /* `${...}` in a text */
    RH_LATER_EXPRESSION, /* the whole text is one, as of `when` */
    RH_LATER_TEMPLATE,   /* what `template` says */
    RH_LATER_JUDGEMENT,  /* the same over the result of the resource itself, as of `until` */
    RH_LATER_PARAMETER,  /* of an instance of a definition: another one, held against its type */
};

/* Behind an RH_UNKNOWN. */
struct rh_later {
    struct rh_deferred deferred; /* first */
    enum rh_later_kind kind;
    const struct rh_value *source, *scope;
    bool secret;
    struct rh_use *uses;
    const struct rh_datatype *type; /* of a parameter, and what it is called */
    const char *what;
};

/* The results that are used between these two are those of one expression. `outer` is what `begin` has
 * returned. */
struct rh_use *rh_uses_begin(struct rh_load *load);
void rh_uses_end(struct rh_load *load, struct rh_use *outer);

void rh_uses_note(struct rh_load *load, const char *type, const char *title, const char *attribute,
                  struct rh_place place);
void rh_uses_note_all(struct rh_load *load, const struct rh_use *uses);

/* Those that a text plainly has, whatever part of it was evaluated: result("type[title]").attribute. */
void rh_uses_scan(struct rh_load *load, const char *text, size_t n, struct rh_place place);

/* Makes `v`, an RH_UNKNOWN, known later where results were used since rh_uses_begin(); else it stays as it
 * is. */
void rh_later_defer(struct rh_load *load, struct rh_value *v, const struct rh_value *source,
                    enum rh_later_kind kind);

/* A parameter of an instance, for what is part of it: `v`, or where it is known later, its value then, held
 * against the type. `what` is the arena's. */
const struct rh_value *rh_later_parameter(struct rh_load *load, const struct rh_value *v,
                                          const struct rh_datatype *type, const char *what);

/* An RH_UNKNOWN that is known later, without any result of others. */
struct rh_value *rh_later_new(struct rh_load *load, const struct rh_value *source, enum rh_later_kind kind);

/* Notes on `r` all that `v` uses. Whether something in it is unknown for another reason. */
bool rh_later_note(const struct rh_load *load, struct rh_resource *r, const struct rh_value *v);

/* resolve.c: an expression that a recipe gives as a text, with the names of `scope` (or NULL): its value, or
 * what is known later. NULL after a complaint. */
const struct rh_value *rh_later_expression(struct rh_load *load, const struct rh_value *text,
                                           const struct rh_value *scope);

/* An expression over the result of its own resource, `result`: looked at now, and evaluated later. NULL after
 * a complaint. */
const struct rh_value *rh_later_judgement(struct rh_load *load, const struct rh_value *text);

/* Those values at their time. */

/* Has the load answer for its catalog. */
void rh_resolve_open(struct rh_load *load);

#endif
