/* SPDX-License-Identifier: Apache-2.0 */
/* validate - a resource held against its type: what a manifest may say, and what it then means. */
#ifndef RH_SCHEMA_VALIDATE_H
#define RH_SCHEMA_VALIDATE_H

#include "base/cleanup.h"
#include "base/place.h"

#include <stdbool.h>

struct rh_arena;
struct rh_complaints;
struct rh_datatype;
struct rh_error;
struct rh_type;
struct rh_value;

struct rh_validated {
    struct rh_value *name;   /* the namevars, as far as they are known */
    struct rh_value *should; /* namevars, what was given, and defaults */
};

/* Validates `attributes` (a hash whose scalars are read already; values are shared, not copied, and so are
 * the title and the type's defaults) against the type: unknown attributes, read-only ones (S21), values that
 * don't fit (S24), a title that no pattern matches. Fills in the namevars from the title where they are not
 * given (I22), defaults (S7), and the sensitive mark where the type asks for it, which `attributes` gets too.
 * Each complaint names its place; returns -1 when there was any. */
int rh_validate(struct rh_arena *a, const struct rh_type *t, const char *title, struct rh_place place,
                struct rh_value *attributes, struct rh_validated *validated,
                struct rh_complaints *complaints);

/* Lets no complaint quote the source lines of a secret. */
void rh_validate_hide(const struct rh_value *v, struct rh_complaints *complaints);

/* The title of a resource that is known by its name only: the namevar's own text, or for several all of
 * them, as rh_type_name_text has it. */
const char *rh_resource_title(struct rh_arena *a, const struct rh_type *t, const struct rh_value *name);

/* What a resource that was read is called wherever it is shown: the title that its provider has for it, or
 * else the above. */
const char *rh_resource_shown_title(struct rh_arena *a, const struct rh_type *t, const struct rh_value *item);

/* The name that a title says, with the defaults of what it leaves out, into `name` (a hash). As
 * rh_title_parse. */
RH_CHECKED int rh_title_name(const struct rh_type *t, const char *title, struct rh_value *name,
                             struct rh_error *err);

/* misfit.c: which part of a value does not fit its type, and what was probably meant. */

struct rh_misfit {
    const struct rh_datatype *type; /* of the part */
    const struct rh_value *part;    /* the innermost that does not fit */
};

/* For a value that does not match. */
struct rh_misfit rh_misfit_find(const struct rh_datatype *t, const struct rh_value *v);

/* What to do about it ("write 'false'", "did you mean 'present'?"), the caller's; NULL when nothing
 * can be guessed. Says nothing of what is sensitive. */
char *rh_misfit_hint(const struct rh_misfit *m);
/* "too short: 3 of at least 16 characters", the caller's; NULL when its length is not why a text does not
 * fit. Of a secret the length is not said. */
char *rh_misfit_length(const struct rh_misfit *misfit, bool secret);

/* The value as a text that the type would take, the caller's; NULL when it would not, or is none. */
char *rh_misfit_text(const struct rh_misfit *m);

#endif
