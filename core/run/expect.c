/* SPDX-License-Identifier: Apache-2.0 */
/* expect - what the states of resources must be, for a run that may change them. */
#include "config.h"

#include "run/expect.h"

#include "base/alloc.h"
#include "provider/outcome.h"

#include <stdlib.h>

struct one {
    struct rh_expected state, any;
    bool kept; /* it was as expected before the first change */
};

struct rh_expectations {
    struct one *v;
    size_t n;
    const struct rh_type *changed; /* the type that was changed first, or NULL */
    bool several;                  /* another one was changed as well */
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
    if (e)
        free(e->v);
    free(e);
}

const struct rh_expected *
rh_expectations_want(const struct rh_expectations *e, const struct rh_type *type, uint32_t entry)
{
    if (!e || entry >= e->n)
        return NULL;
    if (e->v[entry].kept && e->changed && (e->several || e->changed != type))
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
rh_expectations_note_kept(struct rh_expectations *e, uint32_t entry)
{
    if (entry < e->n)
        e->v[entry].kept = true;
}
