/* SPDX-License-Identifier: Apache-2.0 */
/* refusal - what is wrong, in the form that was asked for. */
#include "config.h"

#include "cli/refusal.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The process has one standard output, and so one of these. */
static struct {
    bool json;
    struct rh_arena *arena;
    struct rh_value *errors;
} told;

void
rh_refusal_start(int argc, char *const *argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--format=json") == 0
            || (strcmp(argv[i], "--format") == 0 && i + 1 < argc && strcmp(argv[i + 1], "json") == 0))
            told.json = true;
    if (!told.json)
        return;
    told.arena = rh_arena_new(NULL);
    told.errors = rh_value_new(told.arena, RH_ARRAY);
}

static void
add_error(const char *text, const char *hint)
{
    struct rh_value *v = rh_value_new(told.arena, RH_HASH);

    rh_value_put(v, "message", rh_value_string(told.arena, text));
    if (hint)
        rh_value_put(v, "hint", rh_value_string(told.arena, hint));
    rh_value_append(told.errors, v);
}

static void __attribute__((format(printf, 2, 0))) refuse(const char *hint, const char *fmt, va_list ap)
{
    rh_autofree char *text = rh_vprintf(fmt, ap);
    rh_autobuf struct rh_buf line = { 0 };

    if (told.json) {
        add_error(text, hint);
        return;
    }
    rh_buf_add(&line, "error: ");
    rh_buf_add_safe(&line, text, strlen(text), true);
    if (hint) {
        rh_buf_add(&line, "\n       = ");
        rh_buf_add_safe(&line, hint, strlen(hint), true);
    }
    (void)fprintf(stderr, "%s\n", rh_buf_text(&line));
}

void
rh_refuse(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    refuse(NULL, fmt, ap);
    va_end(ap);
}

void
rh_refuse_hint(const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    refuse(hint, fmt, ap);
    va_end(ap);
}

void
rh_refuse_usage(const char *command, const char *text)
{
    rh_autofree char *safe = rh_safe_text(text);
    rh_autofree char *more = rh_printf("See 'rhost%s%s --help'.", command ? " " : "", command ? command : "");

    if (told.json)
        add_error(text, more);
    else
        (void)fprintf(stderr, "rhost%s%s: %s\n%s\n", command ? " " : "", command ? command : "", safe, more);
}

void
rh_refuse_complaints(struct rh_complaints *c, bool colour, const char *outcome)
{
    size_t n = rh_complaints_count(c);

    if (told.json) {
        rh_complaints_to_value(c, told.errors);
        if (c->dropped) {
            rh_autofree char *more = rh_printf("and %zu more", c->dropped);

            add_error(more, NULL);
        }
        return;
    }
    rh_complaints_print(c, stderr, colour);
    (void)fprintf(stderr, "%zu error%s; %s\n", n, n == 1 ? "" : "s", outcome);
}

void
rh_refusals_take(struct rh_value *list)
{
    for (size_t i = 0; i < rh_value_count(told.errors); i++)
        rh_value_append(list, rh_value_copy(rh_value_arena(list), rh_value_at(told.errors, i)));
    if (told.errors)
        told.errors = rh_value_new(told.arena, RH_ARRAY);
}

void
rh_refusals_end(void)
{
    rh_autobuf struct rh_buf text = { 0 };

    if (rh_value_count(told.errors)) {
        struct rh_value *root = rh_value_new(told.arena, RH_HASH);

        rh_value_put(root, "errors", told.errors);
        rh_value_to_json_pretty(&text, root, false);
        (void)puts(rh_buf_text(&text));
    }
    rh_arena_free(told.arena);
    told.arena = NULL;
    told.errors = NULL;
}
