/* SPDX-License-Identifier: Apache-2.0 */
/* source - the files that places point into, and complaints about them. */
#include "config.h"

#include "base/source.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/looks-secret.h"
#include "base/text.h"
#include "base/value.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 100, MOST_PLACES = 8, WIDEST = 160, SECRET_BEFORE = 4096 };

struct span {
    uint32_t line, last;
    uint16_t column;
};

struct spans {
    struct span *v;
    size_t n, cap;
};

struct rh_source {
    char *name, *text;
    size_t n;
    struct spans spans;  /* what takes more than one line */
    struct spans hidden; /* columns mean nothing here */
    bool doubtful;
};

/* A further place, and what is there. */
struct also {
    struct rh_place place;
    char *what;
};

struct rh_complaint {
    struct rh_place place;
    char *message, *hint;
    struct also *also;
    size_t n_also, cap_also;
    size_t order;
    size_t more;          /* that are like it, and were not kept */
    bool elements;        /* they are about other elements of a list */
};

unsigned
rh_sources_take(struct rh_sources *s, const char *name, char *text, size_t n)
{
    if (s->n >= UINT16_MAX) {
        free(text);
        return 0;
    }
    s->v = rh_xgrow(s->v, &s->cap, s->n, sizeof *s->v);
    s->v[s->n++] = (struct rh_source){ .name = rh_xstrdup(name), .text = text, .n = n };
    return (unsigned)s->n;
}

unsigned
rh_sources_add(struct rh_sources *s, const char *name, const char *text, size_t n)
{
    return rh_sources_take(s, name, n ? rh_xstrndup(text, n) : NULL, n);
}

static struct rh_source *
source_of(const struct rh_sources *s, unsigned file)
{
    return s && file && file <= s->n ? &s->v[file - 1] : NULL;
}

const char *
rh_sources_name(const struct rh_sources *s, unsigned file)
{
    const struct rh_source *source = source_of(s, file);

    return source ? source->name : NULL;
}

const char *
rh_sources_text(const struct rh_sources *s, unsigned file, size_t *n)
{
    const struct rh_source *source = source_of(s, file);

    *n = source && source->text ? source->n : 0;
    return source ? source->text : NULL;
}

static void
add_span(struct spans *spans, struct rh_place place, unsigned last)
{
    spans->v = rh_xgrow(spans->v, &spans->cap, spans->n, sizeof *spans->v);
    spans->v[spans->n++] =
        (struct span){ .line = place.line, .last = last, .column = place.column };
}

void
rh_sources_span(struct rh_sources *s, struct rh_place place, unsigned last)
{
    struct rh_source *source = source_of(s, place.file);

    if (source)
        add_span(&source->spans, place, last);
}

void
rh_sources_doubt(struct rh_sources *s, unsigned file)
{
    struct rh_source *source = source_of(s, file);

    if (source)
        source->doubtful = true;
}

static unsigned
last_line(const struct rh_source *source, struct rh_place place)
{
    size_t from = 0, to = source->spans.n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct span *one = &source->spans.v[middle];

        if (one->line < place.line || (one->line == place.line && one->column < place.column))
            from = middle + 1;
        else
            to = middle;
    }
    if (from < source->spans.n && source->spans.v[from].line == place.line
        && source->spans.v[from].column == place.column)
        return source->spans.v[from].last;
    return place.line;
}

void
rh_sources_hide(struct rh_sources *s, struct rh_place place)
{
    struct rh_source *source = source_of(s, place.file);

    if (source)
        add_span(&source->hidden, place, last_line(source, place));
}

static bool
is_hidden(const struct rh_sources *s, struct rh_place place)
{
    const struct rh_source *source = source_of(s, place.file);

    for (size_t i = 0; source && i < source->hidden.n; i++)
        if (source->hidden.v[i].line <= place.line && place.line <= source->hidden.v[i].last)
            return true;
    return false;
}

void
rh_sources_clear(struct rh_sources *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].hidden.n && s->v[i].text)
            explicit_bzero(s->v[i].text, s->v[i].n);
        free(s->v[i].spans.v);
        free(s->v[i].hidden.v);
        free(s->v[i].name);
        free(s->v[i].text);
    }
    free(s->v);
    *s = (struct rh_sources){ 0 };
}

char *
rh_place_text(const struct rh_sources *s, struct rh_place place, bool column)
{
    const char *name = rh_sources_name(s, place.file);

    if (!name)
        return rh_xstrdup("");
    if (!place.line)
        return rh_xstrdup(name);
    return column && place.column ? rh_printf("%s:%u:%u", name, place.line, place.column)
                  : rh_printf("%s:%u", name, place.line);
}

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

