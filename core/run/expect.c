/* SPDX-License-Identifier: Apache-2.0 */
/* expect - what the states of resources must be, for a run that may change them. */
#include "config.h"

#include "run/expect.h"

#include "base/alloc.h"
#include "provider/outcome.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

struct one {
    struct rh_expected state, any;
    bool kept; /* it was as expected before the first change */
};

struct rh_expectations {
    struct one *v;
    size_t n;
    const struct rh_type *changed;   /* the type that was changed last, or NULL */
    bool several;                    /* another one was changed as well */
    const struct rh_type **foreseen; /* types that a dry run would have changed */
    size_t n_foreseen;
};

struct rh_expectations *
rh_expectations_new(const struct rh_expectation *v, size_t n)
{
    struct rh_expectations *e = rh_xalloc(sizeof *e);

    *e = (struct rh_expectations){ .v = rh_xalloc(rh_xmul(n + 1, sizeof *e->v)), .n = n };
    for (size_t i = 0; i < n; i++) {
        e->v[i].state = (struct rh_expected){
            .key = v[i].salt ? v[i].salt : "", .state = v[i].state, .left = true, .any = v[i].any
        };
        e->v[i].any = e->v[i].state;
        e->v[i].any.any = true;
    }
    return e;
}

void
rh_expectations_free(struct rh_expectations *e)
{
    if (!e)
        return;
    free(e->v);
    free(e->foreseen);
    free(e);
}

static bool requires(const struct rh_type *one, const struct rh_type *other)
{
    for (size_t i = 0; i < one->n_relations; i++)
        if (one->relations[i].kind == RH_REQUIRE && strcmp(one->relations[i].type, other->type) == 0)
            return true;
    return false;
}

static bool
is_foreseen(const struct rh_expectations *e, const struct rh_type *type)
{
    for (size_t i = 0; i < e->n_foreseen; i++)
        if (e->foreseen[i] != type && (requires(e->foreseen[i], type) || requires(type, e->foreseen[i])))
            return true;
    return false;
}

const struct rh_expected *
rh_expectations_want(const struct rh_expectations *e, const struct rh_type *type, uint32_t entry)
{
    if (!e || entry >= e->n)
        return NULL;
    if (e->v[entry].kept && e->changed && (e->several || e->changed != type))
        return &e->v[entry].any;
    if (is_foreseen(e, type))
        return &e->v[entry].any;
    return &e->v[entry].state;
}

void
rh_expectations_note_change(struct rh_expectations *e, const struct rh_type *type)
{
    if (!e)
        return;
    e->several |= e->changed && e->changed != type;
    e->changed = type;
}

void
rh_expectations_foresee(struct rh_expectations *e, const struct rh_type *type)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->n_foreseen; i++)
        if (e->foreseen[i] == type)
            return;
    e->foreseen = rh_xrealloc(e->foreseen, rh_xmul(e->n_foreseen + 1, sizeof(struct rh_type *)));
    e->foreseen[e->n_foreseen++] = type;
}

void
rh_expectations_note_kept(struct rh_expectations *e, uint32_t entry)
{
    if (entry < e->n)
        e->v[entry].kept = true;
}
