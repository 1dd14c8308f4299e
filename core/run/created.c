/* SPDX-License-Identifier: Apache-2.0 */
/* created - what a resource is created with. */
#include "config.h"

#include "run/report.h"

#include "base/arena.h"
#include "base/json-writer.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "run/event.h"
#include "schema/type.h"

#include <string.h>

static bool
is_named(const struct rh_outcome *o, const char *attribute)
{
    for (size_t i = 0; i < o->n_differences; i++)
        if (strcmp(o->differences[i].attribute, attribute) == 0)
            return true;
    return false;
}

bool
rh_event_creates(const struct rh_event *event)
{
    const struct rh_outcome *o = event->outcome;
    const struct rh_attr *ensure = event->resource->type->ensure;

    if (event->created)
        return true;
    if (!ensure || !event->resource->should || (o->status != RH_CHANGED && o->status != RH_WOULD_CHANGE))
        return false;
    for (size_t i = 0; i < o->n_differences; i++) {
        const struct rh_difference *d = &o->differences[i];

        if (strcmp(d->attribute, ensure->name) == 0)
            return rh_value_is(d->from, RH_STRING) && strcmp(rh_value_str(d->from, ""), "absent") == 0;
    }
    return false;
}

bool
rh_event_next_created(const struct rh_event *event, const struct rh_sources *sources, struct rh_arena *a,
                      size_t *at, struct rh_entry *created)
{
    const struct rh_resource *r = event->resource;
    const struct rh_entry *e;

    if (event->created) {
        e = rh_value_entry(event->created, (*at)++);
        if (e)
            *created = *e;
        return e != NULL;
    }
    while ((e = rh_value_entry(r->should, (*at)++))) {
        const struct rh_attr *attr = rh_type_attr(r->type, e->key);

        if (attr && attr != r->type->ensure && !(attr->behaviour & (RH_NAMEVAR | RH_PARAMETER | RH_READ_ONLY))
            && e->value->kind != RH_UNDEF && !is_named(event->outcome, e->key)) {
            *created = (struct rh_entry){ e->key, rh_sources_value(sources, a, e->value) };
            return true;
        }
    }
    return false;
}

void
rh_created_to_json(struct rh_buf *b, const struct rh_event *event, const struct rh_sources *sources)
{
    struct rh_arena *a;
    struct rh_entry e;

    if (!rh_event_creates(event))
        return;
    a = rh_arena_new(NULL);
    rh_json_key(b, "created");
    rh_buf_addc(b, '{');
    for (size_t at = 0; rh_event_next_created(event, sources, a, &at, &e);)
        rh_json_value(b, e.key, e.value);
    rh_buf_addc(b, '}');
    rh_arena_free(a);
}
