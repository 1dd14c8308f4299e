/* SPDX-License-Identifier: Apache-2.0 */
/* ruby-regex - rewrites a pattern in Ruby's dialect into PCRE2's.
 *
 * What differs: \h is a hexadecimal digit, m makes the dot match newlines (there is no s), a bare
 * (?i) ends with its group and takes the alternatives with it, {,n} starts at 0, {n}+ is not
 * possessive, \uXXXX, classes that nest and intersect, unknown escapes are the letter itself. */
#include "config.h"

#include "datatype/ruby-regex.h"

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_GROUPS = 128 };

/* \w is ASCII, yet the end of a word is where any script's word ends. */
#define WORD "[\\p{L}\\p{Nl}\\p{Nd}\\p{M}\\p{Pc}]"

struct group {
    size_t atom;      /* where in the output its last atom starts */
    unsigned pending; /* groups that we opened for a bare (?i) */
    bool extended;    /* x: blanks and comments mean nothing */
    size_t start;     /* where in the output the group itself starts */
};

struct rewriter {
    const char *s;
    size_t n, pos;
    struct rh_buf *out;
    struct rh_error *err;
    struct group groups[MAX_GROUPS];
    size_t depth;
};

static int
fail(struct rewriter *r, size_t at, const char *what)
{
    rh_error_set(r->err, RH_EINPUT, "bad pattern: %s", what);
    if (r->err)
        r->err->at = at;
    return -1;
}

static char
peek(const struct rewriter *r, size_t ahead)
{
    return r->pos + ahead < r->n ? r->s[r->pos + ahead] : '\0';
}

static struct group *
group(struct rewriter *r)
{
    return &r->groups[r->depth];
}

static void
atom(struct rewriter *r)
{
    group(r)->atom = r->out->n;
}

/* Copies `n` bytes as they are. */
static void
copy(struct rewriter *r, size_t n)
{
    rh_buf_addn(r->out, r->s + r->pos, n);
    r->pos += n;
}

