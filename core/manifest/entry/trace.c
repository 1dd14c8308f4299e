/* SPDX-License-Identifier: Apache-2.0 */
/* trace - what was written, before its expressions are evaluated. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"

static bool
has_expression(const struct rh_value *v)
{
    if (rh_has_expression(v))
        return true;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (has_expression(rh_value_part(v, i)))
            return true;
    return false;
}

void
rh_trace_begin(struct rh_load *load, const struct rh_value *v, bool secret, struct rh_key_trace *t)
{
    *t = (struct rh_key_trace){ 0 };
    if (!load->types->explain)
        return;
    if (has_expression(v) && !secret && !rh_value_sensitive(v))
        t->written = rh_value_copy_sharing(load->catalog->arena, v);
    t->reads = rh_value_new(load->catalog->arena, RH_ARRAY);
    load->context.reads = t->reads;
}

void
rh_trace_end(struct rh_load *load, struct rh_key_trace *t)
{
    load->context.reads = NULL;
    if (t->reads && !t->reads->count)
        t->reads = NULL;
}
