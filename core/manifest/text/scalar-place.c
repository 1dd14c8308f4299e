/* SPDX-License-Identifier: Apache-2.0 */
/* scalar-place - where in a file a character of a scalar's text was written.
 *
 * Each style of scalars is read once more, by the rules of libyaml's scanner, as far as the
 * character that is looked for. Ends need no looking for: what is beyond the text is not asked. */
#include "config.h"

#include "manifest/text/scalar.h"

#include "base/cleanup.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/text/yaml-parts.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct walk {
    const char *s, *end;
    uint32_t line, column;
    size_t left; /* bytes of the text until the one that is looked for */
    bool found;
    uint32_t found_line, found_column;
};

static bool
at_end(const struct walk *w)
{
    return w->s >= w->end;
}

static bool
at(const struct walk *w, char c)
{
    return w->s < w->end && *w->s == c;
}

static bool
at_blank(const struct walk *w)
{
    return at(w, ' ') || at(w, '\t');
}

/* The bytes of the line break here; 0 when there is none. */
static size_t
break_length(const struct walk *w)
{
    size_t n = (size_t)(w->end - w->s);

    if (!n)
        return 0;
    if (*w->s == '\n')
        return 1;
    if (*w->s == '\r')
        return n > 1 && w->s[1] == '\n' ? 2 : 1;
    if (n > 1 && memcmp(w->s, "\xc2\x85", 2) == 0)
        return 2;
    return n > 2 && (memcmp(w->s, "\xe2\x80\xa8", 3) == 0 || memcmp(w->s, "\xe2\x80\xa9", 3) == 0) ? 3 : 0;
}

static size_t
character_length(const struct walk *w)
{
    size_t n = rh_utf8_length(w->s, (size_t)(w->end - w->s));

    return n ? n : 1;
}

static void
skip(struct walk *w)
{
    if (at_end(w))
        return;
    w->s += character_length(w);
    w->column++;
}

static void
skip_break(struct walk *w)
{
    w->s += break_length(w);
    w->line++;
    w->column = 0;
}

/* Here the text has `n` bytes more. */
static void
emit(struct walk *w, size_t n)
{
    if (w->found)
        return;
    if (w->left < n) {
        w->found = true;
        w->found_line = w->line;
        w->found_column = w->column;
    } else {
        w->left -= n;
    }
}

static void
emit_break(struct walk *w)
{
    emit(w, break_length(w) == 3 ? 3 : 1);
    skip_break(w);
}

static void
emit_character(struct walk *w)
{
    emit(w, character_length(w));
    skip(w);
}

/* Flow scalars. */

/* Blanks and breaks within a line or between lines: blanks around a break go, one break becomes a
 * space, of several the first goes. `folded`: a break was there already, and counts for nothing. */
static void
walk_space(struct walk *w, bool folded)
{
    struct walk ahead = *w;
    bool single;

    while (at_blank(&ahead))
        skip(&ahead);
    if (!folded && !break_length(&ahead)) {
        while (at_blank(w) && !w->found)
            emit_character(w);
        return;
    }
    while (at_blank(w))
        skip(w);
    if (!folded) {
        ahead = *w;
        skip_break(&ahead);
        while (at_blank(&ahead))
            skip(&ahead);
        single = break_length(w) != 3 && !break_length(&ahead);
        if (single || break_length(w) == 3)
            emit(w, break_length(w) == 3 ? 3 : 1);
        skip_break(w);
    }
    while (!w->found && (at_blank(w) || break_length(w))) {
        if (at_blank(w))
            skip(w);
        else
            emit_break(w);
    }
}

static void
walk_plain(struct walk *w)
{
    while (!w->found && !at_end(w)) {
        if (at_blank(w) || break_length(w))
            walk_space(w, false);
        else
            emit_character(w);
    }
}

static void
walk_single(struct walk *w)
{
    skip(w);
    while (!w->found && !at_end(w)) {
        if (at_blank(w) || break_length(w)) {
            walk_space(w, false);
        } else if (at(w, '\'')) {
            if (w->end - w->s < 2 || w->s[1] != '\'')
                return;
            emit(w, 1);
            skip(w);
            skip(w);
        } else {
            emit_character(w);
        }
    }
}

