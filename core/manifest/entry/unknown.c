/* SPDX-License-Identifier: Apache-2.0 */
/* unknown - what is known only after something has run. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "manifest/expression/later.h"
#include "manifest/load/load.h"

#include <string.h>

int
rh_entry_note_undecided(const struct rh_load *load, struct rh_resource *r)
{
    r->undecided = load->context.undecided.line ? "whether it is wanted" : NULL;
    r->undecided_place = load->context.undecided;
    r->later = false;
    r->uses = NULL;
    if (load->context.conditions) /* an edit leaves what it was declared with */
        r->conditions = load->context.conditions;
    for (const struct rh_later_condition *c = r->conditions; c; c = c->outer)
        if (c->watched)
            r->later = true;
        else
            (void)rh_later_note(load, r, c->value);
    for (size_t i = 0; load->expressions.script && i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);

        if (!rh_later_note(load, r, e->value) || r->undecided)
            continue;
        r->undecided = rh_arena_printf(load->catalog->arena, "'%s'", e->key);
        r->undecided_place = rh_value_place(e->value);
    }
    if (!load->expressions.script || !rh_value_unknown(r->name))
        return 0;
    rh_complain(load->complaints, r->place, NULL, "the name of %s[%s] is not known before the run",
                r->type->type, r->title);
    return -1;
}
