/* SPDX-License-Identifier: Apache-2.0 */
/* expect - what the states of resources must be, for a run that may change them: of an undo.
 *
 * What this run itself has changed is no change by somebody else. So all states are compared before the first
 * change. A resource that was as expected then is compared once more at its turn, unless this run has changed
 * a resource of another type in the meantime: to remove an account changes groups.
 *
 * A dry run changes nothing. After a resource that would change, those of types that have an automatic
 * relation with its type, in either direction, are not compared: the run itself may have left the difference,
 * with a later change. */
#ifndef RH_RUN_EXPECT_H
#define RH_RUN_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_expected;
struct rh_expectations;
struct rh_type;
struct rh_value;

struct rh_expectation {
    const struct rh_value *state; /* as struct rh_expected has it (provider/outcome.h) */
    bool any;                     /* it may be another one all the same */
    const char *salt;             /* that sensitive values of it are hashed with; or NULL */
};

/* `v` has one for each of the `n` entries of the list, and must stay. */
struct rh_expectations *rh_expectations_new(const struct rh_expectation *v, size_t n);
void rh_expectations_free(struct rh_expectations *e); /* NULL is fine, here and below */

/* What this entry is compared with; NULL: with nothing. */
const struct rh_expected *rh_expectations_want(const struct rh_expectations *e, const struct rh_type *type,
                                               uint32_t entry);

/* Before the first change: it is as it is expected. */
void rh_expectations_note_kept(struct rh_expectations *e, uint32_t entry);

/* A resource of this type was changed by this run. */
void rh_expectations_note_change(struct rh_expectations *e, const struct rh_type *type);

/* A dry run: a resource of this type would be changed. */
void rh_expectations_foresee(struct rh_expectations *e, const struct rh_type *type);

#endif
