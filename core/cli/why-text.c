/* SPDX-License-Identifier: Apache-2.0 */
/* why-text - where what a resource says comes from, as text. */
#include "config.h"

#include "cli/why.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/explain.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_VALUE = 60, WIDEST = 40 };

static void
add_safe(struct rh_buf *b, const char *text)
{
    rh_buf_add_safe(b, text, strlen(text), false);
}

/* "site.yaml:14"; nothing where the place is not known. */
static void
add_place(struct rh_buf *b, const struct rh_value *of)
{
    const struct rh_value *place = rh_value_get(of, "place"), *line = rh_value_get(place, "line");

    if (!line)
        return;
    add_safe(b, rh_value_get_str(place, "file", ""));
    rh_buf_addf(b, ":%lld", (long long)line->u.integer);
}

/* Where it comes from, in words. */
static void
add_origin(struct rh_buf *b, const struct rh_value *v)
{
    static const struct {
        const char *from, *text;
    } words[] = {
        { "default", "default at " },
        { "edit", "edited at " },
        { "title", "the title" },
        { "type", "default of the type" },
    };
    const char *from = rh_value_get_str(v, "from", "");

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].from, from) == 0)
            rh_buf_add(b, words[i].text);
    add_place(b, v);
}

static void
add_indented(struct rh_buf *b, const char *text)
{
    for (const char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        rh_buf_addf(b, "      %.*s\n", (int)(end ? end - text : (ptrdiff_t)strlen(text)), text);
        if (!end)
            return;
    }
}

static void add_values(struct rh_buf *b, const struct rh_value *list);

/* The expression, and below it how the attributes came to be that it reads. */
static void
add_details(struct rh_buf *b, const struct rh_value *v)
{
    const struct rh_value *written = rh_value_get(v, "written"), *node = rh_value_get(v, "node");
    const struct rh_value *parameters = rh_value_get(v, "parameters");

    if (written) {
        rh_buf_add(b, "    = ");
        if (rh_value_is(written, RH_STRING) && !(written->marks & RH_SENSITIVE))
            rh_buf_add_safe(b, written->u.string, written->count, false);
        else
            rh_value_show(b, written, LONGEST_VALUE);
        rh_buf_addc(b, '\n');
    }
    for (size_t i = 0; i < rh_value_count(node); i++) {
        rh_autobuf struct rh_buf one = { 0 };

        rh_buf_add(&one, "node.");
        rh_explanation_show(&one, rh_value_at(node, i));
        add_indented(b, rh_buf_text(&one));
    }
    if (parameters) {
        rh_autobuf struct rh_buf all = { 0 };

        add_values(&all, parameters);
        add_indented(b, rh_buf_text(&all));
    }
}

/* How wide the longest of them is, up to a limit: longer ones stand out. */
static size_t
width_of(size_t n, char *const *texts)
{
    size_t widest = 0;

    for (size_t i = 0; i < n; i++) {
        size_t width = rh_utf8_count(texts[i], strlen(texts[i]));

        if (width > widest)
            widest = width;
    }
    return widest > WIDEST ? WIDEST : widest;
}

static void
add_padded(struct rh_buf *b, const char *text, size_t width)
{
    size_t n = rh_utf8_count(text, strlen(text));

    rh_buf_addf(b, "%s%*s", text, n < width ? (int)(width - n) : 0, "");
}

static void
add_values(struct rh_buf *b, const struct rh_value *list)
{
    size_t n = rh_value_count(list), names, values;
    rh_autofree char **left = rh_xalloc(rh_xmul(n, sizeof *left));
    rh_autofree char **middle = rh_xalloc(rh_xmul(n, sizeof *middle));

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *v = rh_value_at(list, i);
        struct rh_buf shown = { 0 };

        rh_value_show(&shown, rh_value_get(v, "value"), LONGEST_VALUE);
        left[i] = rh_safe_text(rh_value_get_str(v, "name", ""));
        middle[i] = rh_buf_take(&shown);
    }
    names = width_of(n, left);
    values = width_of(n, middle);
    for (size_t i = 0; i < n; i++) {
        rh_autobuf struct rh_buf origin = { 0 };

        add_origin(&origin, rh_value_at(list, i));
        rh_buf_add(b, "  ");
        add_padded(b, left[i], names);
        rh_buf_add(b, "  ");
        if (origin.n)
            add_padded(b, middle[i], values);
        else
            rh_buf_add(b, middle[i]);
        if (origin.n)
            rh_buf_addf(b, "  %s", rh_buf_text(&origin));
        rh_buf_addc(b, '\n');
        add_details(b, rh_value_at(list, i));
        free(left[i]);
        free(middle[i]);
    }
}

