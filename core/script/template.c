/* SPDX-License-Identifier: Apache-2.0 */
/* template - text with expressions and statements in it, turned into a chunk of Lua.
 *
 * A tag of statements or a comment that has its line to itself takes the line away with it; a '-'
 * inside a delimiter takes away all white space on its side. Lines that are taken away stay in the
 * chunk, as lines. */
#include "config.h"

#include "script/template.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct tag {
    char kind;               /* '{', '%', '#' */
    size_t start, end;       /* of all of it */
    size_t inner, inner_end; /* of what is inside, without the '-' */
    bool trim_before, trim_after;
};

struct translating {
    const char *text;
    size_t n;
    struct rh_buf *out;
    struct rh_template_fault *fault;
    bool separated; /* a ';' was written last */
};

static unsigned
line_of(const struct translating *t, size_t at)
{
    unsigned line = 1;

    for (size_t i = 0; i < at; i++)
        line += t->text[i] == '\n';
    return line;
}

static int
fail(const struct translating *t, size_t at, const char *message)
{
    *t->fault = (struct rh_template_fault){ .message = message, .line = line_of(t, at) };
    return -1;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool
is_space(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

static bool
is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '"';
}

/* The start of the next tag, or the end of the text. */
static size_t
find_tag(const struct translating *t, size_t at)
{
    for (; at + 1 < t->n; at++)
        if (t->text[at] == '{' && t->text[at + 1] && strchr("{%#", t->text[at + 1]))
            return at;
    return t->n;
}

/* A comment up to its line's end, or the tag's: there is nothing behind it. */
static bool
at_short_comment(const struct translating *t, size_t at)
{
    const char *s = t->text + at;

    if (at + 1 >= t->n || s[0] != '-' || s[1] != '-')
        return false;
    return at + 2 >= t->n || s[2] != '[' || rh_script_skip(t->text, t->n, at + 2) == at + 3;
}

/* Whether the tag's code is closed here. */
static bool
closes(const struct translating *t, size_t at, char first, size_t depth)
{
    return !depth && at + 1 < t->n && t->text[at] == first && t->text[at + 1] == '}';
}

/* The end of the code that starts at `at`: where "}}" or "%}" stands. SIZE_MAX when it does not. */
static size_t
find_close(const struct translating *t, size_t at, char kind)
{
    char first = kind == '{' ? '}' : '%';
    size_t depth = 0;

    while (at < t->n) {
        if (closes(t, at, first, depth))
            return at;
        if (t->text[at] == '-' && closes(t, at + 1, first, depth)) {
            at++;
            continue;
        }
        if (at_short_comment(t, at)) {
            while (at < t->n && t->text[at] != '\n' && !closes(t, at, first, depth))
                at++;
            continue;
        }
        if (kind == '{' && t->text[at] == '{')
            depth++;
        else if (kind == '{' && t->text[at] == '}' && depth)
            depth--;
        at = rh_script_skip(t->text, t->n, at);
    }
    return SIZE_MAX;
}

static int
read_tag(struct translating *t, size_t start, struct tag *tag)
{
    size_t close;

    *tag = (struct tag){ .kind = t->text[start + 1], .start = start, .inner = start + 2 };
    if (tag->inner < t->n && t->text[tag->inner] == '-'
        && !(tag->inner + 1 < t->n && t->text[tag->inner + 1] == '-')) {
        tag->trim_before = true;
        tag->inner++;
    }
    if (tag->kind == '#') {
        for (close = tag->inner; close + 1 < t->n; close++)
            if (t->text[close] == '#' && t->text[close + 1] == '}')
                break;
        if (close + 1 >= t->n)
            return fail(t, start, "missing '#}' after '{#'");
    } else {
        close = find_close(t, tag->inner, tag->kind);
        if (close == SIZE_MAX)
            return fail(t, start, tag->kind == '{' ? "missing '}}' after '{{'" : "missing '%}' after '{%'");
    }
    tag->end = close + 2;
    tag->inner_end = close;
    if (close > tag->inner && t->text[close - 1] == '-') {
        tag->trim_after = true;
        tag->inner_end--;
    }
    return 0;
}

/* The lines between two places, which the chunk has to have too. */
static void
add_lines(struct translating *t, size_t from, size_t to)
{
    for (; from < to; from++)
        if (t->text[from] == '\n')
            rh_buf_addc(t->out, '\n');
}

static void
add_quoted(struct translating *t, const char *s, size_t n, bool lines)
{
    rh_buf_addc(t->out, '"');
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\n')
            rh_buf_add(t->out, lines ? "\\\n" : " ");
        else if (s[i] == '"' || s[i] == '\\')
            rh_buf_addf(t->out, "\\%c", s[i]);
        else if (s[i] == '\r')
            rh_buf_add(t->out, "\\r");
        else if (s[i] == '\0')
            rh_buf_add(t->out, "\\000");
        else
            rh_buf_addc(t->out, s[i]);
    }
    rh_buf_addc(t->out, '"');
}

