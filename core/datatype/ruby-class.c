/* SPDX-License-Identifier: Apache-2.0 */
/* ruby-class - rewrites a bracket class of Ruby's, which may nest and intersect.
 *
 * PCRE2 has neither, so a class that uses them becomes alternatives and look-aheads, each about one
 * character: [a-z&&[^aeiou]] becomes (?:(?=[a-z])[^aeiou]). */
#include "config.h"

#include "datatype/ruby-regex.h"

#include "datatype/scan.h"

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_NESTING = 20 };

struct reader {
    const char *s;
    size_t n, pos;
    unsigned depth;
    struct rh_error *err;
};

static const struct {
    const char *name, *text;
} properties[] = {
    { "alpha", "\\p{L}\\p{Nl}" },
    { "digit", "\\p{Nd}" },
    { "alnum", "\\p{L}\\p{Nl}\\p{Nd}" },
    { "upper", "\\p{Lu}" },
    { "lower", "\\p{Ll}" },
    { "space", "\\s\\x{85}\\p{Z}" },
    { "blank", "\\t\\p{Zs}" },
    { "cntrl", "\\p{Cc}" },
    { "punct", "\\p{P}$+<=>^`|~" },
    { "word", "\\p{L}\\p{Nl}\\p{Nd}\\p{M}\\p{Pc}" },
    { "xdigit", "0-9a-fA-F" },
    { "ascii", "\\x{0}-\\x{7f}" },
    { "graph", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}" },
    { "print", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}" },
    { "any", "\\x{0}-\\x{10ffff}" },
    { "letter", "\\p{L}" },
    { "mark", "\\p{M}" },
    { "number", "\\p{N}" },
    { "punctuation", "\\p{P}" },
    { "symbol", "\\p{S}" },
    { "separator", "\\p{Z}" },
};

/* The name of a property (\p{...} or [:...:]) as what may stand within brackets; NULL: leave it to
 * PCRE2. */
static const char *
ruby_property(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        if (strlen(properties[i].name) == n && rh_ascii_same(properties[i].name, name, n))
            return properties[i].text;
    return NULL;
}

static int
fail(struct reader *r, size_t at, const char *what)
{
    rh_error_set(r->err, RH_EINPUT, "bad pattern: %s", what);
    if (r->err)
        r->err->at = at;
    return -1;
}

static char
peek(const struct reader *r, size_t ahead)
{
    return r->pos + ahead < r->n ? r->s[r->pos + ahead] : '\0';
}

/* Parts of a union: `items` may all stand between brackets, `others` are alternatives to them. */
struct parts {
    struct rh_buf items, others;
};

static void
parts_clear(struct parts *p)
{
    rh_buf_clear(&p->items);
    rh_buf_clear(&p->others);
}

static void
add_other(struct parts *p, const char *text)
{
    if (p->others.n)
        rh_buf_addc(&p->others, '|');
    rh_buf_add(&p->others, text);
}

static void
add_negated(struct parts *p, const char *items)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_addf(&b, "[^%s]", items);
    add_other(p, rh_buf_text(&b));
}

/* [:name:] and [:^name:] */
static int
read_posix(struct reader *r, struct parts *p)
{
    size_t at = r->pos, from;
    bool negated;
    const char *items;

    r->pos += 2;
    negated = peek(r, 0) == '^';
    r->pos += negated;
    from = r->pos;
    while (peek(r, 0) && peek(r, 0) != ':')
        r->pos++;
    items = ruby_property(r->s + from, r->pos - from);
    if (!items || peek(r, 1) != ']')
        return fail(r, at, "unknown class of characters [:...:]");
    r->pos += 2;
    if (negated)
        add_negated(p, items);
    else
        rh_buf_add(&p->items, items);
    return 0;
}

/* \p{...}, \P{...}, \p{^...} */
static int
read_property(struct reader *r, struct parts *p)
{
    size_t at = r->pos, from;
    bool negated = peek(r, 1) == 'P';
    const char *items;

    r->pos += 3;
    if (peek(r, 0) == '^') {
        negated = !negated;
        r->pos++;
    }
    from = r->pos;
    while (peek(r, 0) && peek(r, 0) != '}')
        r->pos++;
    if (!peek(r, 0) || r->pos == from || r->pos - from > 40)
        return fail(r, at, "\\p needs the name of a property in braces");
    items = ruby_property(r->s + from, r->pos - from);
    r->pos++;
    if (items && negated)
        add_negated(p, items);
    else if (items)
        rh_buf_add(&p->items, items);
    else
        rh_buf_addf(&p->items, "\\%c{%.*s}", negated ? 'P' : 'p', (int)(r->pos - 1 - from), r->s + from);
    return 0;
}

/* \u00e9, \u{e9 1f600} */
static int
read_code_points(struct reader *r, struct parts *p)
{
    bool braces = peek(r, 2) == '{';
    size_t at = r->pos, digits = 0;

    r->pos += braces ? 3 : 2;
    rh_buf_add(&p->items, "\\x{");
    for (; peek(r, 0) && (braces || digits < 4); r->pos++) {
        char c = peek(r, 0);

        if (braces && c == ' ' && digits) {
            rh_buf_add(&p->items, "}\\x{");
            digits = 0;
        } else if (strchr("0123456789abcdefABCDEF", c)) {
            rh_buf_addc(&p->items, c);
            digits++;
        } else if (c != ' ') {
            break;
        }
    }
    if (!digits || (!braces && digits != 4) || (braces && peek(r, 0) != '}'))
        return fail(r, at, "\\u needs four hexadecimal digits, or some in braces");
    r->pos += braces;
    rh_buf_addc(&p->items, '}');
    return 0;
}