static void
add_relations(struct rh_buf *b, const struct rh_value *list, const char *word)
{
    for (size_t i = 0; i < rh_value_count(list); i++) {
        const struct rh_value *v = rh_value_at(list, i), *automatic = rh_value_get(v, "automatic");

        rh_buf_addf(b, "  %s ", word);
        add_safe(b, rh_value_get_str(v, "resource", ""));
        rh_buf_addf(b, "  %s ", rh_value_get_str(v, "kind", ""));
        if (automatic && automatic->u.integer)
            rh_buf_add(b, "of the type");
        else
            add_place(b, v);
        rh_buf_addc(b, '\n');
    }
}

static void
add_notifications(struct rh_buf *b, const struct rh_value *list, const char *word)
{
    for (size_t i = 0; i < rh_value_count(list); i++) {
        const struct rh_value *v = rh_value_at(list, i);

        rh_buf_addf(b, "  %s ", word);
        add_safe(b, rh_value_get_str(v, "resource", ""));
        rh_buf_addf(b, "  %s %s\n", rh_value_get_str(v, "action", ""), rh_value_get_str(v, "when", ""));
    }
}

static void
add_change(struct rh_buf *b, const struct rh_value *v)
{
    const struct rh_value *changes = rh_value_get(v, "changes");
    const char *reason = rh_value_get_str(v, "reason", NULL);

    rh_buf_add(b, "  ");
    add_safe(b, rh_value_get_str(v, "time", "?"));
    rh_buf_addf(b, "  %s", rh_value_get_str(v, "status", "?"));
    for (size_t i = 0; i < rh_value_count(changes); i++) {
        const struct rh_value *one = rh_value_at(changes, i);

        rh_buf_addf(b, "%s ", i ? "," : " ");
        add_safe(b, rh_value_get_str(one, "attribute", "?"));
        if (rh_value_get(one, "from") && rh_value_get(one, "to")) {
            rh_buf_addc(b, ' ');
            rh_value_show(b, rh_value_get(one, "from"), LONGEST_VALUE);
            rh_buf_add(b, " to ");
            rh_value_show(b, rh_value_get(one, "to"), LONGEST_VALUE);
        }
    }
    if (reason) {
        rh_buf_add(b, ": ");
        add_safe(b, reason);
    }
    rh_buf_add(b, "  run ");
    add_safe(b, rh_value_get_str(v, "run", "?"));
    rh_buf_addc(b, '\n');
}

static void
add_changes(struct rh_buf *b, const struct rh_value *changes)
{
    if (rh_value_count(changes))
        rh_buf_add(b, "\nlast changes:\n");
    for (size_t i = 0; i < rh_value_count(changes); i++)
        add_change(b, rh_value_at(changes, i));
}

void
rh_why_show(struct rh_buf *b, const struct rh_value *why)
{
    const struct rh_value *container = rh_value_get(why, "container");
    rh_autobuf struct rh_buf relations = { 0 };

    add_safe(b, rh_value_get_str(why, "resource", ""));
    rh_buf_add(b, "  ");
    add_place(b, why);
    rh_buf_addf(b, "\n  served by provider '%s'\n", rh_value_get_str(why, "provider", ""));
    if (container) {
        rh_buf_add(b, "  part of ");
        add_safe(b, rh_value_get_str(container, "resource", ""));
        rh_buf_add(b, "  ");
        add_place(b, container);
        rh_buf_addc(b, '\n');
    }
    rh_buf_add(b, "\nattributes:\n");
    add_values(b, rh_value_get(why, "attributes"));
    if (rh_value_count(rh_value_get(why, "keywords")))
        rh_buf_add(b, "\nkeywords:\n");
    add_values(b, rh_value_get(why, "keywords"));
    add_relations(&relations, rh_value_get(why, "after"), "after");
    add_relations(&relations, rh_value_get(why, "before"), "before");
    add_notifications(&relations, rh_value_get(why, "notified_by"), "notified by");
    add_notifications(&relations, rh_value_get(why, "notifies"), "notifies");
    if (relations.n)
        rh_buf_addf(b, "\nrelations:\n%s", rh_buf_text(&relations));
    add_changes(b, rh_value_get(why, "changes"));
}
