/* SPDX-License-Identifier: Apache-2.0 */
/* fixture-target - the device that a provider of remote resources is tried with. */
#include "config.h"

#include "check/fixture.h"

#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

/* The transport that the first key names, with the nearest name where there is none. */
static const struct rh_type *
find_transport(const struct rh_value *plugin, const char *name, struct rh_arena *a, struct rh_suggest *near)
{
    const struct rh_value *list = rh_value_get(plugin, "transports");
    rh_autoerror struct rh_error err = { 0 };

    rh_suggest_init(near, name);
    for (size_t i = 0; i < rh_value_count(list); i++) {
        const char *type = rh_value_get_str(rh_value_at(list, i), "type", "");

        if (strcmp(type, name) == 0)
            return rh_type_read(a, rh_value_at(list, i), &err);
        rh_suggest_try(near, type);
    }
    return NULL;
}

/* What a connection can't do without. */
static void
refuse_missing(const struct rh_fixture *f, const char *title, struct rh_complaints *complaints)
{
    for (size_t i = 0; i < f->transport->n_attrs; i++) {
        const struct rh_attr *attr = &f->transport->attrs[i];

        if (attr->required && !rh_value_get(f->info, attr->name))
            rh_complain(complaints, rh_value_place(f->target), NULL,
                        "target '%s': missing required attribute '%s'", title, attr->name);
    }
}

int
rh_fixture_fit_target(struct rh_fixture *f, struct rh_arena *a, const struct rh_value *plugin,
                      struct rh_complaints *complaints)
{
    size_t before = rh_complaints_count(complaints);
    const char *name = f->target && rh_value_count(f->target) ? rh_value_entry(f->target, 0)->key : "";
    const char *title = rh_value_get_str(f->target, name, "");
    struct rh_validated held;
    struct rh_suggest near;

    if (!f->target)
        return 0;
    f->transport = find_transport(plugin, name, a, &near);
    if (!f->transport || !*title) {
        rh_autofree char *hint = near.best ? rh_did_you_mean(near.best, NULL) : NULL;

        rh_complain(complaints, rh_value_place(f->target), hint,
                    "the first entry of 'target' must be a transport of the plugin and a name, as in "
                    "'target: {TRANSPORT: NAME, ATTRIBUTE: VALUE}'");
        return -1;
    }
    if (rh_validate(a, f->transport, title, rh_value_place(f->target),
                    rh_fixture_values(a, f->transport, f->target, 1, complaints), &held, complaints)
        < 0)
        return -1;
    f->info = held.should;
    refuse_missing(f, title, complaints);
    return rh_complaints_count(complaints) == before ? 0 : -1;
}
