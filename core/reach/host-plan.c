/* SPDX-License-Identifier: Apache-2.0 */
/* host-plan - the plan of one target: it is asked for and kept, or sent back to be applied. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "reach/push-parts.h"

#include <string.h>

bool
rh_host_makes_plan(const struct rh_host *h)
{
    return h->options->plans && h->options->makes_plans;
}

static bool
applies_plan(const struct rh_host *h)
{
    return h->options->plans && !h->options->makes_plans;
}

int
rh_host_plan_begin(struct rh_host *h)
{
    rh_autoerror struct rh_error err = { 0 };

    if (!applies_plan(h) || rh_plans_load(h->options->plans, h->target->name, h->arena, &h->plan, &err) == 0)
        return 0;
    rh_host_end(h, RH_PUSH_REFUSED, "make the plan again", "%s", err.message);
    return -1;
}

/* Its files of attributes are those of the plan: what is in them is compared on the target. */
static bool
has_its_attributes(const struct rh_host *h, const struct rh_value *options)
{
    static const char option[] = "--attributes=";
    size_t n = rh_value_count(h->plan.attributes);

    if (rh_value_count(options) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *now = rh_value_str(rh_value_at(options, i), "") + sizeof option - 1;

        if (strcmp(now, rh_value_str(rh_value_at(h->plan.attributes, i), "")) != 0)
            return false;
    }
    return true;
}

int
rh_host_plan_prepare(struct rh_host *h, struct rh_value *request, struct rh_value *command,
                     const struct rh_value *attributes, struct rh_buf *frames)
{
    struct rh_arena *a = h->arena;
    rh_autofree char *name = rh_plans_name(h->target->name);

    if (rh_host_makes_plan(h)) {
        rh_value_put(request, "result", rh_value_string(a, name));
        rh_value_append(command, rh_value_string(a, rh_arena_printf(a, "--output=%s", name)));
    }
    for (size_t i = 0; !applies_plan(h) && i < rh_value_count(attributes); i++)
        rh_value_append(command, rh_value_at(attributes, i));
    if (applies_plan(h)) {
        struct rh_value *file = rh_value_new(a, RH_HASH);

        if (!has_its_attributes(h, attributes)) {
            rh_host_end(h, RH_PUSH_REFUSED, "make the plan again",
                        "this target has attributes of other groups than when the plan was made");
            return -1;
        }
        rh_value_put(request, "place", rh_value_string(a, h->plan.place));
        rh_value_put(file, "path", rh_value_string(a, name));
        rh_value_put(file, "size", rh_value_integer(a, (int64_t)h->plan.text.n));
        rh_wire_add_value(frames, RH_WIRE_FILE, file);
        rh_wire_add(frames, RH_WIRE_DATA, h->plan.text.s, h->plan.text.n);
        rh_value_append(command, rh_value_string(a, name));
        rh_buf_clear(&h->plan.text);
    }
    return 0;
}

int
rh_host_plan_keep(struct rh_host *h, struct rh_error *err)
{
    if (!rh_host_makes_plan(h))
        return 0;
    if (rh_plans_keep(h->options->plans, h->target->name, &h->result, err) < 0)
        return -1;
    rh_buf_clear(&h->result);
    h->planned = true;
    return 0;
}
