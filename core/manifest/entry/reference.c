/* SPDX-License-Identifier: Apache-2.0 */
/* reference - references to resources in entries. */
#include "config.h"

#include "manifest/entry/entry.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "catalog/catalog.h"
#include "manifest/load/load.h"

#include <string.h>

int
rh_entry_refuse_undeclared(struct rh_load *load, const struct rh_reference *ref, const char *hint)
{
    const struct rh_catalog *c = load->catalog;
    rh_autofree char *near_hint = NULL;
    struct rh_place when = rh_catalog_excluded(c, ref);
    struct rh_suggest near;

    if (rh_catalog_is_refused(c, ref))
        return -1;
    if (when.line) {
        rh_complain(load->complaints, ref->place, "give both the same condition",
                    "%s[%s] is excluded by 'when'", ref->type, ref->title);
        rh_complain_also(load->complaints, when, "this condition is false");
        return -1;
    }
    rh_suggest_init(&near, ref->title);
    for (size_t i = 0; i < c->n_resources && !rh_complaints_full(load->complaints); i++)
        if (strcmp(c->resources[i]->type->type, ref->type) == 0)
            rh_suggest_try(&near, c->resources[i]->title);
    if (near.best)
        near_hint = rh_printf("did you mean '%s[%s]'?", ref->type, near.best);
    rh_complain(load->complaints, ref->place, near_hint ? near_hint : hint, "%s[%s] is not declared",
                ref->type, ref->title);
    return -1;
}
