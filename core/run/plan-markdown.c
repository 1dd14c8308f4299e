/* SPDX-License-Identifier: Apache-2.0 */
/* plan-markdown - a plan as a page for a review, such as a comment of a pull request: a table, and below it
 * what changes in each resource. */
#include "config.h"

#include "run/plan.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/outcome.h"
#include "run/change.h"
#include "run/report.h"

#include <string.h>

enum { SHOWN = 80 };

/* Text that is no markup of Markdown, HTML or a table, whatever is in it: an entity is never syntax. */
static void
add_text(struct rh_buf *b, const char *s)
{
    rh_autobuf struct rh_buf safe = { 0 };

    rh_buf_add_safe(&safe, s, strlen(s), false);
    for (const char *c = rh_buf_text(&safe); *c; c++)
        if (*c > 0 && *c < 127 && strchr("&<>\"'`*_{}[]()#+!|~\\:@", *c))
            rh_buf_addf(b, "&#%d;", *c);
        else
            rh_buf_addc(b, *c);
}

static void
add_name(struct rh_buf *b, const struct rh_value *r)
{
    rh_buf_add(b, "<code>");
    add_text(b, rh_value_get_str(r, "type", "?"));
    rh_buf_add(b, "&#91;");
    add_text(b, rh_value_get_str(r, "title", "?"));
    rh_buf_add(b, "&#93;</code>");
}

static const char *
words_of(const struct rh_value *r)
{
    const char *status = rh_value_get_str(r, "status", "");
    const struct rh_value *purged = rh_value_get(r, "purged");

    if (strcmp(status, "would_change") == 0)
        return purged ? "would be purged" : "would change";
    if (strcmp(status, "would_refresh") == 0)
        return "would be refreshed";
    return strcmp(status, "unknown") == 0 ? "may change" : status;
}

static bool
is_shown(const struct rh_value *r)
{
    const char *status = rh_value_get_str(r, "status", "");

    return strcmp(status, "unchanged") != 0 && strcmp(status, "excluded") != 0;
}

static void
add_row(struct rh_buf *b, const struct rh_value *r)
{
    const struct rh_value *location = rh_value_get(r, "location"), *line = rh_value_get(location, "line");

    rh_buf_add(b, "| ");
    add_name(b, r);
    rh_buf_addf(b, " | ");
    add_text(b, words_of(r));
    if (rh_value_get(r, "irreversible"))
        rh_buf_add(b, ", irreversible");
    rh_buf_add(b, " | ");
    add_text(b, rh_value_get_str(location, "file", ""));
    if (rh_value_is(line, RH_INTEGER))
        rh_buf_addf(b, ":%lld", (long long)line->u.integer);
    rh_buf_add(b, " |\n");
}

/* A fence that no line of the text can end. */
static void
add_block(struct rh_buf *b, const char *language, const struct rh_buf *text)
{
    size_t longest = 2, run = 0;

    for (const char *c = rh_buf_text(text); *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k <= longest; k++)
            rh_buf_addc(b, '`');
        rh_buf_addf(b, "%s\n", i ? "" : language);
        if (!i)
            rh_buf_addn(b, rh_buf_text(text), text->n);
    }
}

static bool
has_lines(const struct rh_value *v)
{
    return rh_value_is(v, RH_STRING) && !rh_value_sensitive(v) && memchr(v->u.string, '\n', v->count);
}

static void
add_value(struct rh_buf *b, const struct rh_value *v)
{
    if (v)
        rh_value_show(b, v, SHOWN);
    else
        rh_buf_add(b, "(none)");
}

static void
add_change(struct rh_buf *b, const struct rh_difference *d)
{
    rh_buf_addf(b, "  %s: ", d->attribute);
    if (d->message) {
        rh_buf_add_message(b, d->message, strlen(d->message));
    } else if (has_lines(d->to) || has_lines(d->from)) {
        const char *from = rh_value_is(d->from, RH_STRING) ? d->from->u.string : "";
        const char *to = rh_value_is(d->to, RH_STRING) ? d->to->u.string : "";

        rh_buf_addc(b, '\n');
        rh_diff_unified(b, from, *from ? d->from->count : 0, to, *to ? d->to->count : 0, "", false);
        return;
    } else {
        add_value(b, d->from);
        rh_buf_addf(b, " %s ", rh_sign_arrow());
        add_value(b, d->to);
    }
    rh_buf_addc(b, '\n');
}

static void
add_details(struct rh_buf *b, const struct rh_value *r)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *created = rh_value_get(r, "created");
    const char *by = rh_value_get_str(r, "notified_by", NULL);
    const char *reason = rh_value_get_str(r, "reason", NULL);
    const struct rh_difference *v;
    size_t n = rh_changes_from_json(a, rh_value_get(r, "changes"), &v);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < n; i++)
        add_change(&text, &v[i]);
    for (size_t i = 0; i < rh_value_count(created); i++) {
        rh_autofree char *name = rh_safe_text(rh_value_entry(created, i)->key);
        const struct rh_difference d = { .attribute = name,
                                         .to = rh_change_value(a, created, rh_value_entry(created, i)->key) };

        add_change(&text, &d);
    }
    rh_buf_add(b, "<details><summary>");
    add_name(b, r);
    rh_buf_addc(b, ' ');
    add_text(b, words_of(r));
    rh_buf_add(b, "</summary>\n\n");
    if (by) {
        rh_buf_add(b, "notified by ");
        add_text(b, by);
        rh_buf_add(b, "\n\n");
    }
    if (reason) {
        add_text(b, reason);
        rh_buf_add(b, "\n\n");
    }
    if (rh_value_get(r, "irreversible")) {
        rh_buf_add(b, "cannot be undone: ");
        add_text(b, rh_value_get_str(r, "irreversible", ""));
        rh_buf_add(b, "\n\n");
    }
    if (text.n)
        add_block(b, "diff", &text);
    rh_buf_add(b, "\n</details>\n\n");
}

void
rh_plan_markdown(const struct rh_plan *plan, struct rh_buf *b)
{
    const struct rh_value *resources = rh_value_get(plan->v, "resources");
    size_t n = 0;

    rh_buf_add(b, "# Plan for ");
    add_text(b, rh_value_get_str(rh_value_get(plan->v, "machine"), "name", "?"));
    rh_buf_add(b, "\n\n");
    rh_plan_add_counts(plan, b);
    rh_buf_add(b, ". Made ");
    add_text(b, rh_value_get_str(plan->v, "created", "?"));
    rh_buf_add(b, " by rhost ");
    add_text(b, rh_value_get_str(plan->v, "rhost", "?"));
    rh_buf_add(b, ", digest <code>");
    rh_buf_addf(b, "%.16s</code>.\n", rh_plan_digest_of(plan));
    for (size_t i = 0; i < rh_value_count(resources); i++) {
        const struct rh_value *r = rh_value_at(resources, i);

        if (!is_shown(r))
            continue;
        if (!n++)
            rh_buf_add(b, "\n| resource | change | declared at |\n|---|---|---|\n");
        add_row(b, r);
    }
    rh_buf_addc(b, '\n');
    for (size_t i = 0; i < rh_value_count(resources); i++)
        if (is_shown(rh_value_at(resources, i)))
            add_details(b, rh_value_at(resources, i));
}
