/* SPDX-License-Identifier: Apache-2.0 */
/* complaint - what is wrong with what was read, all at once, each with its line and a caret. */
#include "config.h"

#include "base/complaint.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 100, MOST_PLACES = 8 };

/* A further place, and what is there. */
struct also {
    struct rh_place place;
    char *what;
};

struct rh_complaint {
    struct rh_place place;
    char *message, *hint;
    unsigned code; /* or 0 */
    struct also *also;
    size_t n_also, cap_also;
    size_t order;
    size_t more;   /* that are like it, and were not kept */
    bool elements; /* they are about other elements of a list */
};

size_t
rh_complaints_count(const struct rh_complaints *c)
{
    return c->n + c->dropped;
}

bool
rh_complaints_full(const struct rh_complaints *c)
{
    return c->n >= KEPT;
}

static void __attribute__((format(printf, 5, 0)))
complain(struct rh_complaints *c, struct rh_place place, const char *hint, unsigned code, const char *fmt,
         va_list ap)
{
    char *message;

    if (c->n >= KEPT) {
        c->dropped++;
        return;
    }
    message = rh_vprintf(fmt, ap);
    c->v = rh_xgrow(c->v, &c->cap, c->n, sizeof *c->v);
    c->v[c->n] = (struct rh_complaint){
        .place = place,
        .message = message,
        .hint = hint ? rh_xstrdup(hint) : NULL,
        .code = rh_message_code_of(code, fmt, message),
        .order = c->n,
    };
    c->n++;
}

void
rh_complain(struct rh_complaints *c, struct rh_place place, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    complain(c, place, hint, 0, fmt, ap);
    va_end(ap);
}

void
rh_complain_code(struct rh_complaints *c, struct rh_place place, const char *hint, unsigned code,
                 const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    complain(c, place, hint, code, fmt, ap);
    va_end(ap);
}

void
rh_complain_error(struct rh_complaints *c, struct rh_place place, const char *hint,
                  const struct rh_error *err)
{
    rh_complain_code(c, place, hint, rh_error_code(err), "%s",
                     err->message ? err->message : "no reason given");
}

static bool
same_place(struct rh_place a, struct rh_place b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

void
rh_complain_also(struct rh_complaints *c, struct rh_place place, const char *what)
{
    if (!c->dropped && c->n)
        rh_complain_around(c, c->n - 1, place, what);
}

void
rh_complain_around(struct rh_complaints *c, size_t before, struct rh_place place, const char *what)
{
    for (size_t i = before; i < c->n; i++) {
        struct rh_complaint *one = &c->v[i];

        if (one->n_also == MOST_PLACES)
            continue;
        if (one->n_also && same_place(one->also[one->n_also - 1].place, place)
            && strcmp(one->also[one->n_also - 1].what, what) == 0)
            continue; /* what uses itself */
        one->also = rh_xgrow(one->also, &one->cap_also, one->n_also, sizeof *one->also);
        one->also[one->n_also++] = (struct also){ .place = place, .what = rh_xstrdup(what) };
    }
}

/* Messages are alike when they differ in the title of the resource only: "file[/a].mode ...". */
static bool
same_message(const char *a, const char *b)
{
    size_t n = 0;
    const char *x, *y;

    while (a[n] && a[n] == b[n] && a[n] != '[')
        n++;
    if (a[n] != b[n] || !a[n])
        return a[n] == b[n];
    x = strchr(a + n, ']');
    y = strchr(b + n, ']');
    return x && y && n && a[n - 1] != ' ' ? strcmp(x, y) == 0 : strcmp(a, b) == 0;
}

/* `b` may know less of what is around it. */
static bool
alike(const struct rh_complaint *a, const struct rh_complaint *b)
{
    if (!a->place.line || !same_place(a->place, b->place) || !same_message(a->message, b->message)
        || a->n_also < b->n_also)
        return false;
    for (size_t i = 0; i < b->n_also; i++)
        if (!same_place(a->also[i].place, b->also[i].place) || strcmp(a->also[i].what, b->also[i].what) != 0)
            return false;
    return true;
}

static void
complaint_clear(struct rh_complaint *one)
{
    free(one->message);
    free(one->hint);
    for (size_t k = 0; k < one->n_also; k++)
        free(one->also[k].what);
    free(one->also);
}

/* Takes those from `from` on away of which there is one like them at `first` or behind it, but before
 * `from`, or before them where `from` is `first`. */
static void
fold(struct rh_complaints *c, size_t first, size_t from, bool elements)
{
    size_t kept = from;

    for (size_t i = from; i < c->n; i++) {
        size_t until = from == first ? kept : from, k = first;

        while (k < until && !alike(&c->v[k], &c->v[i]))
            k++;
        if (k == until) {
            c->v[kept++] = c->v[i];
            continue;
        }
        c->v[k].more += 1 + c->v[i].more;
        c->v[k].elements = elements;
        complaint_clear(&c->v[i]);
    }
    if (c->n > kept)
        c->n = kept;
}

void
rh_complain_element(struct rh_complaints *c, size_t first, size_t before, struct rh_place place,
                    const char *what)
{
    if (first < before)
        fold(c, first, before, true);
    rh_complain_around(c, before, place, what);
}

void
rh_complaints_fold(struct rh_complaints *c, size_t first)
{
    fold(c, first, first, false);
}

static int
by_place(const void *a, const void *b)
{
    const struct rh_complaint *x = a, *y = b;

    if (x->place.file != y->place.file)
        return x->place.file < y->place.file ? -1 : 1;
    if (x->place.line != y->place.line)
        return x->place.line < y->place.line ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

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
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        rh_buf_add_safe(b, text, (size_t)(end - text), true);
        rh_buf_add(b, "\n         ");
    }
    rh_buf_add_safe(b, text, strlen(text), true);
}

