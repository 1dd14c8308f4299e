/* SPDX-License-Identifier: Apache-2.0 */
/* print-word - what stands in types as canonical text: words, patterns and floats. */
#include "config.h"

#include "datatype/print.h"

#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters that a single-quoted string can't show: rh_buf_add_safe would change them. */
static bool
needs_escapes(struct rh_word w)
{
    rh_autobuf struct rh_buf safe = { 0 };

    rh_buf_add_safe(&safe, w.s, w.n, false);
    return safe.n != w.n || (w.n && memcmp(safe.s, w.s, w.n) != 0);
}

static unsigned
code_point(const char *s, size_t len)
{
    unsigned char c = (unsigned char)*s;
    unsigned cp = len == 1 ? c : c & (0xffU >> (len + 1));

    for (size_t i = 1; i < len; i++)
        cp = cp << 6 | ((unsigned char)s[i] & 0x3f);
    return cp;
}

static void
print_escaped(struct rh_buf *b, struct rh_word w)
{
    rh_buf_addc(b, '"');
    for (size_t i = 0, len; i < w.n; i += len) {
        char c = w.s[i];

        len = rh_utf8_length(w.s + i, w.n - i);
        if (!len)
            len = 1;
        if (c == '\n')
            rh_buf_add(b, "\\n");
        else if (c == '\t')
            rh_buf_add(b, "\\t");
        else if (c == '\r')
            rh_buf_add(b, "\\r");
        else if (c == '"' || c == '\\' || c == '$')
            rh_buf_addf(b, "\\%c", c);
        else if (needs_escapes((struct rh_word){ w.s + i, len }))
            rh_buf_addf(b, "\\u{%X}", code_point(w.s + i, len));
        else
            rh_buf_addn(b, w.s + i, len);
    }
    rh_buf_addc(b, '"');
}

void
rh_print_word(struct rh_buf *b, struct rh_word w)
{
    if (needs_escapes(w)) {
        print_escaped(b, w);
        return;
    }
    rh_buf_addc(b, '\'');
    for (size_t i = 0; i < w.n; i++) {
        char behind = i + 1 < w.n ? w.s[i + 1] : '\'';

        if (w.s[i] == '\'' || (w.s[i] == '\\' && (behind == '\'' || behind == '\\')))
            rh_buf_addc(b, '\\');
        rh_buf_addc(b, w.s[i]);
    }
    rh_buf_addc(b, '\'');
}

/* Line breaks stay: where a pattern has comments they end them. What else can't be shown becomes
 * \xNN, and a backslash before it goes, for it said nothing. */
void
rh_print_regex(struct rh_buf *b, const char *source, size_t n)
{
    rh_buf_addc(b, '/');
    for (size_t i = 0, len; i < n; i += len) {
        struct rh_word next;

        len = rh_utf8_length(source + i, n - i);
        if (!len)
            len = 1;
        if (source[i] == '/')
            rh_buf_addc(b, '\\');
        if (source[i] != '\\' || i + 1 == n) {
            rh_buf_add_safe(b, source + i, len, true);
            continue;
        }
        next = (struct rh_word){ source + i + 1, rh_utf8_length(source + i + 1, n - i - 1) };
        if (!needs_escapes(next) || *next.s == '\n' || *next.s == '\t')
            rh_buf_addc(b, '\\');
        rh_buf_add_safe(b, next.s, next.n, true);
        len += next.n;
    }
    rh_buf_addc(b, '/');
}

/* The shortest digits that read back as the same number; with an exponent below 1e-4 and from 1e15
 * on. */
void
rh_print_float(struct rh_buf *b, double d)
{
    char text[40];
    int digits = 1, exponent;
    char *e;

    if (!isfinite(d)) {
        rh_buf_add(b, isnan(d) ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
        return;
    }
    for (; digits < 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*e", digits - 1, d);
        if (strtod(text, NULL) == d)
            break;
    }
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, d);
    e = strchr(text, 'e');
    exponent = (int)strtol(e + 1, NULL, 10);
    if (exponent >= -4 && exponent < 15) {
        int after = digits - 1 - exponent;

        rh_buf_addf(b, "%.*f", after > 1 ? after : 1, d);
        return;
    }
    rh_buf_addn(b, text, (size_t)(e - text));
    rh_buf_addf(b, "%se%+03d", memchr(text, '.', (size_t)(e - text)) ? "" : ".0", exponent);
}
