/* SPDX-License-Identifier: Apache-2.0 */
/* choice - which of several providers serves a type. */
#include "config.h"

#include "plugin/choice.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

const struct rh_candidate *
rh_choice_make(const struct rh_candidate *const *list, size_t n, struct rh_error *err)
{
    const struct rh_candidate *best = NULL;
    rh_autobuf struct rh_buf reasons = { 0 };

    for (size_t i = 0; i < n; i++) {
        if (list[i]->how_well > (best ? best->how_well : 0))
            best = list[i];
        rh_buf_addf(&reasons, "%s%s: %s", i ? "; " : "", list[i]->type->provider,
                    list[i]->why ? list[i]->why : "no reason given");
    }
    if (!best) {
        rh_error_set(err, RH_EPROVIDER, "no provider of '%s' suits this machine: %s", list[0]->type->type,
                     rh_buf_text(&reasons));
        return NULL;
    }
    for (size_t i = 0; i < n && rh_log_enabled(RH_INFO); i++) {
        if (list[i] == best)
            rh_log(RH_INFO, "'%s' is served by its provider '%s', which suits by %d", best->type->type,
                   best->type->provider, best->how_well);
        else if (list[i]->how_well)
            rh_log(RH_INFO, "'%s' is not served by its provider '%s', which suits by %d%s", best->type->type,
                   list[i]->type->provider, list[i]->how_well,
                   list[i]->how_well == best->how_well ? " too, but comes later by name" : "");
        else
            rh_log(RH_INFO, "'%s' is not served by its provider '%s': %s", best->type->type,
                   list[i]->type->provider, list[i]->why ? list[i]->why : "no reason given");
    }
    return best;
}

bool
rh_choice_conflict(const struct rh_type *a, const struct rh_type *b, struct rh_buf *what)
{
    for (size_t i = 0; i < a->n_attrs; i++) {
        const struct rh_attr *x = &a->attrs[i], *y = rh_type_attr(b, x->name);
        rh_autobuf struct rh_buf one = { 0 }, other = { 0 };

        if (!y) {
            if (!(x->behaviour & RH_NAMEVAR))
                continue;
            rh_buf_addf(what, "the namevar '%s' of the one is unknown to the other", x->name);
            return true;
        }
        rh_datatype_print(x->type, &one);
        rh_datatype_print(y->type, &other);
        if (strcmp(rh_buf_text(&one), rh_buf_text(&other)) != 0) {
            rh_buf_addf(what, "the attribute '%s' is %s in the one and %s in the other", x->name,
                        rh_buf_text(&one), rh_buf_text(&other));
            return true;
        }
        if ((x->behaviour ^ y->behaviour) & RH_NAMEVAR) {
            rh_buf_addf(what, "the attribute '%s' is a namevar in %s only", x->name,
                        x->behaviour & RH_NAMEVAR ? "the one" : "the other");
            return true;
        }
    }
    for (size_t i = 0; i < b->n_namevars; i++)
        if (!rh_type_attr(a, b->namevars[i]->name)) {
            rh_buf_addf(what, "the namevar '%s' of the other is unknown to the one", b->namevars[i]->name);
            return true;
        }
    return false;
}
