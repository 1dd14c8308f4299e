/* SPDX-License-Identifier: Apache-2.0 */
/* report-difference - what of a resource was not as desired, and what one is created with, as people read it.
 */
#include "config.h"

#include "run/report-parts.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { SHOWN = 60 };

/* A word that needs no quotes to be read. */
static bool
is_plain(const struct rh_value *v)
{
    if (!v->count || v->count > SHOWN)
        return false;
    for (uint32_t i = 0; i < v->count; i++) {
        unsigned char c = (unsigned char)v->u.string[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')
            && (!c || !strchr("/._:@%+=,-", c)))
            return false;
    }
    return true;
}

static void
show(struct rh_buf *b, const struct rh_value *v)
{
    if (rh_value_is(v, RH_STRING) && !rh_value_sensitive(v) && is_plain(v))
        rh_buf_addn(b, v->u.string, v->count);
    else
        rh_value_show(b, v, SHOWN);
}

void
rh_report_value(struct rh_buf *b, const struct rh_value *v)
{
    if (v)
        show(b, v);
    else
        rh_buf_add(b, "(none)");
}

/* Whether both are texts whose difference is best seen line by line. */
static bool
fits_diff(const struct rh_difference *d)
{
    if (!rh_value_is(d->to, RH_STRING) || (d->from && !rh_value_is(d->from, RH_STRING))
        || rh_value_sensitive(d->to) || rh_value_sensitive(d->from) || d->unknown)
        return false;
    return memchr(d->to->u.string, '\n', d->to->count)
           || (d->from && memchr(d->from->u.string, '\n', d->from->count));
}

static void
add_diff(struct rh_buf *b, const struct rh_report_text_options *o, const struct rh_difference *d)
{
    if (o->diff && fits_diff(d))
        rh_diff_unified(b, d->from ? d->from->u.string : "", d->from ? d->from->count : 0, d->to->u.string,
                        d->to->count, "    ", o->colour);
}

static void
add_difference(struct rh_buf *b, const struct rh_report_text_options *o, const struct rh_difference *d,
               int width)
{
    rh_buf_addf(b, "  %-*s  ", width, d->attribute);
    if (d->message) {
        rh_buf_add_message(b, d->message, strlen(d->message));
    } else if (rh_value_is(d->to, RH_UNKNOWN)) {
        rh_value_show(b, d->to, 0);
    } else {
        if (d->unknown)
            rh_buf_add(b, "(unknown)");
        else
            rh_report_value(b, d->from);
        rh_buf_addf(b, " %s ", rh_sign_arrow());
        rh_report_value(b, d->to);
    }
    rh_buf_addc(b, '\n');
    add_diff(b, o, d);
}

/* What an action of the provider's own reports as a difference is said in other words already. */
static bool
is_shown(const struct rh_event *event, const struct rh_difference *d)
{
    return event->notified && strcmp(d->attribute, event->action) == 0;
}

/* What the resource is created with, below "ensure  absent -> present". */
static void
add_created(struct rh_buf *b, const struct rh_report_text_options *o, const struct rh_event *event, int width)
{
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_entry e;

    for (size_t at = 0; rh_event_next_created(event, o->sources, a, &at, &e);) {
        const struct rh_difference d = { .attribute = e.key, .to = e.value };

        rh_buf_addf(b, "  %-*s  ", width, e.key);
        show(b, e.value);
        rh_buf_addc(b, '\n');
        add_diff(b, o, &d);
    }
    rh_arena_free(a);
}

static int
max(size_t a, size_t b)
{
    return (int)(a > b ? a : b);
}

void
rh_report_differences(struct rh_buf *b, const struct rh_report_text_options *o, bool noop,
                      const struct rh_event *event)
{
    const struct rh_outcome *outcome = event->outcome;
    bool created = (noop || o->verbose || o->diff) && rh_event_creates(event);
    struct rh_arena *a = created ? rh_arena_new(NULL) : NULL;
    struct rh_entry e;
    int width = 0;

    for (size_t i = 0; i < outcome->n_differences; i++)
        width = max((size_t)width, strlen(outcome->differences[i].attribute));
    for (size_t at = 0; created && rh_event_next_created(event, o->sources, a, &at, &e);)
        width = max((size_t)width, strlen(e.key));
    for (size_t i = 0; i < outcome->n_differences; i++)
        if (!is_shown(event, &outcome->differences[i]))
            add_difference(b, o, &outcome->differences[i], width);
    if (created)
        add_created(b, o, event, width);
    rh_arena_free(a);
}
