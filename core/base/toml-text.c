/* SPDX-License-Identifier: Apache-2.0 */
/* toml-text - the texts and comments of TOML. */
#include "config.h"

#include "base/toml-parts.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <stdint.h>
#include <string.h>

void
rh_toml_skip_blanks(struct rh_toml_text *t)
{
    while (rh_toml_next(t) == ' ' || rh_toml_next(t) == '\t')
        t->at++;
}

/* How long the end of a line is that begins here: 0, 1 or 2. */
static size_t
line_end(const struct rh_toml_text *t)
{
    if (rh_toml_next(t) == '\n')
        return 1;
    return t->end - t->at > 1 && t->at[0] == '\r' && t->at[1] == '\n' ? 2 : 0;
}

/* Of those that no text and no comment may have; a tab is none of them. */
static bool
is_control(char c)
{
    return (unsigned char)c < 0x20 ? c != '\t' : c == 0x7f;
}

int
rh_toml_skip_line_end(struct rh_toml_text *t)
{
    size_t n;

    if (rh_toml_next(t) == '#')
        for (; t->at < t->end && !line_end(t); t->at++)
            if (is_control(*t->at))
                return rh_error_set(t->err, RH_EINPUT, "a comment must not contain control characters");
    n = line_end(t);
    t->at += n;
    return n > 0;
}

static int
add_character(struct rh_toml_text *t, struct rh_buf *b, uint32_t c)
{
    char utf8[4];
    size_t n;

    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return rh_error_set(t->err, RH_EINPUT, "this escape is not a character of Unicode");
    if (c < 0x80) {
        utf8[0] = (char)c;
        n = 1;
    } else if (c < 0x800) {
        utf8[0] = (char)(0xc0 | c >> 6);
        n = 2;
    } else if (c < 0x10000) {
        utf8[0] = (char)(0xe0 | c >> 12);
        n = 3;
    } else {
        utf8[0] = (char)(0xf0 | c >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++)
        utf8[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
    rh_buf_addn(b, utf8, n);
    return 0;
}

/* Of \u and \U: so many digits. */
static int
read_code(struct rh_toml_text *t, struct rh_buf *b, unsigned digits)
{
    static const char hex[] = "0123456789abcdef";
    uint32_t c = 0;

    for (unsigned i = 0; i < digits; i++, t->at++) {
        char digit = rh_toml_next(t);
        const char *found;

        if (digit >= 'A' && digit <= 'F')
            digit = (char)(digit - 'A' + 'a');
        found = digit ? strchr(hex, digit) : NULL;
        if (!found)
            return rh_error_set(t->err, RH_EINPUT, "an escape needs %u hexadecimal digits", digits);
        c = c << 4 | (uint32_t)(found - hex);
    }
    return add_character(t, b, c);
}

/* A backslash at the end of a line: all white space up to the next character is left out. 1: it was one. */
static int
skip_folded(struct rh_toml_text *t)
{
    struct rh_toml_text ahead = *t;

    rh_toml_skip_blanks(&ahead);
    if (!line_end(&ahead))
        return 0;
    for (size_t n; (n = line_end(&ahead)) > 0; rh_toml_skip_blanks(&ahead))
        ahead.at += n;
    t->at = ahead.at;
    return 1;
}

/* Behind a backslash. */
static int
read_escape(struct rh_toml_text *t, struct rh_buf *b, bool lines)
{
    static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
    char c = rh_toml_next(t);
    const char *found = c ? strchr(names, c) : NULL;

    if (lines && skip_folded(t))
        return 0;
    if (found) {
        rh_buf_addc(b, values[found - names]);
        t->at++;
        return 0;
    }
    if (c != 'u' && c != 'U')
        return rh_error_set(t->err, RH_EINPUT, "unknown escape after a backslash");
    t->at++;
    return read_code(t, b, c == 'u' ? 4 : 8);
}

/* What is behind the opening quotes, and the closing ones. `n` of them: 1 or 3. */
static int
read_quoted(struct rh_toml_text *t, struct rh_buf *b, char quote, size_t n)
{
    while (t->at < t->end) {
        size_t quotes = 0, end = line_end(t);

        while (t->at + quotes < t->end && t->at[quotes] == quote && quotes < n + 2)
            quotes++;
        if (quotes >= n) { /* up to two quotes may stand before the closing three */
            size_t own = n == 3 ? quotes - 3 : 0;

            rh_buf_addn(b, t->at, own);
            t->at += own + n;
            return 0;
        }
        if (quotes) {
            rh_buf_addn(b, t->at, quotes);
            t->at += quotes;
        } else if (end && n == 3) { /* an end of two bytes becomes one, as TOML allows */
            rh_buf_addc(b, '\n');
            t->at += end;
        } else if (end) {
            break;
        } else if (is_control(*t->at)) {
            return rh_error_set(t->err, RH_EINPUT,
                                "a text must not contain control characters: write an escape");
        } else if (*t->at == '\\' && quote == '"') {
            t->at++;
            if (read_escape(t, b, n == 3) < 0)
                return -1;
        } else {
            rh_buf_addc(b, *t->at++);
        }
    }
    return rh_error_set(t->err, RH_EINPUT, "a text in quotes is not closed");
}

struct rh_value *
rh_toml_read_text(struct rh_toml_text *t, bool lines)
{
    rh_autobuf struct rh_buf b = { 0 };
    char quote = rh_toml_next(t);
    size_t n = lines && t->end - t->at >= 3 && t->at[1] == quote && t->at[2] == quote ? 3 : 1;

    t->at += n;
    if (n == 3)
        t->at += line_end(t);
    if (read_quoted(t, &b, quote, n) < 0)
        return NULL;
    return rh_value_stringn(t->arena, rh_buf_text(&b), b.n);
}
