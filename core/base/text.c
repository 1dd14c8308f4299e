/* SPDX-License-Identifier: Apache-2.0 */
/* text - strings that grow, and text from outside made fit to be shown. */
#include "config.h"

#include "base/text.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
rh_buf_make_room(struct rh_buf *b, size_t more)
{
    size_t need = b->n + more + 1;

    if (need <= b->cap)
        return;
    b->cap = b->cap * 2 > need ? b->cap * 2 : need + 32;
    b->s = rh_xrealloc(b->s, b->cap);
}

enum { MOST_DIGITS = 20 }; /* of 64 bits */

void
rh_buf_add_padded(struct rh_buf *b, uint64_t number, unsigned width)
{
    char digits[MOST_DIGITS];
    size_t at = sizeof digits, least = width < sizeof digits ? sizeof digits - width : 0;

    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10));
    while (at > least)
        digits[--at] = '0';
    rh_buf_addn(b, digits + at, sizeof digits - at);
}

void
rh_buf_add_decimal(struct rh_buf *b, int64_t number)
{
    if (number < 0)
        rh_buf_addc(b, '-');
    rh_buf_add_padded(b, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1);
}

void
rh_buf_addf(struct rh_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    rh_buf_make_room(b, 64);
    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(b->s + b->n, b->cap - b->n, fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n >= b->cap - b->n) {
        rh_buf_make_room(b, (size_t)n);
        n = vsnprintf(b->s + b->n, b->cap - b->n, fmt, again);
    }
    va_end(again);
    b->n += n > 0 ? (size_t)n : 0;
    b->s[b->n] = '\0';
}

void
rh_buf_truncate(struct rh_buf *b, size_t n)
{
    if (n < b->n) {
        b->n = n;
        b->s[n] = '\0';
    }
}

const char *
rh_buf_text(const struct rh_buf *b)
{
    return b->s ? b->s : "";
}

char *
rh_buf_take(struct rh_buf *b)
{
    char *s = b->s ? b->s : rh_xstrdup("");

    *b = (struct rh_buf){ 0 };
    return s;
}

void
rh_buf_clear(struct rh_buf *b)
{
    free(b->s);
    *b = (struct rh_buf){ 0 };
}

static uint32_t
decode(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;

    switch (n) {
    case 1:
        return u[0];
    case 2:
        return (u[0] & 0x1fU) << 6 | (u[1] & 0x3fU);
    case 3:
        return (u[0] & 0x0fU) << 12 | (u[1] & 0x3fU) << 6 | (u[2] & 0x3fU);
    default:
        return (u[0] & 0x07U) << 18 | (u[1] & 0x3fU) << 12 | (u[2] & 0x3fU) << 6 | (u[3] & 0x3fU);
    }
}

size_t
rh_utf8_length(const char *s, size_t n)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char c;
    size_t len;
    uint32_t point;

    if (!n)
        return 0;
    c = (unsigned char)s[0];
    if (c < 0x80)
        return 1;
    len = c >= 0xf8 || c < 0xc2 ? SIZE_MAX : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
    point = decode(s, len);
    if (point < least[len] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return 0;
    return len;
}

bool
rh_utf8_valid(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t len;
        uint64_t eight;

        if (n >= sizeof eight) { /* nearly all text is ASCII; the end is looked at with what is before it */
            size_t at = n - i >= sizeof eight ? i : n - sizeof eight;

            memcpy(&eight, s + at, sizeof eight);
            if (!(eight & 0x8080808080808080U)) {
                i = at + sizeof eight;
                continue;
            }
        }
        if (!((unsigned char)s[i] & 0x80)) {
            i++;
            continue;
        }
        len = rh_utf8_length(s + i, n - i);
        if (!len)
            return false;
        i += len;
    }
    return true;
}

size_t
rh_utf8_count(const char *s, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)s[i] & 0xc0) != 0x80;
    return count;
}