static int
read_escape(struct reader *r, struct parts *p)
{
    char c = peek(r, 1);

    switch (c) {
    case '\0':
        return fail(r, r->pos, "a backslash at the end");
    case 'h':
        rh_buf_add(&p->items, "0-9a-fA-F");
        break;
    case 'H':
        add_other(p, "[^0-9a-fA-F]");
        break;
    case 'R':
    case 'X':
        rh_buf_addc(&p->items, c);
        break;
    case 'v':
        rh_buf_add(&p->items, "\\x{b}");
        break;
    case 'p':
    case 'P':
        if (peek(r, 2) == '{')
            return read_property(r, p);
        rh_buf_addc(&p->items, c);
        break;
    case 'u':
        return read_code_points(r, p);
    case 'c':
    case 'C':
    case 'M':
        return fail(r, r->pos, "control characters by \\c, \\C- and \\M- are not supported");
    default:
        if (strchr("dDwWsSbxtnrfea01234567", c)) {
            rh_buf_addc(&p->items, '\\');
            rh_buf_addc(&p->items, c);
        } else {
            size_t len = rh_utf8_length(r->s + r->pos + 1, r->n - r->pos - 1);

            if (len == 1 && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
                rh_buf_addc(&p->items, '\\');
            rh_buf_addn(&p->items, r->s + r->pos + 1, len ? len : 1);
            r->pos += (len ? len : 1) - 1;
        }
    }
    r->pos += 2;
    return 0;
}

static int read_class(struct reader *r, struct rh_buf *out);

static int
read_nested(struct reader *r, struct parts *p)
{
    rh_autobuf struct rh_buf nested = { 0 };

    if (++r->depth > MAX_NESTING)
        return fail(r, r->pos, "classes are nested too deeply");
    if (read_class(r, &nested) < 0)
        return -1;
    r->depth--;
    add_other(p, rh_buf_text(&nested));
    return 0;
}

/* Up to ']' or "&&". */
static int
read_union(struct reader *r, struct parts *p, bool first)
{
    while (r->pos < r->n) {
        char c = peek(r, 0);
        int rc = 0;

        if (c == ']' && !first)
            return 0;
        if (c == '&' && peek(r, 1) == '&')
            return 0;
        if (c == '[' && peek(r, 1) == ':') {
            rc = read_posix(r, p);
        } else if (c == '[') {
            rc = read_nested(r, p);
        } else if (c == '\\') {
            rc = read_escape(r, p);
        } else {
            if (c == ']' || c == '^')
                rh_buf_addc(&p->items, '\\');
            rh_buf_addc(&p->items, c);
            r->pos++;
        }
        if (rc < 0)
            return -1;
        first = false;
    }
    return fail(r, r->n, "a class [...] is not closed");
}

/* What one union says, as something that takes one character. */
static void
add_union(struct rh_buf *out, const struct parts *p, bool negated)
{
    if (!p->others.n) {
        rh_buf_add(out, negated ? "[^" : "[");
        rh_buf_add(out, rh_buf_text(&p->items));
        rh_buf_addc(out, ']');
        return;
    }
    rh_buf_add(out, negated ? "(?:(?!" : "(?:");
    if (p->items.n)
        rh_buf_addf(out, "[%s]|", rh_buf_text(&p->items));
    rh_buf_add(out, rh_buf_text(&p->others));
    rh_buf_add(out, negated ? ")(?s:.))" : ")");
}

static int
read_class(struct reader *r, struct rh_buf *out)
{
    rh_autobuf struct rh_buf all = { 0 };
    size_t at = r->pos++, sets = 0;
    bool negated = peek(r, 0) == '^', more = true;

    r->pos += negated;
    while (more) {
        __attribute__((cleanup(parts_clear))) struct parts p = { 0 };

        if (read_union(r, &p, !sets) < 0)
            return -1;
        more = peek(r, 0) == '&';
        r->pos += more ? 2 : 1;
        if (!p.items.n && !p.others.n) /* "[&&a]": between nothing and anything, so nothing */
            add_other(&p, "(?!)");
        if (!more && !sets) {
            add_union(out, &p, negated);
            return 0;
        }
        if (more) {
            rh_buf_add(&all, "(?=");
            add_union(&all, &p, false);
            rh_buf_addc(&all, ')');
        } else {
            add_union(&all, &p, false);
        }
        sets++;
        if (sets > MAX_NESTING)
            return fail(r, at, "too many intersections");
    }
    rh_buf_add(out, negated ? "(?:(?!" : "(?:");
    rh_buf_add(out, rh_buf_text(&all));
    rh_buf_add(out, negated ? ")(?s:.))" : ")");
    return 0;
}

int
rh_ruby_class(const char *s, size_t n, size_t *pos, struct rh_buf *out, struct rh_error *err)
{
    struct reader r = { .s = s, .n = n, .pos = *pos, .err = err };

    if (read_class(&r, out) < 0)
        return -1;
    *pos = r.pos;
    return 0;
}