/* Ends the statement before, on its own line: Lua complains of what is missing at its end. */
static void
separate(struct translating *t)
{
    if (!t->separated)
        rh_buf_add(t->out, " ;");
    t->separated = false;
}

static void
add_text(struct translating *t, size_t from, size_t to)
{
    if (from >= to)
        return;
    separate(t);
    rh_buf_add(t->out, "__text(");
    add_quoted(t, t->text + from, to - from, true);
    rh_buf_addc(t->out, ')');
}

/* Code, without the comments that would go on behind its tag. */
static void
add_code(struct translating *t, size_t at, size_t end)
{
    while (at < end) {
        size_t next;

        if (at_short_comment(t, at)) {
            while (at < end && t->text[at] != '\n')
                at++;
            continue;
        }
        next = rh_script_skip(t->text, end, at);
        if (next > end)
            next = end;
        /* Lua counts a '\r' as a line's end too, which it is not in the template. */
        if (next == at + 1 && t->text[at] == '\r')
            rh_buf_addc(t->out, ' ');
        else
            rh_buf_addn(t->out, t->text + at, next - at);
        at = next;
    }
}

/* Whether a tag is a statement that other template languages have and Lua cannot read: a word that stands
 * alone, or one before a name. Fails then. */
static bool
is_of_others(const struct translating *t, size_t from, size_t to)
{
    static const struct {
        const char *word;
        bool by_itself;
    } words[] = {
        { "endif", true },   { "endfor", true },  { "endunless", true }, { "endblock", true },
        { "elif", false },   { "elsif", false },  { "unless", false },   { "set", false },
        { "block", false },  { "macro", false },  { "extends", false },  { "import", false },
        { "assign", false }, { "raw", true },     { "endraw", true },    { "endmacro", true },
        { "endset", true },  { "endwith", true }, { "foreach", false },
    };

    while (from < to && is_space(t->text[from]))
        from++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t n = strlen(words[i].word), next = from + n;

        if (n > to - from || memcmp(t->text + from, words[i].word, n) != 0)
            continue;
        while (next < to && is_space(t->text[next]))
            next++;
        if (words[i].by_itself ? next < to : next == from + n || !is_name(t->text[next]))
            continue;
        *t->fault = (struct rh_template_fault){ .statement = words[i].word, .line = line_of(t, from) };
        return true;
    }
    return false;
}

static int
add_tag(struct translating *t, const struct tag *tag)
{
    size_t from = tag->inner, to = tag->inner_end;

    if (tag->kind == '#') {
        add_lines(t, from, to);
    } else if (tag->kind == '%') {
        if (is_of_others(t, from, to))
            return -1;
        separate(t);
        add_code(t, from, to);
        rh_buf_add(t->out, " ;");
        t->separated = true;
    } else {
        while (from < to && is_space(t->text[from]))
            from++;
        while (to > from && is_space(t->text[to - 1]))
            to--;
        if (from == to)
            return fail(t, tag->start, "missing expression between '{{' and '}}'");
        add_lines(t, tag->inner, from);
        separate(t);
        rh_buf_add(t->out, "__value(");
        add_quoted(t, t->text + from, to - from, false);
        rh_buf_addc(t->out, ',');
        add_code(t, from, to);
        rh_buf_addc(t->out, ')');
        add_lines(t, to, tag->inner_end);
    }
    return 0;
}

/* Where nothing but blanks stands beside the tag on its line, `from` and `to` become all of that
 * line. `floor`: what was written already. */
static void
take_whole_line(const struct translating *t, const struct tag *tag, size_t floor, size_t *from, size_t *to)
{
    size_t start = tag->start, end = tag->end;

    while (start > floor && is_blank(t->text[start - 1]))
        start--;
    if (start > 0 && t->text[start - 1] != '\n')
        return;
    while (end < t->n && (is_blank(t->text[end]) || t->text[end] == '\r'))
        end++;
    if (end < t->n && t->text[end] != '\n')
        return;
    *from = start;
    *to = end < t->n ? end + 1 : end;
}

int
rh_template_translate(const char *text, size_t n, struct rh_buf *out, struct rh_template_fault *fault)
{
    struct translating t = { .text = text, .n = n, .out = out, .fault = fault };
    size_t at = 0;

    rh_buf_add(out, "local _ENV, __text, __value = ...");
    while (at < n) {
        struct tag tag;
        size_t start = find_tag(&t, at), from = start, to;

        if (start == n) {
            add_text(&t, at, n);
            break;
        }
        if (read_tag(&t, start, &tag) < 0)
            return -1;
        to = tag.end;
        if (tag.kind != '{')
            take_whole_line(&t, &tag, at, &from, &to);
        if (tag.trim_before)
            for (from = start; from > at && is_space(text[from - 1]);)
                from--;
        if (tag.trim_after)
            for (to = tag.end; to < n && is_space(text[to]);)
                to++;
        add_text(&t, at, from);
        add_lines(&t, from, start);
        if (add_tag(&t, &tag) < 0)
            return -1;
        add_lines(&t, tag.end, to);
        at = to;
    }
    return 0;
}