void
rh_complain(struct rh_complaints *c, struct rh_place place, const char *hint, const char *fmt, ...)
{
    va_list ap;

    if (c->n >= KEPT) {
        c->dropped++;
        return;
    }
    c->v = rh_xgrow(c->v, &c->cap, c->n, sizeof *c->v);
    va_start(ap, fmt);
    c->v[c->n] = (struct rh_complaint){
        .place = place,
        .message = rh_vprintf(fmt, ap),
        .hint = hint ? rh_xstrdup(hint) : NULL,
        .order = c->n,
    };
    va_end(ap);
    c->n++;
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
        if (!same_place(a->also[i].place, b->also[i].place)
            || strcmp(a->also[i].what, b->also[i].what) != 0)
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

static bool
find_line(const struct rh_source *source, unsigned line, const char **start, size_t *len)
{
    const char *at = source->text, *end = at + source->n;

    for (unsigned i = 1; i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return false;
        at++;
    }
    *start = at;
    *len = strcspn(at, "\r\n");
    return at < end || *len;
}

/* The byte of a line that a column, counted from 1, is at. */
static size_t
byte_of(const char *line, size_t len, unsigned column)
{
    size_t at = 0;

    for (unsigned i = 1; i < column && at < len; i++) {
        size_t step = rh_utf8_length(line + at, len - at);

        at += step ? step : 1;
    }
    return at;
}

const char *
rh_sources_at(const struct rh_sources *s, struct rh_place place, size_t *n)
{
    const struct rh_source *source = source_of(s, place.file);
    const char *line;
    size_t len;

    if (!source || !source->text || !place.line || !find_line(source, place.line, &line, &len))
        return NULL;
    line += byte_of(line, len, place.column);
    *n = source->n - (size_t)(line - source->text);
    return line;
}

/* The start of the character that byte `at` belongs to; what is not UTF-8 may be cut anywhere. */
static size_t
whole(const char *line, size_t len, size_t at)
{
    for (size_t back = 0; back < 4 && back <= at && at < len; back++)
        if (((unsigned char)line[at - back] & 0xc0) != 0x80)
            return at - back;
    return at;
}

/* The line with a caret under the column, as compilers do. Of a long line, what is around it. */
static void
quote(const struct rh_sources *s, struct rh_place place, FILE *to, bool colour)
{
    const struct rh_source *source = source_of(s, place.file);
    rh_autobuf struct rh_buf shown = { 0 };
    const char *line;
    size_t len, at = 0, from = 0, until, before, width;

    if (!source || !source->text || !place.line || !find_line(source, place.line, &line, &len))
        return;
    at = byte_of(line, len, place.column);
    if (!place.column) /* only the line is known */
        at = strspn(line, " \t") < len ? strspn(line, " \t") : 0;
    if (at > WIDEST / 2) {
        from = whole(line, len, at - WIDEST / 2);
        rh_buf_add(&shown, "...");
    }
    until = len - at > WIDEST / 2 ? whole(line, len, at + WIDEST / 2) : len;
    before = until > SECRET_BEFORE ? until - SECRET_BEFORE : 0;
    if (rh_looks_secret(line + before, until - before)
        || (source->doubtful
            && rh_place_looks_secret(source->text, source->n, (size_t)(line - source->text))))
        return;
    rh_buf_add_safe(&shown, line + from, at - from, false);
    width = rh_utf8_count(rh_buf_text(&shown), shown.n);
    rh_buf_add_safe(&shown, line + at, until - at, false);
    (void)fprintf(to, "%6u | %s%s\n", place.line, rh_buf_text(&shown), until < len ? "..." : "");
    (void)fprintf(to, "       | %*s%s^%s\n", (int)width, "", colour ? "\033[1;32m" : "",
                  colour ? "\033[0m" : "");
}

static void
print_one(const struct rh_complaints *c, const struct rh_complaint *one, FILE *to, bool colour)
{
    rh_autofree char *where = rh_place_text(c->sources, one->place, true);
    rh_autobuf struct rh_buf message = { 0 };
    bool hidden = is_hidden(c->sources, one->place);

    for (size_t i = 0; i < one->n_also; i++)
        hidden |= is_hidden(c->sources, one->also[i].place);
    rh_buf_add_safe(&message, one->message, strlen(one->message), true);
    (void)fprintf(to, "%s%s%s%s%s:%s %s\n", colour ? "\033[1m" : "", where, *where ? ": " : "",
                  !colour ? "" : c->warn ? "\033[33m" : "\033[31m", c->warn ? "warning" : "error",
                  colour ? "\033[0m" : "", rh_buf_text(&message));
    if (!hidden)
        quote(c->sources, one->place, to, colour);
    if (one->hint) {
        rh_autobuf struct rh_buf hint = { 0 };

        rh_buf_add_safe(&hint, one->hint, strlen(one->hint), true);
        (void)fprintf(to, "       = %s\n", rh_buf_text(&hint));
    }
    for (size_t i = 0; i < one->n_also; i++) {
        rh_autofree char *also = rh_place_text(c->sources, one->also[i].place, true);
        rh_autobuf struct rh_buf what = { 0 };

        rh_buf_add_safe(&what, one->also[i].what, strlen(one->also[i].what), false);
        (void)fprintf(to, "%s: %s\n", also, rh_buf_text(&what));
        if (!hidden)
            quote(c->sources, one->also[i].place, to, colour);
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

    if (c->n)
        qsort(c->v, c->n, sizeof *c->v, by_place);
    for (size_t i = 0; i < c->n; i++) {
        const struct rh_complaint *one = &c->v[i];
        const char *name = rh_sources_name(c->sources, one->place.file);
        struct rh_value *v = rh_value_new(a, RH_HASH);

        rh_value_put(v, "message", rh_value_string(a, one->message));
        if (one->hint)
            rh_value_put(v, "hint", rh_value_string(a, one->hint));
        if (name) {
            struct rh_value *place = rh_value_new(a, RH_HASH);

            rh_value_put(place, "file", rh_value_string(a, name));
            rh_value_put(place, "line", rh_value_integer(a, one->place.line));
            if (one->place.column)
                rh_value_put(place, "column", rh_value_integer(a, one->place.column));
            rh_value_put(v, "place", place);
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