/* What a terminal acts upon rather than shows, or what turns the text around it. */
static bool
is_active(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029
           || (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) || point == 0x200e
           || point == 0x200f || point == 0xfeff || point == 0xfffe || point == 0xffff;
}

uint32_t
rh_utf8_active(const char *s, size_t len)
{
    uint32_t point = decode(s, len);

    return is_active(point) ? point : 0;
}

/* Whether a byte of the eight is what rh_text_plain() stops at: below 0x20, from 0x7f on, a quote or a
 * backslash. The highest bit of a byte is set by the subtraction when it was below; of neighbours it may be
 * wrong. */
static bool
has_special(uint64_t eight)
{
    const uint64_t ones = 0x0101010101010101U, high = 0x8080808080808080U;
    uint64_t quote = eight ^ ones * '"', backslash = eight ^ ones * '\\';
    uint64_t low = (eight - ones * 0x20) | (quote - ones) | (backslash - ones);

    return (low | eight | (eight + ones)) & high;
}

size_t
rh_text_plain(const char *s, size_t n)
{
    size_t i = 0;
    uint64_t eight;
    uint32_t halves[2];

    for (; n - i >= sizeof eight; i += sizeof eight) {
        memcpy(&eight, s + i, sizeof eight);
        if (has_special(eight))
            break;
    }
    /* The end, with some of what is before it; or a short text, in halves that overlap. */
    if (i && n - i < sizeof eight) {
        memcpy(&eight, s + n - sizeof eight, sizeof eight);
        if (!has_special(eight))
            return n;
    } else if (!i && n >= sizeof halves[0] && n < sizeof eight) {
        memcpy(&halves[0], s, sizeof halves[0]);
        memcpy(&halves[1], s + n - sizeof halves[1], sizeof halves[1]);
        if (!has_special((uint64_t)halves[1] << 32 | halves[0]))
            return n;
    }
    while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
        i++;
    return i;
}

void
rh_buf_add_safe(struct rh_buf *b, const char *s, size_t n, bool lines)
{
    for (size_t i = 0; i < n;) {
        size_t plain = rh_text_plain(s + i, n - i);
        size_t len;
        uint32_t point;

        rh_buf_addn(b, s + i, plain);
        i += plain;
        if (i == n)
            break;
        len = rh_utf8_length(s + i, n - i);
        if (!len) {
            rh_buf_addf(b, "\\x%02x", (unsigned char)s[i++]);
            continue;
        }
        point = decode(s + i, len);
        if (lines && (point == '\n' || point == '\t'))
            rh_buf_addc(b, s[i]);
        else if (point == '\n')
            rh_buf_add(b, "\\n");
        else if (point == '\t')
            rh_buf_add(b, "\\t");
        else if (point == '\r')
            rh_buf_add(b, "\\r");
        else if (is_active(point) && point < 0x80)
            rh_buf_addf(b, "\\x%02x", (unsigned)point);
        else if (is_active(point))
            rh_buf_addf(b, "\\u{%x}", (unsigned)point);
        else
            rh_buf_addn(b, s + i, len);
        i += len;
    }
}

char *
rh_safe_text(const char *s)
{
    struct rh_buf b = { 0 };

    rh_buf_add_safe(&b, s, strlen(s), false);
    return rh_buf_take(&b);
}

/* The length of the name that begins at `s`; 0: none does. */
static size_t
measure_name(const char *s)
{
    size_t n = 0;

    if (!(*s >= 'a' && *s <= 'z'))
        return 0;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9') || s[n] == '_')
        n++;
    return n;
}

bool
rh_text_number(const char *s, int64_t least, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(s, &end, 10);
    return *s >= '0' && *s <= '9' && !*end && !errno && *number >= least;
}

bool
rh_is_name(const char *s)
{
    size_t n = measure_name(s);

    return n && !s[n];
}

bool
rh_is_type_name(const char *s)
{
    for (;;) {
        size_t n = measure_name(s);

        if (!n || !s[n])
            return n;
        if (strncmp(s + n, "::", 2) != 0)
            return false;
        s += n + 2;
    }
}