static bool
is_hex(char c)
{
    return c && strchr("0123456789abcdefABCDEF", c);
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What a class may have between its brackets is read there: \p{..}, \u.... and the like. */
static int
as_class(struct rewriter *r, size_t n)
{
    rh_autobuf struct rh_buf class = { 0 };
    size_t pos = 0;
    int rc;

    rh_buf_addc(&class, '[');
    rh_buf_addn(&class, r->s + r->pos, n);
    rh_buf_addc(&class, ']');
    rc = rh_ruby_class(rh_buf_text(&class), class.n, &pos, r->out, r->err);
    if (rc < 0) {
        if (r->err)
            r->err->at = r->pos;
        return -1;
    }
    r->pos += n;
    return 0;
}

static int
rewrite_property(struct rewriter *r)
{
    size_t end = 2;

    if (peek(r, 2) != '{') {
        rh_buf_addc(r->out, peek(r, 1));
        r->pos += 2;
        return 0;
    }
    while (peek(r, end) && peek(r, end) != '}')
        end++;
    if (!peek(r, end))
        return fail(r, r->pos, "\\p needs the name of a property in braces");
    return as_class(r, end + 1);
}

/* \u00e9, or \u{61 62}, which is two atoms. */
static int
rewrite_code_points(struct rewriter *r)
{
    size_t at = r->pos, digits = 0;

    if (peek(r, 2) != '{') {
        while (digits < 4 && is_hex(peek(r, 2 + digits)))
            digits++;
        if (digits != 4)
            return fail(r, at, "\\u needs four hexadecimal digits, or some in braces");
        rh_buf_addf(r->out, "\\x{%.4s}", r->s + r->pos + 2);
        r->pos += 6;
        return 0;
    }
    r->pos += 3;
    while (peek(r, 0) && peek(r, 0) != '}') {
        for (digits = 0; is_hex(peek(r, digits)); digits++)
            ;
        if (digits > 6 || (!digits && peek(r, 0) != ' '))
            return fail(r, at, "\\u needs four hexadecimal digits, or some in braces");
        if (!digits) {
            r->pos++;
            continue;
        }
        atom(r);
        rh_buf_addf(r->out, "\\x{%.*s}", (int)digits, r->s + r->pos);
        r->pos += digits;
    }
    if (!peek(r, 0))
        return fail(r, at, "\\u{ is not closed");
    r->pos++;
    return 0;
}

/* \k<name>, \g<name>, \k'name' */
static int
rewrite_reference(struct rewriter *r)
{
    char close = peek(r, 2) == '<' ? '>' : peek(r, 2) == '\'' ? '\'' : '\0';
    size_t end = 3;

    while (close && peek(r, end) && peek(r, end) != close)
        end++;
    if (!close || !peek(r, end))
        return fail(r, r->pos, "\\k and \\g need a name, as in \\k<name>");
    copy(r, end + 1);
    return 0;
}

/* What takes no character may be repeated in Ruby, to no effect. */
static void
add_anchor(struct rewriter *r, const char *text, size_t n)
{
    r->pos += n;
    if (peek(r, 0) && strchr("*+?{", peek(r, 0)))
        rh_buf_addf(r->out, "(?:%s)", text);
    else
        rh_buf_add(r->out, text);
}

static int
rewrite_escape(struct rewriter *r)
{
    char c = peek(r, 1);
    size_t len;

    atom(r);
    switch (c) {
    case '\0':
        return fail(r, r->pos, "a backslash at the end");
    case 'b':
        add_anchor(r, "(?:(?<=" WORD ")(?!" WORD ")|(?<!" WORD ")(?=" WORD "))", 2);
        return 0;
    case 'B':
        add_anchor(r, "(?:(?<=" WORD ")(?=" WORD ")|(?<!" WORD ")(?!" WORD "))", 2);
        return 0;
    case 'A':
    case 'z':
    case 'Z':
    case 'G':
    case 'K': {
        const char anchor[] = { '\\', c, '\0' };

        add_anchor(r, anchor, 2);
        return 0;
    }
    case 'h':
        rh_buf_add(r->out, "[0-9a-fA-F]");
        break;
    case 'H':
        rh_buf_add(r->out, "[^0-9a-fA-F]");
        break;
    case 'v':
        rh_buf_add(r->out, "\\x{b}");
        break;
    case 'p':
    case 'P':
        return rewrite_property(r);
    case 'u':
        return rewrite_code_points(r);
    case 'k':
    case 'g':
        return rewrite_reference(r);
    case 'x': {
        size_t digits = 0;

        while (digits < 2 && is_hex(peek(r, 2 + digits)))
            digits++;
        if (!digits)
            return fail(r, r->pos, "\\x needs hexadecimal digits");
        rh_buf_addf(r->out, "\\x{%.*s}", (int)digits, r->s + r->pos + 2);
        r->pos += 2 + digits;
        return 0;
    }
    case 'C':
    case 'M':
    case 'c':
        return fail(r, r->pos, "control characters by \\c, \\C- and \\M- are not supported");
    default:
        len = rh_utf8_length(r->s + r->pos + 1, r->n - r->pos - 1);
        if (is_letter(c) && !strchr("dDwWsSRXtnrfea", c)) {
            rh_buf_addc(r->out, c);
            break;
        }
        copy(r, 1 + (len ? len : 1));
        return 0;
    }
    r->pos += 2;
    return 0;
}

static int
open_group(struct rewriter *r, size_t start, bool extended)
{
    if (r->depth + 1 >= MAX_GROUPS)
        return fail(r, r->pos, "groups are nested too deeply");
    r->depth++;
    *group(r) = (struct group){ .atom = r->out->n, .extended = extended, .start = start };
    return 0;
}

/* (?imx-imx) and (?imx-imx:...), with `pos` at the first letter. */
static int
rewrite_flags(struct rewriter *r, size_t start)
{
    bool extended = group(r)->extended, on = true;

    rh_buf_add(r->out, "(?");
    for (;; r->pos++) {
        char c = peek(r, 0);

        if (c == '-' && on) {
            on = false;
            rh_buf_addc(r->out, '-');
        } else if (c == 'i' || c == 'x' || c == 'm') {
            rh_buf_addc(r->out, c == 'm' ? 's' : c);
            extended = c == 'x' ? on : extended;
        } else if (c == ':' || c == ')') {
            break;
        } else {
            return fail(r, r->pos, "unknown kind of group");
        }
    }
    rh_buf_addc(r->out, ':');
    r->pos++;
    if (r->s[r->pos - 1] == ':')
        return open_group(r, start, extended);
    if (++group(r)->pending > MAX_GROUPS)
        return fail(r, r->pos, "groups are nested too deeply");
    group(r)->extended = extended;
    atom(r);
    return 0;
}

static int
skip_comment(struct rewriter *r)
{
    size_t at = r->pos;

    while (peek(r, 0) && peek(r, 0) != ')')
        r->pos += peek(r, 0) == '\\' && peek(r, 1) ? 2 : 1;
    if (!peek(r, 0))
        return fail(r, at, "a comment (?#...) is not closed");
    r->pos++;
    return 0;
}

/* (?<name>...) and (?'name'...) */
static int
rewrite_name(struct rewriter *r, size_t start, char close)
{
    size_t at = r->pos, end = 3;
    bool extended = group(r)->extended;

    while (peek(r, end) && peek(r, end) != close)
        end++;
    if (!peek(r, end) || end == 3)
        return fail(r, at, "a named group needs a name");
    copy(r, end + 1);
    return open_group(r, start, extended);
}

static int
rewrite_open(struct rewriter *r)
{
    bool extended = group(r)->extended;
    size_t start = r->out->n;

    atom(r);
    if (peek(r, 1) == '*')
        return fail(r, r->pos, "nothing to repeat");
    if (peek(r, 1) != '?') {
        copy(r, 1);
        return open_group(r, start, extended);
    }
    switch (peek(r, 2)) {
    case ':':
    case '=':
    case '!':
    case '>':
        copy(r, 3);
        return open_group(r, start, extended);
    case '#':
        r->pos += 3;
        return skip_comment(r);
    case '\'':
        return rewrite_name(r, start, '\'');
    case '<':
        if (peek(r, 3) != '=' && peek(r, 3) != '!')
            return rewrite_name(r, start, '>');
        copy(r, 4);
        return open_group(r, start, extended);
    case '(': { /* (?(<name>)yes|no), (?(1)yes|no) */
        size_t end = 3;

        while (peek(r, end) && peek(r, end) != ')')
            end++;
        if (!peek(r, end) || end == 3 || !(peek(r, 3) == '<' || (peek(r, 3) >= '0' && peek(r, 3) <= '9')))
            return fail(r, r->pos, "unknown kind of group");
        copy(r, end + 1);
        return open_group(r, start, extended);
    }
    default:
        r->pos += 2;
        return rewrite_flags(r, start);
    }
}

static void
close_pending(struct rewriter *r)
{
    for (unsigned i = 0; i < group(r)->pending; i++)
        rh_buf_addc(r->out, ')');
}

static int
rewrite_close(struct rewriter *r)
{
    size_t start = group(r)->start;

    if (!r->depth)
        return fail(r, r->pos, "unexpected ')'");
    close_pending(r);
    copy(r, 1);
    r->depth--;
    group(r)->atom = start;
    return 0;
}

/* {n}, {n,}, {,n}, {n,m}; anything else is a brace. */
static void
rewrite_brace(struct rewriter *r)
{
    size_t end = 1, digits = 0, commas = 0;

    for (; (peek(r, end) >= '0' && peek(r, end) <= '9') || (peek(r, end) == ',' && !commas); end++) {
        digits += peek(r, end) != ',';
        commas += peek(r, end) == ',';
    }
    if (peek(r, end) != '}' || !digits) {
        atom(r);
        rh_buf_add(r->out, "\\{");
        r->pos++;
        return;
    }
    if (peek(r, 1) == ',') {
        rh_buf_add(r->out, "{0");
        r->pos++;
        end--;
    }
    copy(r, end + 1);
    /* In Ruby this repeats what was repeated: {n,m}+ again and again, and {n}? once or not at all. */
    if (peek(r, 0) == '+' || (peek(r, 0) == '?' && !commas)) {
        rh_autobuf struct rh_buf tail = { 0 };

        rh_buf_add(&tail, r->out->s + group(r)->atom);
        rh_buf_truncate(r->out, group(r)->atom);
        rh_buf_addf(r->out, "(?:");
        rh_buf_addn(r->out, rh_buf_text(&tail), tail.n);
        rh_buf_addc(r->out, ')');
    }
}

static int
rewrite_one(struct rewriter *r)
{
    char c = peek(r, 0);
    size_t len;

    switch (c) {
    case '\\':
        return rewrite_escape(r);
    case '[':
        atom(r);
        return rh_ruby_class(r->s, r->n, &r->pos, r->out, r->err);
    case '(':
        return rewrite_open(r);
    case ')':
        return rewrite_close(r);
    case '{':
        rewrite_brace(r);
        return 0;
    case '*':
    case '+':
    case '?':
        copy(r, 1);
        return 0;
    case '^':
    case '$':
        atom(r);
        add_anchor(r, c == '^' ? "^" : "$", 1);
        return 0;
    case '#':
        if (group(r)->extended) {
            while (r->pos < r->n && peek(r, 0) != '\n')
                r->pos++;
            return 0;
        }
        break;
    default:
        break;
    }
    atom(r);
    len = rh_utf8_length(r->s + r->pos, r->n - r->pos);
    copy(r, len ? len : 1);
    return 0;
}

int
rh_ruby_regex(const char *source, size_t n, struct rh_buf *out, struct rh_error *err)
{
    struct rewriter r = { .s = source, .n = n, .out = out, .err = err };

    if (!rh_utf8_valid(source, n))
        return fail(&r, 0, "not UTF-8");
    while (r.pos < r.n)
        if (rewrite_one(&r) < 0)
            return -1;
    if (r.depth)
        return fail(&r, r.n, "a group is not closed: missing ')'");
    close_pending(&r);
    return 0;
}
