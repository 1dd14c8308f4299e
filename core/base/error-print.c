/* SPDX-License-Identifier: Apache-2.0 */
/* error-print - an error as text and as JSON. */
#include "config.h"

#include "base/error.h"

#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

/* A message of several lines, with its code behind the first. Those after the first are ours when they begin
 * with a blank: any other is part of a word from outside, and must not look like a message of its own. */
static void
add_lines(struct rh_buf *b, const char *text, unsigned code, bool colour)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        rh_buf_add_safe(b, text, (size_t)(end - text), true);
        if (end[1] == ' ') {
            rh_message_add_code(b, code, colour);
            code = 0;
        }
        rh_buf_add(b, end[1] == ' ' ? "\n" : "\\n");
    }
    rh_buf_add_safe(b, text, strlen(text), true);
    rh_message_add_code(b, code, colour);
}

/* A hint may be what a plugin says of an attribute: each line below the first one. */
static void
add_hint(struct rh_buf *b, const char *text)
{
    rh_buf_add(b, "       = ");
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        rh_buf_add_safe(b, text, (size_t)(end - text), true);
        rh_buf_add(b, "\n         ");
    }
    rh_buf_add_safe(b, text, strlen(text), true);
    rh_buf_add(b, "\n");
}

static void
add_related(struct rh_buf *b, const struct rh_error *err, const struct rh_sources *sources, bool hidden,
            bool colour)
{
    for (size_t i = 0; i < err->n_related; i++) {
        const struct rh_related *one = &err->related[i];
        rh_autofree char *where = rh_place_text(sources, one->place, true);

        rh_buf_addf(b, "%s: ", where);
        rh_buf_add_safe(b, one->what, strlen(one->what), false);
        rh_buf_add(b, "\n");
        if (!hidden)
            rh_sources_add_quote(sources, one->place, b, colour);
    }
}

static bool
is_hidden(const struct rh_error *err, const struct rh_sources *sources)
{
    bool hidden = rh_sources_hidden(sources, err->place);

    for (size_t i = 0; i < err->n_related; i++)
        hidden |= rh_sources_hidden(sources, err->related[i].place);
    return hidden;
}

void
rh_error_print(const struct rh_error *err, const struct rh_sources *sources, bool warning, FILE *to,
               bool colour)
{
    rh_autobuf struct rh_buf b = { 0 };
    bool hidden = sources && is_hidden(err, sources);

    rh_buf_add(&b, colour ? "\033[1m" : "");
    if (sources && err->place.file) {
        rh_autofree char *where = rh_place_text(sources, err->place, true);

        rh_buf_addf(&b, "%s: ", where);
    }
    rh_buf_addf(&b, "%s%s:%s ",
                !colour   ? ""
                : warning ? "\033[33m"
                          : "\033[31m",
                warning ? "warning" : "error", colour ? "\033[0m" : "");
    add_lines(&b, err->message ? err->message : "no reason given", rh_error_code(err), colour);
    rh_buf_add(&b, "\n");
    if (sources && !hidden)
        rh_sources_add_quote(sources, err->place, &b, colour);
    if (err->hint)
        add_hint(&b, err->hint);
    if (sources)
        add_related(&b, err, sources, hidden, colour);
    (void)fwrite(rh_buf_text(&b), 1, b.n, to);
}

struct rh_value *
rh_error_to_value(const struct rh_error *err, const struct rh_sources *sources, struct rh_arena *a)
{
    const char *file = sources ? rh_sources_name(sources, err->place.file) : NULL;
    struct rh_value *v = rh_value_new(a, RH_HASH);
    unsigned code = rh_error_code(err);
    char name[RH_CODE_NAME];

    rh_value_put(v, "message", rh_value_string(a, err->message ? err->message : "no reason given"));
    if (code)
        rh_value_put(v, "code", rh_value_string(a, rh_message_code_name(code, name)));
    if (err->hint)
        rh_value_put(v, "hint", rh_value_string(a, err->hint));
    if (file) {
        struct rh_value *place = rh_value_new(a, RH_HASH);

        rh_value_put(place, "file", rh_value_string(a, file));
        rh_value_put(place, "line", rh_value_integer(a, err->place.line));
        if (err->place.column)
            rh_value_put(place, "column", rh_value_integer(a, err->place.column));
        rh_value_put(v, "location", place);
    }
    return v;
}
