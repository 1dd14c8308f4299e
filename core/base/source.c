/* SPDX-License-Identifier: Apache-2.0 */
/* source - the files that places point into. */
#include "config.h"

#include "base/source.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/resembles-secret.h"
#include "base/secret-value.h"
#include "base/secrets.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 160, SECRET_BEFORE = 4096 };

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

void
rh_sources_note_read(struct rh_sources *s, const char *name)
{
    for (size_t i = 0; i < s->n_read; i++)
        if (strcmp(s->read[i], name) == 0)
            return;
    s->read = rh_xgrow(s->read, &s->cap_read, s->n_read, sizeof *s->read);
    s->read[s->n_read++] = rh_xstrdup(name);
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
    spans->v[spans->n++] = (struct span){ .line = place.line, .last = last, .column = place.column };
}

void
rh_sources_span(struct rh_sources *s, struct rh_place place, unsigned last)
{
    struct rh_source *source = source_of(s, place.file);

    if (source)
        add_span(&source->spans, place, last);
}

void
rh_sources_suspect(struct rh_sources *s, unsigned file)
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

bool
rh_sources_hidden(const struct rh_sources *s, struct rh_place place)
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
    for (size_t i = 0; i < s->n_read; i++)
        free(s->read[i]);
    free(s->read);
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
    const char *raw_name = rh_sources_name(s, place.file);
    rh_autofree char *name = raw_name ? rh_safe_text(raw_name) : NULL;

    if (!name)
        return rh_xstrdup("");
    if (!place.line)
        return rh_take(&name);
    return column && place.column ? rh_printf("%s:%u:%u", name, place.line, place.column)
                                  : rh_printf("%s:%u", name, place.line);
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

void
rh_sources_add_quote(const struct rh_sources *s, struct rh_place place, struct rh_buf *to, bool colour)
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
    if (s->secrets && rh_secrets_has(s->secrets, line, len))
        return;
    if (rh_resembles_secret(line + before, until - before)
        || (source->doubtful
            && rh_place_resembles_secret(source->text, source->n, (size_t)(line - source->text))))
        return;
    rh_buf_add_safe(&shown, line + from, at - from, false);
    width = rh_utf8_count(rh_buf_text(&shown), shown.n);
    rh_buf_add_safe(&shown, line + at, until - at, false);
    rh_buf_addf(to, "%6u | %s%s\n", place.line, rh_buf_text(&shown), until < len ? "..." : "");
    rh_buf_addf(to, "       | %*s%s^%s\n", (int)width, "", colour ? "\033[1;32m" : "",
                colour ? "\033[0m" : "");
}

const struct rh_value *
rh_sources_value(const struct rh_sources *s, struct rh_arena *a, const struct rh_value *v)
{
    return s->secrets ? rh_secret_value_hide(s->secrets, a, v) : v;
}
