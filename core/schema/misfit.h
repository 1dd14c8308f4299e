/* SPDX-License-Identifier: Apache-2.0 */
/* misfit - which part of a value does not fit its type, and what was probably meant. */
#ifndef RH_SCHEMA_MISFIT_H
#define RH_SCHEMA_MISFIT_H

struct rh_datatype;
struct rh_value;

struct rh_misfit {
    const struct rh_datatype *type; /* of the part */
    const struct rh_value *part;    /* the innermost that does not fit */
};

/* For a value that does not match. */
struct rh_misfit rh_misfit_find(const struct rh_datatype *t, const struct rh_value *v);

/* What to do about it ("write 'false'", "did you mean 'present'?"), the caller's; NULL when nothing
 * can be guessed. Says nothing of what is sensitive. */
char *rh_misfit_hint(const struct rh_misfit *m);

/* The value as a text that the type would take, the caller's; NULL when it would not, or is none. */
char *rh_misfit_text(const struct rh_misfit *m);

#endif
