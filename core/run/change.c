/* SPDX-License-Identifier: Apache-2.0 */
/* change - one attribute that is not as desired, or not as it was. */
#include "config.h"

#include "run/change.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/outcome.h"
#include "run/event.h"

#include <string.h>

static const char redacted[] = "[redacted]"; /* as base/value-json.c writes what is sensitive */

void
rh_changes_to_json(struct rh_buf *b, const char *key, enum rh_change_kind kind, const struct rh_difference *v,
                   size_t n)
{
    rh_json_key(b, key);
    rh_buf_addc(b, '[');
    for (size_t i = 0; i < n; i++) {
        const struct rh_difference *d = &v[i];

        rh_json_element(b);
        rh_buf_addc(b, '{');
        rh_json_text(b, "attribute", d->attribute);
        if (kind == RH_CHANGE_FINDING)
            rh_json_text(b, "event", d->since ? "changed" : "recorded");
        rh_json_value(b, "from", d->from);
        rh_json_value(b, "to", d->to);
        if (d->unknown)
            rh_json_boolean(b, "unknown", true);
        if (d->to && rh_value_deferred(d->to))
            rh_json_text(b, "known_after", rh_value_deferred(d->to)->after);
        if (kind == RH_CHANGE_FINDING)
            rh_json_text(b, "since", d->since);
        else
            rh_json_text(b, "message", d->message);
        rh_buf_addc(b, '}');
    }
    rh_buf_addc(b, ']');
}

static const char *
safe_member(struct rh_arena *a, const struct rh_value *change, const char *key)
{
    const char *text = rh_value_get_str(change, key, NULL);
    rh_autofree char *shown = text ? rh_safe_text(text) : NULL;

    return shown ? rh_arena_strdup(a, shown) : NULL;
}

/* What was hidden when it was written is no text that was there. */
const struct rh_value *
rh_change_value(struct rh_arena *a, const struct rh_value *change, const char *key)
{
    const struct rh_value *v = rh_value_get(change, key);
    struct rh_value *hidden;

    if (!v || v->kind == RH_UNDEF)
        return NULL;
    if (!rh_value_is(v, RH_STRING) || strcmp(v->u.string, redacted) != 0)
        return v;
    hidden = rh_value_string(a, "");
    hidden->marks |= RH_SENSITIVE;
    return hidden;
}

size_t
rh_changes_from_json(struct rh_arena *a, const struct rh_value *list, const struct rh_difference **to)
{
    size_t count = rh_value_is(list, RH_ARRAY) ? list->count : 0, n = 0;
    struct rh_difference *v = rh_arena_alloc(a, rh_xmul(count, sizeof *v));

    for (size_t i = 0; i < count; i++) {
        const struct rh_value *change = rh_value_at(list, i);
        const struct rh_value *unknown = rh_value_get(change, "unknown");
        const char *attribute;

        if (!rh_value_is(change, RH_HASH))
            continue;
        attribute = safe_member(a, change, "attribute");
        v[n++] = (struct rh_difference){
            .attribute = attribute ? attribute : "?",
            .from = rh_change_value(a, change, "from"),
            .to = rh_change_value(a, change, "to"),
            .unknown = rh_value_is(unknown, RH_BOOLEAN) && unknown->u.integer,
            .message = rh_value_get_str(change, "message", NULL),
            .since = safe_member(a, change, "since"),
        };
    }
    *to = v;
    return n;
}

static bool
same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool
same_value(const struct rh_value *a, const struct rh_value *b)
{
    if (!a || !b)
        return a == b;
    if (rh_value_sensitive(a) || rh_value_sensitive(b))
        return rh_value_sensitive(a) && rh_value_sensitive(b);
    return rh_value_equal(a, b);
}

bool
rh_change_equal(const struct rh_difference *a, const struct rh_difference *b)
{
    return strcmp(a->attribute, b->attribute) == 0 && a->unknown == b->unknown
           && same_text(a->message, b->message) && same_text(a->since, b->since)
           && same_value(a->from, b->from) && same_value(a->to, b->to);
}

bool
rh_findings_any_change(const struct rh_difference *findings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (findings[i].since)
            return true;
    return false;
}

bool
rh_event_is_quiet(const struct rh_event *event)
{
    return event->outcome->status == RH_EXCLUDED
           || (event->outcome->status == RH_UNCHANGED && !event->outcome->guarded
               && !rh_findings_any_change(event->findings, event->n_findings));
}
