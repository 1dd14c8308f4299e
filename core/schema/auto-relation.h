/* SPDX-License-Identifier: Apache-2.0 */
/* auto-relation - the relations that a type declares: "autorequire file[$source]". */
#ifndef RH_SCHEMA_AUTO_RELATION_H
#define RH_SCHEMA_AUTO_RELATION_H

#include "base/cleanup.h"
#include "schema/type.h"

struct rh_arena;
struct rh_error;
struct rh_value;

/* Reads one relation of `t`, whose attributes are known. */
RH_CHECKED int rh_auto_relation_read(struct rh_arena *a, const struct rh_type *t, const char *text,
                                     struct rh_auto_relation *r, struct rh_error *err);

/* Reads what stands behind the word of a relation, "file[$source]", of which `whole` is all. */
RH_CHECKED int rh_auto_subject_read(struct rh_arena *a, const struct rh_type *t, const char *subject,
                                    const char *whole, struct rh_auto_relation *r, struct rh_error *err);

typedef void rh_title_fn(void *data, const char *title);

/* Calls `fn` with each title that the relation names for a resource with this name and these desired
 * values: one for each element of a list; none while an attribute of it has no value. */
void rh_auto_relation_titles(const struct rh_auto_relation *r, const struct rh_value *name,
                             const struct rh_value *should, rh_title_fn *fn, void *data);

typedef void rh_name_fn(void *data, const struct rh_value *name);

/* The same for a relation with parts, with each name of a resource of type `target`, which the relation
 * fits: a hash of its namevars. It is valid until `fn` returns. */
void rh_auto_relation_names(const struct rh_auto_relation *r, const struct rh_type *target,
                            const struct rh_value *name, const struct rh_value *should, rh_name_fn *fn,
                            void *data);

/* Whether the parts of a relation are the namevars of `target`, but for those with a default. RH_EINPUT
 * when they are not. */
RH_CHECKED int rh_auto_relation_fits(const struct rh_auto_relation *r, const struct rh_type *target,
                                     struct rh_error *err);

bool rh_auto_relation_has_part(const struct rh_auto_relation *r, const char *namevar);

#endif
