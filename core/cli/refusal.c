/* SPDX-License-Identifier: Apache-2.0 */
/* refusal - what is wrong, in the form that was asked for. */
#include "config.h"

#include "cli/refusal.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/sarif.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The process has one standard output, and so one of these. */
static struct {
    bool json;     /* errors are values, to be printed at the end */
    bool sarif;    /* so are warnings, and it is a log of SARIF that is printed */
    bool answered; /* the command has come to its end */
    bool kept;     /* errors are printed, and values as well */
    struct rh_arena *arena;
    struct rh_value *errors;
} state;

/* Whether --format=NAME is among the words. */
static bool
asks_for(int argc, char *const *argv, const char *name)
{
    rh_autofree char *word = rh_printf("--format=%s", name);
    bool asks = false;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        asks |= strcmp(argv[i], word) == 0
                || (strcmp(argv[i], "--format") == 0 && i + 1 < argc && strcmp(argv[i + 1], name) == 0);
    return asks;
}

static bool
is_validate(int argc, char *const *argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "validate") == 0)
            return true;
    return false;
}

void
rh_refusal_start(int argc, char *const *argv)
{
    state.sarif = asks_for(argc, argv, "sarif") && is_validate(argc, argv);
    state.json = state.sarif || asks_for(argc, argv, "json");
    if (!state.json)
        return;
    state.arena = rh_arena_new(NULL);
    state.errors = rh_value_new(state.arena, RH_ARRAY);
}

/* With nothing that is redacted: an error of the command line, or of the system. */
static void
refuse(const struct rh_error *err)
{
    if (state.errors)
        rh_value_append(state.errors, rh_error_to_value(err, NULL, state.arena));
    if (!state.json)
        rh_error_print(err, NULL, false, stderr, false);
}

void
rh_refusals_keep(void)
{
    if (state.errors)
        return;
    state.kept = true;
    state.arena = rh_arena_new(NULL);
    state.errors = rh_value_new(state.arena, RH_ARRAY);
}

void
rh_refuse_error(const char *hint, const struct rh_error *err)
{
    struct rh_error with = *err;
    rh_autofree char *own = NULL;

    if (!with.hint && hint)
        with.hint = own = rh_xstrdup(hint);
    refuse(&with);
}

void
rh_refuse(const char *fmt, ...)
{
    rh_autoerror struct rh_error err = { .format = fmt };
    va_list ap;

    va_start(ap, fmt);
    err.message = rh_vprintf(fmt, ap);
    va_end(ap);
    refuse(&err);
}

void
rh_refuse_hint(const char *hint, const char *fmt, ...)
{
    rh_autoerror struct rh_error err = { .format = fmt, .hint = hint ? rh_xstrdup(hint) : NULL };
    va_list ap;

    va_start(ap, fmt);
    err.message = rh_vprintf(fmt, ap);
    va_end(ap);
    refuse(&err);
}

void
rh_refuse_unknown(const char *best, const char *otherwise, const char *fmt, ...)
{
    rh_autoerror struct rh_error err = { .format = fmt };
    va_list ap;

    va_start(ap, fmt);
    err.message = rh_vprintf(fmt, ap);
    va_end(ap);
    (void)rh_error_suggest(&err, best, otherwise);
    refuse(&err);
}

void
rh_refuse_usage(const char *command, const char *hint, unsigned code, const char *text)
{
    rh_autofree char *more = rh_printf("See 'rhost%s%s --help'.", command ? " " : "", command ? command : "");
    rh_autobuf struct rh_buf line = { 0 };

    if (state.errors) {
        rh_autoerror struct rh_error err = { .message = rh_xstrdup(text),
                                             .hint = rh_xstrdup(hint ? hint : more),
                                             .code = code };

        rh_value_append(state.errors, rh_error_to_value(&err, NULL, state.arena));
    }
    if (state.json)
        return;
    rh_buf_addf(&line, "rhost%s%s: ", command ? " " : "", command ? command : "");
    rh_buf_add_safe(&line, text, strlen(text), false);
    rh_message_add_code(&line, code, false);
    if (hint)
        rh_buf_addf(&line, "\n       = %s", hint);
    (void)fprintf(stderr, "%s\n%s\n", rh_buf_text(&line), more);
}

void
rh_refuse_complaints(struct rh_complaints *c, bool colour, const char *outcome)
{
    size_t n = rh_complaints_count(c);

    if (state.errors) {
        rh_complaints_to_value(c, state.errors);
        if (c->dropped) {
            rh_autoerror struct rh_error more = { .message = rh_printf("and %zu more", c->dropped) };

            rh_value_append(state.errors, rh_error_to_value(&more, NULL, state.arena));
        }
    }
    if (state.json)
        return;
    rh_complaints_print(c, stderr, colour);
    (void)fprintf(stderr, "%zu error%s; %s\n", n, n == 1 ? "" : "s", outcome);
}

bool
rh_refusal_takes_warnings(struct rh_complaints *c)
{
    struct rh_value *warnings;

    if (!state.sarif)
        return false;
    warnings = rh_value_new(state.arena, RH_ARRAY);
    rh_complaints_to_value(c, warnings);
    for (size_t i = 0; i < rh_value_count(warnings); i++) {
        struct rh_value *v = rh_value_copy(state.arena, rh_value_at(warnings, i));

        rh_value_put(v, "level", rh_value_string(state.arena, "warning"));
        rh_value_append(state.errors, v);
    }
    return true;
}

bool
rh_refusals_are_answer(void)
{
    state.answered = state.sarif;
    return state.sarif;
}

void
rh_refusals_take(struct rh_value *list)
{
    for (size_t i = 0; i < rh_value_count(state.errors); i++)
        rh_value_append(list, rh_value_copy(rh_value_arena(list), rh_value_at(state.errors, i)));
    if (state.errors)
        state.errors = rh_value_new(state.arena, RH_ARRAY);
}

void
rh_refusals_end(void)
{
    rh_autobuf struct rh_buf text = { 0 };
    char name[RH_CODE_NAME];

    if (rh_message_code_shown() && isatty(STDERR_FILENO))
        (void)fprintf(stderr, "Run 'rhost explain %s' for details.\n",
                      rh_message_code_name(rh_message_code_shown(), name));
    if (state.sarif && (state.answered || rh_value_count(state.errors))) {
        rh_sarif_add(&text, state.errors);
        (void)fputs(rh_buf_text(&text), stdout);
    } else if (!state.kept && rh_value_count(state.errors)) {
        struct rh_value *root = rh_value_new(state.arena, RH_HASH);

        rh_value_put(root, "errors", state.errors);
        rh_value_to_json_pretty(&text, root, false);
        (void)puts(rh_buf_text(&text));
    }
    rh_arena_free(state.arena);
    state.arena = NULL;
    state.errors = NULL;
}
