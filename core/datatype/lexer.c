/* SPDX-License-Identifier: Apache-2.0 */
/* lexer - the words of type text. */
#include "config.h"

#include "datatype/parse.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
is_lower(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool
is_word(char c)
{
    return is_digit(c) || is_upper(c) || is_lower(c);
}

static int
hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int
rh_lexer_fail(struct rh_lexer *l, size_t at, const char *fmt, ...)
{
    va_list ap;
    rh_autobuf struct rh_buf b = { 0 };
    char text[512];

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rh_buf_add_safe(&b, text, strlen(text), false);
    if (l->err && l->err->message)
        return -1;
    rh_error_set(l->err, RH_EINPUT, "%s", rh_buf_text(&b));
    if (l->err) {
        l->err->at = at;
        l->err->format = fmt;
    }
    return -1;
}

static char
peek(const struct rh_lexer *l, size_t ahead)
{
    return l->pos + ahead < l->n ? l->text[l->pos + ahead] : '\0';
}

static void
skip_space(struct rh_lexer *l)
{
    while (l->pos < l->n) {
        if (strchr(" \t\r\n", l->text[l->pos]) && l->text[l->pos]) {
            l->pos++;
        } else if (l->text[l->pos] == '#') {
            while (l->pos < l->n && l->text[l->pos] != '\n')
                l->pos++;
        } else {
            return;
        }
    }
}

/* A name with segments: first letters are told apart by `first`. */
static void
read_name(struct rh_lexer *l, struct rh_token *t, bool (*first)(char), bool hyphens)
{
    for (;;) {
        while (is_word(peek(l, 0))
               || (hyphens && peek(l, 0) == '-' && (is_word(peek(l, 1)) || peek(l, 1) == '-')))
            l->pos++;
        if (peek(l, 0) != ':' || peek(l, 1) != ':' || !first(peek(l, 2)))
            break;
        l->pos += 2;
    }
    t->n = l->pos - t->at;
    t->text = rh_arena_strndup(l->arena, l->text + t->at, t->n);
}

static void
add_utf8(struct rh_buf *b, unsigned cp)
{
    char c[4];
    size_t n;

    if (cp < 0x80) {
        c[0] = (char)cp;
        n = 1;
    } else if (cp < 0x800) {
        c[0] = (char)(0xc0 | cp >> 6);
        c[1] = (char)(0x80 | (cp & 0x3f));
        n = 2;
    } else if (cp < 0x10000) {
        c[0] = (char)(0xe0 | cp >> 12);
        c[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        c[2] = (char)(0x80 | (cp & 0x3f));
        n = 3;
    } else {
        c[0] = (char)(0xf0 | cp >> 18);
        c[1] = (char)(0x80 | (cp >> 12 & 0x3f));
        c[2] = (char)(0x80 | (cp >> 6 & 0x3f));
        c[3] = (char)(0x80 | (cp & 0x3f));
        n = 4;
    }
    rh_buf_addn(b, c, n);
}

/* Behind "\u": XXXX or {X...}. */
static int
read_code_point(struct rh_lexer *l, struct rh_buf *b)
{
    size_t at = l->pos;
    bool braces = peek(l, 0) == '{';
    unsigned cp = 0, digits = 0;

    if (braces)
        l->pos++;
    while (digits < (braces ? 6U : 4U) && hex_value(peek(l, 0)) >= 0) {
        cp = cp * 16 + (unsigned)hex_value(peek(l, 0));
        digits++;
        l->pos++;
    }
    if (!digits || (!braces && digits != 4) || (braces && peek(l, 0) != '}'))
        return rh_lexer_fail(l, at, "\\u needs four hexadecimal digits, or up to six in braces");
    if (braces)
        l->pos++;
    if (!cp || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
        return rh_lexer_fail(l, at, "\\u%X is not a character", cp);
    add_utf8(b, cp);
    return 0;
}

static int
read_escape(struct rh_lexer *l, struct rh_buf *b)
{
    char c = peek(l, 0);

    l->pos++;
    switch (c) {
    case 'n':
        rh_buf_addc(b, '\n');
        return 0;
    case 't':
        rh_buf_addc(b, '\t');
        return 0;
    case 'r':
        rh_buf_addc(b, '\r');
        return 0;
    case 's':
        rh_buf_addc(b, ' ');
        return 0;
    case 'u':
        return read_code_point(l, b);
    case '\n':
        return 0;
    case '"':
    case '\'':
    case '\\':
    case '$':
        rh_buf_addc(b, c);
        return 0;
    default:
        rh_buf_addc(b, '\\');
        l->pos--;
        return 0;
    }
}

static int
read_string(struct rh_lexer *l, struct rh_token *t)
{
    rh_autobuf struct rh_buf b = { 0 };
    char quote = l->text[l->pos++];

    for (;;) {
        char c = peek(l, 0);

        if (l->pos >= l->n)
            return rh_lexer_fail(l, t->at, "the string that starts here is not closed");
        l->pos++;
        if (c == quote)
            break;
        if (quote == '"' && c == '$' && (peek(l, 0) == '{' || is_word(peek(l, 0))))
            return rh_lexer_fail(l, l->pos - 1, "a data type cannot use variables; write \\$");
        if (c != '\\' || l->pos >= l->n) {
            rh_buf_addc(&b, c);
        } else if (quote == '"') {
            if (read_escape(l, &b) < 0)
                return -1;
        } else if (peek(l, 0) == '\'' || peek(l, 0) == '\\') {
            rh_buf_addc(&b, l->text[l->pos++]);
        } else {
            rh_buf_addc(&b, c);
        }
    }
    t->kind = RH_TOK_STRING;
    t->n = b.n;
    t->text = rh_arena_strndup(l->arena, rh_buf_text(&b), b.n);
    return 0;
}

static int
read_regex(struct rh_lexer *l, struct rh_token *t)
{
    rh_autobuf struct rh_buf b = { 0 };

    l->pos++;
    for (;;) {
        char c = peek(l, 0);

        if (l->pos >= l->n)
            return rh_lexer_fail(l, t->at, "the pattern that starts here is not closed");
        l->pos++;
        if (c == '/')
            break;
        if (c == '\\' && l->pos < l->n) {
            if (peek(l, 0) != '/')
                rh_buf_addc(&b, c);
            c = l->text[l->pos++];
        }
        rh_buf_addc(&b, c);
    }
    t->kind = RH_TOK_REGEX;
    t->n = b.n;
    t->text = rh_arena_strndup(l->arena, rh_buf_text(&b), b.n);
    return 0;
}

/* Where a number ends that starts with a digit: also takes what can't be part of one, so that
 * "12ab" is one bad number rather than two words. */
static size_t
number_end(const struct rh_lexer *l, bool *real)
{
    size_t i = l->pos;
    bool hex = l->text[i] == '0' && i + 1 < l->n && (l->text[i + 1] | 0x20) == 'x';

    *real = false;
    for (; i < l->n; i++) {
        char c = l->text[i];

        if (c == '.' && i + 1 < l->n && is_digit(l->text[i + 1])) {
            *real = true;
        } else if (!hex && (c | 0x20) == 'e') {
            *real = true;
            if (i + 1 < l->n && (l->text[i + 1] == '-' || l->text[i + 1] == '+'))
                i++;
        } else if (!is_word(c)) {
            break;
        }
    }
    return i;
}

static int
read_number(struct rh_lexer *l, struct rh_token *t)
{
    bool real;
    size_t end = number_end(l, &real);
    const char *s = rh_arena_strndup(l->arena, l->text + l->pos, end - l->pos);
    char *stop;

    t->text = s;
    t->n = end - l->pos;
    errno = 0;
    if (real) {
        t->kind = RH_TOK_FLOAT;
        t->real = strtod(s, &stop);
        if (errno == ERANGE && (t->real > 1 || t->real < -1))
            return rh_lexer_fail(l, t->at, "'%.40s' is too large for a number", s);
    } else {
        t->kind = RH_TOK_INTEGER;
        t->integer = strtoll(s, &stop, 0);
        if (errno == ERANGE)
            return rh_lexer_fail(l, t->at, "'%.40s' does not fit in 64 bits", s);
    }
    if (*stop)
        return rh_lexer_fail(l, t->at, "'%.40s' is not a number", s);
    l->pos = end;
    return 0;
}

static int
read_token(struct rh_lexer *l, struct rh_token *t)
{
    char c = peek(l, 0);

    if (is_digit(c))
        return read_number(l, t);
    if (c == '"' || c == '\'')
        return read_string(l, t);
    if (c == '/')
        return read_regex(l, t);
    if (is_upper(c) || (c == ':' && peek(l, 1) == ':' && is_upper(peek(l, 2)))) {
        if (c == ':')
            t->at = l->pos += 2;
        t->kind = RH_TOK_TYPE;
        read_name(l, t, is_upper, false);
    } else if (is_lower(c)) {
        t->kind = RH_TOK_WORD;
        read_name(l, t, is_lower, true);
    } else if (c == '=' && peek(l, 1) == '>') {
        t->kind = RH_TOK_ARROW;
        l->pos += 2;
    } else if (c && strchr("[]{}(),-", c)) {
        t->kind = RH_TOK_CHAR;
        t->integer = c;
        l->pos++;
    } else {
        size_t n = rh_utf8_length(l->text + l->pos, l->n - l->pos);

        return rh_lexer_fail(l, l->pos, "unexpected '%.*s' in a data type", (int)(n ? n : 1),
                             l->text + l->pos);
    }
    return 0;
}

int
rh_lexer_next(struct rh_lexer *l, struct rh_token *t)
{
    skip_space(l);
    *t = (struct rh_token){ .kind = RH_TOK_END, .at = l->pos, .end = l->pos, .text = "" };
    if (l->pos >= l->n)
        return 0;
    if (read_token(l, t) < 0)
        return -1;
    t->end = l->pos;
    return 0;
}

const char *
rh_token_name(struct rh_lexer *l, const struct rh_token *t)
{
    if (t->kind == RH_TOK_END)
        return "the end of the text";
    return rh_arena_printf(l->arena, "'%.*s'", (int)(t->end - t->at > 40 ? 40 : t->end - t->at),
                           l->text + t->at);
}
