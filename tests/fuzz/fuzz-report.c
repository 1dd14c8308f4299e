/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-report - reports as machines send them. What is taken must be what a database takes: texts of UTF-8
 * without NUL and not too long, times and days that exist, numbers in their ranges. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "collect/record.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void
must_be_text(const char *text)
{
    if (!text)
        return;
    /* A NUL becomes three bytes. */
    must(strlen(text) <= 3 * (size_t)RH_RECORD_TEXT, "a text that is too long");
    must(rh_utf8_valid(text, strlen(text)), "a text that is not UTF-8");
}

static void
must_be_event(const struct rh_record_event *e)
{
    const char *const texts[] = { e->kind,  e->status, e->type,    e->title,   e->action, e->provider,
                                  e->cause, e->code,   e->message, e->changes, e->file };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        must_be_text(texts[i]);
    must(e->line >= 0 && e->line <= INT32_MAX && e->seconds <= 1e9, "a number out of its range");
    if (e->changes) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

        must(rh_value_from_json(a, e->changes, strlen(e->changes), NULL), "changes that are not JSON");
        must(!strstr(e->changes, "\\u0000") || strstr(e->changes, "\\\\u0000"), "a NUL in changes");
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_record *r = rh_record_read(a, "web1", (const char *)data, size, &err);

    must(!r == !!err.message, "refused without a message, or taken with one");
    for (; r; r = r->next) {
        must(r->run && r->day && r->started && r->status && r->name && r->rhost, "a part is missing");
        must(strlen(r->day) == 10 && strlen(r->started) == 24 && (!r->ended || strlen(r->ended) == 24),
             "a time of another form");
        must(r->seq >= 0 && r->exit >= 0 && r->exit <= 255 && r->seconds <= 1e9, "a number out of its range");
        for (size_t i = 0; i < RH_COUNTS; i++)
            must(r->counts[i] >= 0 && r->counts[i] <= INT32_MAX, "a count out of its range");
        must_be_text(r->run);
        must_be_text(r->name);
        must_be_text(r->revision);
        must_be_text(r->undoes);
        must_be_text(r->interrupted);
        for (size_t i = 0; i < r->n_events; i++)
            must_be_event(&r->events[i]);
    }
    return 0;
}