static size_t
encoded_length(uint32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* How many digits an escape has behind its letter. */
static size_t
escape_digits(char letter)
{
    return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

static uint32_t
hexadecimal(const char *s, size_t n)
{
    uint32_t c = 0;

    for (size_t i = 0; i < n; i++) {
        const char *digits = "0123456789abcdef";
        const char *found = strchr(digits, s[i] | 0x20);

        c = c << 4 | (found && s[i] ? (uint32_t)(found - digits) & 15 : 0);
    }
    return c;
}

static void
walk_escape(struct walk *w)
{
    char letter = w->end - w->s > 1 ? w->s[1] : '\0';
    size_t digits = escape_digits(letter), n = 1;

    if (digits && (size_t)(w->end - w->s) >= digits + 2)
        n = encoded_length(hexadecimal(w->s + 2, digits));
    else if (letter == 'N' || letter == '_')
        n = 2;
    else if (letter == 'L' || letter == 'P')
        n = 3;
    emit(w, n);
    for (size_t i = 0; i < digits + 2; i++)
        skip(w);
}

static void
walk_double(struct walk *w)
{
    skip(w);
    while (!w->found && !at_end(w) && !at(w, '"')) {
        if (at_blank(w) || break_length(w)) {
            walk_space(w, false);
        } else if (at(w, '\\')) {
            struct walk ahead = *w;

            skip(&ahead);
            if (break_length(&ahead)) { /* an escaped break is nothing */
                *w = ahead;
                skip_break(w);
                walk_space(w, true);
            } else {
                walk_escape(w);
            }
        } else {
            emit_character(w);
        }
    }
}

/* Block scalars. */

/* The spaces in front of the first line that has anything else; -1 when there is none. */
static int64_t
first_indent(const char *s, const char *end)
{
    struct walk w = { .s = s, .end = end };

    while (at(&w, ' ') || break_length(&w)) {
        if (at(&w, ' '))
            skip(&w);
        else
            skip_break(&w);
    }
    return at_end(&w) ? -1 : (int64_t)w.column;
}

/* Skips the indentation, and lines that have nothing else; whether breaks were there. */
static size_t
skip_empty(struct walk *w, uint32_t indent, bool emitting)
{
    size_t n = 0;

    for (;;) {
        while (w->column < indent && at(w, ' '))
            skip(w);
        if (!break_length(w) || w->found)
            return n;
        n++;
        if (emitting)
            emit_break(w);
        else
            skip_break(w);
    }
}

static void
walk_block(struct walk *w, const char *value, size_t length)
{
    bool folded = at(w, '>'), was_blank = false, first = true;
    int64_t of_file, of_value = first_indent(value, value + length);
    uint32_t indent;
    struct walk last;

    while (!at_end(w) && !break_length(w))
        skip(w);
    if (at_end(w))
        return;
    skip_break(w);
    of_file = first_indent(w->s, w->end);
    if (of_value < 0 || of_file < of_value)
        return; /* of nothing but blanks, nobody can say how many are indentation */
    indent = (uint32_t)(of_file - of_value);
    last = *w; /* at the break of the line before: nothing yet */
    while (!w->found) {
        struct walk ahead = last;
        size_t empty;
        bool blank;

        /* What is between two lines depends upon the second. */
        if (!first)
            skip_break(&ahead);
        empty = skip_empty(&ahead, indent, false);
        if (at_end(&ahead) || ahead.column != indent) {
            if (!first)
                emit_break(&last);
            (void)skip_empty(&last, indent, true);
            *w = last;
            return;
        }
        blank = at_blank(&ahead);
        *w = last;
        if (!first && folded && break_length(w) != 3 && !was_blank && !blank) {
            if (!empty)
                emit(w, 1);
            skip_break(w);
        } else if (!first) {
            emit_break(w);
        }
        (void)skip_empty(w, indent, true);
        was_blank = blank;
        while (!w->found && !at_end(w) && !break_length(w))
            emit_character(w);
        if (at_end(w))
            return;
        last = *w;
        first = false;
    }
}

/* To the scalar itself, past what may stand before it. */
static void
skip_properties(struct walk *w)
{
    for (;;) {
        if (at_blank(w))
            skip(w);
        else if (break_length(w))
            skip_break(w);
        else if (at(w, '#'))
            while (!at_end(w) && !break_length(w))
                skip(w);
        else if (at(w, '&') || at(w, '!'))
            while (!at_end(w) && !at_blank(w) && !break_length(w))
                skip(w);
        else
            return;
    }
}

struct rh_place
rh_scalar_place_in(const char *text, size_t n, struct rh_place start, const char *value, size_t length,
                   size_t offset)
{
    struct walk w = { .s = text, .end = text + n, .line = 1, .left = offset };
    struct rh_place place = start;

    if (!start.line || start.column == UINT16_MAX || offset > length || !length)
        return start;
    if (offset == length) {
        place = rh_scalar_place_in(text, n, start, value, length, offset - 1);
        place.column += place.column < UINT16_MAX;
        return place;
    }
    while (w.line < start.line && !at_end(&w)) {
        if (break_length(&w))
            skip_break(&w);
        else
            w.s++;
    }
    w.column = 0;
    while (w.column + 1 < start.column && !at_end(&w))
        skip(&w);
    skip_properties(&w);
    if (at(&w, '|') || at(&w, '>'))
        walk_block(&w, value, length);
    else if (at(&w, '\''))
        walk_single(&w);
    else if (at(&w, '"'))
        walk_double(&w);
    else
        walk_plain(&w);
    if (!w.found)
        return start;
    place.line = w.found_line;
    place.column = (uint16_t)(w.found_column < UINT16_MAX ? w.found_column + 1 : UINT16_MAX);
    return place;
}

struct rh_place
rh_scalar_place(const struct rh_sources *sources, const struct rh_value *v, size_t offset)
{
    struct rh_place start = rh_value_place(v);
    size_t n = 0;
    const char *text = rh_sources_text(sources, start.file, &n);
    rh_autofree char *mended = NULL;

    if (!text || v->kind != RH_STRING)
        return start;
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        n -= 3;
    }
    mended = rh_yaml_from_json(text, n, &n);
    return rh_scalar_place_in(mended ? mended : text, n, start, v->u.string, v->count, offset);
}