static void
print_one(const struct rh_complaints *c, const struct rh_complaint *one, FILE *to, bool colour)
{
    rh_autofree char *where = rh_place_text(c->sources, one->place, true);
    rh_autobuf struct rh_buf message = { 0 };
    bool hidden = rh_sources_hidden(c->sources, one->place);

    for (size_t i = 0; i < one->n_also; i++)
        hidden |= rh_sources_hidden(c->sources, one->also[i].place);
    add_lines(&message, one->message, one->code, colour);
    (void)fprintf(to, "%s%s%s%s%s:%s %s\n", colour ? "\033[1m" : "", where, *where ? ": " : "",
                  !colour   ? ""
                  : c->warn ? "\033[33m"
                            : "\033[31m",
                  c->warn ? "warning" : "error", colour ? "\033[0m" : "", rh_buf_text(&message));
    if (!hidden)
        rh_sources_quote(c->sources, one->place, to, colour);
    if (one->hint) {
        rh_autobuf struct rh_buf hint = { 0 };

        add_hint(&hint, one->hint);
        (void)fprintf(to, "       = %s\n", rh_buf_text(&hint));
    }
    for (size_t i = 0; i < one->n_also; i++) {
        rh_autofree char *also = rh_place_text(c->sources, one->also[i].place, true);
        rh_autobuf struct rh_buf what = { 0 };

        rh_buf_add_safe(&what, one->also[i].what, strlen(one->also[i].what), false);
        (void)fprintf(to, "%s: %s\n", also, rh_buf_text(&what));
        if (!hidden)
            rh_sources_quote(c->sources, one->also[i].place, to, colour);
    }
    if (one->more && one->elements)
        (void)fprintf(to, "and for %zu more element%s\n", one->more, one->more == 1 ? "" : "s");
    else if (one->more)
        (void)fprintf(to, "and %zu more time%s\n", one->more, one->more == 1 ? "" : "s");
}

void
rh_complaints_print(struct rh_complaints *c, FILE *to, bool colour)
{
    if (c->n)
        qsort(c->v, c->n, sizeof *c->v, by_place);
    for (size_t i = 0; i < c->n; i++)
        print_one(c, &c->v[i], to, colour);
    if (c->dropped)
        (void)fprintf(to, "and %zu more\n", c->dropped);
}

void
rh_complaints_to_value(struct rh_complaints *c, struct rh_value *array)
{
    struct rh_arena *a = rh_value_arena(array);
    char code[RH_CODE_NAME];

    if (c->n)
        qsort(c->v, c->n, sizeof *c->v, by_place);
    for (size_t i = 0; i < c->n; i++) {
        const struct rh_complaint *one = &c->v[i];
        const char *name = rh_sources_name(c->sources, one->place.file);
        struct rh_value *v = rh_value_new(a, RH_HASH);

        rh_value_put(v, "message", rh_value_string(a, one->message));
        if (one->code)
            rh_value_put(v, "code", rh_value_string(a, rh_message_code_name(one->code, code)));
        if (one->hint)
            rh_value_put(v, "hint", rh_value_string(a, one->hint));
        if (name) {
            struct rh_value *place = rh_value_new(a, RH_HASH);

            rh_value_put(place, "file", rh_value_string(a, name));
            rh_value_put(place, "line", rh_value_integer(a, one->place.line));
            if (one->place.column)
                rh_value_put(place, "column", rh_value_integer(a, one->place.column));
            rh_value_put(v, "location", place);
        }
        if (one->more)
            rh_value_put(v, "more", rh_value_integer(a, (int64_t)one->more));
        rh_value_append(array, v);
    }
}

void
rh_complaints_clear(struct rh_complaints *c)
{
    for (size_t i = 0; i < c->n; i++)
        complaint_clear(&c->v[i]);
    free(c->v);
    *c = (struct rh_complaints){ .sources = c->sources, .warn = c->warn };
}
