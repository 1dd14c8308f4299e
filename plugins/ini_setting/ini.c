/* SPDX-License-Identifier: Apache-2.0 */
/* ini - where a setting stands in the lines of a file, and how to change it there and nothing else. */

#include "ini.h"

#define NONE ((size_t)-1)

/* What one line is. */
struct parsed {
    enum { BLANK, COMMENT, HEADER, SETTING } kind;
    struct ini_part name; /* of a section or a setting; of a comment that shows one, of that */
    int has_value;
    struct ini_part raw;   /* the value with its quotes, and without a comment behind it */
    struct ini_part value; /* the value */
    size_t indent;         /* blanks in front */
};

/* What is known of a section after a walk through the file. */
struct section {
    size_t header; /* NONE: there is no such section, or it is that before the first header */
    size_t end;    /* of its last stretch: the line behind it */
    size_t behind; /* where a new setting goes: behind the last one, with what continues it */
    size_t shown;  /* a comment that shows the setting; NONE */
    struct ini_part indent;
    int there;
};

static int
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static struct ini_part
trim(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    while (end > at && is_blank(end[-1]))
        end--;
    return (struct ini_part){ at, (size_t)(end - at) };
}

static int
part_is(struct ini_part part, const char *text)
{
    return strlen(text) == part.len && memcmp(part.at, text, part.len) == 0;
}

/* Where a comment behind the value begins, with the blanks in front of it; `end` for nowhere. */
static const char *
comment_behind(const char *at, const char *end)
{
    char quote = 0;

    for (const char *p = at; p < end; p++) {
        if (quote) {
            if (*p == quote)
                quote = 0;
        } else if ((*p == '"' || *p == '\'') && p == at) {
            quote = *p;
        } else if ((*p == '#' || *p == ';') && (p == at || is_blank(p[-1]))) {
            while (p > at && is_blank(p[-1]))
                p--;
            return p;
        }
    }
    return end;
}

/* "name = value" between at and end, which is trimmed and not empty. */
static void
parse_setting(const char *at, const char *end, const struct ini_style *style, struct parsed *p)
{
    const char *mark = at, *value;

    if (style->mark == ' ')
        while (mark < end && !is_blank(*mark))
            mark++;
    else
        while (mark < end && *mark != style->mark)
            mark++;
    p->has_value = mark < end;
    if (!p->has_value) {
        p->name = trim(at, style->comments ? comment_behind(at, end) : end);
        return;
    }
    p->name = trim(at, mark);
    value = mark + 1;
    while (value < end && is_blank(*value))
        value++;
    p->raw = trim(value, style->comments ? comment_behind(value, end) : end);
    if (!p->raw.len)
        p->raw.at = value;
    p->value = p->raw;
    if (style->quote && p->raw.len >= 2 && (*p->raw.at == '"' || *p->raw.at == '\'')
        && p->raw.at[p->raw.len - 1] == *p->raw.at)
        p->value = (struct ini_part){ p->raw.at + 1, p->raw.len - 2 };
}

static struct parsed
parse(const struct rhost_line *line, const struct ini_style *style)
{
    const char *end = line->text + line->len;
    struct ini_part text = trim(line->text, end);
    struct parsed p = { .indent = (size_t)(text.at - line->text) };

    end = text.at + text.len;
    if (!text.len)
        return p;
    if (*text.at == '#' || *text.at == ';') {
        p.kind = COMMENT;
        while (text.at < end && (*text.at == '#' || *text.at == ';'))
            text.at++;
        text = trim(text.at, end);
        if (text.len)
            parse_setting(text.at, end, style, &p);
        return p;
    }
    if (*text.at == '[') {
        for (const char *close = text.at + 1; close < end; close++) {
            struct ini_part rest = trim(close + 1, end);

            if (*close == ']' && (!rest.len || *rest.at == '#' || *rest.at == ';')) {
                p.kind = HEADER;
                p.name = trim(text.at + 1, close);
                return p;
            }
        }
    }
    p.kind = SETTING;
    parse_setting(text.at, end, style, &p);
    return p;
}

/* Walks through the file; each line with the setting is passed to `visit` (which may be NULL). */
static struct section
walk(const struct rhost_lines *l, const struct ini_style *style, const char *name, const char *setting,
     void (*visit)(void *data, size_t at, const struct parsed *p), void *data)
{
    struct section s = { .header = NONE, .shown = NONE, .indent = { "", 0 } };
    int inside = !*name, continues = 0;
    size_t deep = 0;

    s.there = inside;
    for (size_t i = 0; i < l->n; i++) {
        struct parsed p = parse(&l->at[i], style);

        if (p.kind == HEADER) {
            inside = part_is(p.name, name);
            continues = 0;
            if (inside) {
                s.there = 1;
                s.header = i;
                s.behind = i + 1;
            }
        }
        if (!inside)
            continue;
        s.end = i + 1;
        if (p.kind == COMMENT && s.header == NONE && s.behind == i)
            s.behind = i + 1; /* what a file begins with stays at its begin */
        if (p.kind == COMMENT && p.has_value && part_is(p.name, setting))
            s.shown = i;
        if (p.kind != SETTING) {
            continues = continues && p.kind == COMMENT;
            continue;
        }
        if (continues && p.indent > deep && !p.has_value) {
            s.behind = i + 1;
            continue;
        }
        continues = 1;
        deep = p.indent;
        s.behind = i + 1;
        s.indent = (struct ini_part){ l->at[i].text, p.indent };
        if (visit && part_is(p.name, setting))
            visit(data, i, &p);
    }
    return s;
}

struct ini_style
ini_style_of(const rhost_value *wanted)
{
    struct ini_style style = {
        .separator = rhost_str_or(wanted, "separator", " = "),
        .quote = *rhost_str_or(wanted, "quote", ""),
        .comments = rhost_bool(wanted, "inline_comments", 0),
        .indent = rhost_str(wanted, "indent"),
    };

    style.mark = style.separator[strspn(style.separator, " \t")];
    if (!style.mark)
        style.mark = ' ';
    return style;
}

static void
note(void *data, size_t at, const struct parsed *p)
{
    struct ini_found *f = data;

    f->n++;
    f->last = at;
    f->has_value = p->has_value;
    f->value = p->value;
}

struct ini_found
ini_find(const struct rhost_lines *l, const struct ini_style *style, const char *section, const char *setting)
{
    struct ini_found f = { 0 };

    (void)walk(l, style, section, setting, note, &f);
    return f;
}

static int
same(struct ini_part a, struct ini_part b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static int
continues(const struct rhost_lines *l, size_t i)
{
    return i > 0 && l->at[i - 1].len && l->at[i - 1].text[l->at[i - 1].len - 1] == '\\';
}

int
ini_each(const struct rhost_lines *l, const struct ini_style *style,
         int (*visit)(void *data, struct ini_part section, struct ini_part setting,
                      const struct ini_found *found),
         void *data)
{
    struct ini_part section = { "", 0 };

    for (size_t i = 0; i < l->n; i++) {
        struct parsed p = parse(&l->at[i], style);
        struct ini_part where = section;
        struct ini_found f = { .last = i, .n = 1, .has_value = p.has_value, .value = p.value };
        int result;

        if (p.kind == HEADER)
            section = p.name;
        if (p.kind != SETTING || !p.name.len || continues(l, i))
            continue;
        for (size_t k = i + 1; k < l->n; k++) { /* the last one counts */
            struct parsed later = parse(&l->at[k], style);

            if (later.kind == HEADER)
                where = later.name;
            if (later.kind == SETTING && same(where, section) && same(later.name, p.name) && !continues(l, k))
                f.n++;
        }
        result = f.n == 1 ? visit(data, section, p.name, &f) : 0;
        if (result != 0)
            return result;
    }
    return 0;
}

static size_t
text_length(const char *text)
{
    return text ? strlen(text) : 0;
}

/* The line of a new setting, or of one that had no value. */
static void
write_new(rhost_ctx *ctx, struct rhost_lines *l, const struct ini_style *style, size_t at, int fresh,
          struct ini_part indent, const char *setting, const char *value)
{
    size_t size = indent.len + strlen(setting) + strlen(style->separator) + text_length(value) + 3;
    char *text = rhost_alloc(ctx, size), quote[2] = { style->quote, '\0' };
    int n =
        snprintf(text, size, "%.*s%s%s%s%s%s", (int)indent.len, indent.at, setting,
                 value ? style->separator : "", value ? quote : "", value ? value : "", value ? quote : "");

    while (n > 0 && is_blank(text[n - 1])) /* an empty value */
        n--;
    if (fresh)
        rhost_lines_insert(l, at, text, (size_t)n);
    else
        rhost_lines_put(l, at, text, (size_t)n);
}

static void
write_value(rhost_ctx *ctx, struct rhost_lines *l, const struct ini_style *style, size_t at,
            const char *value)
{
    const struct rhost_line *line = &l->at[at];
    struct parsed p = parse(line, style);
    size_t before = (size_t)(p.raw.at - line->text), after = before + p.raw.len;
    size_t size = line->len + strlen(value) + strlen(style->separator) + 4;
    char *text = rhost_alloc(ctx, size), quote[2] = { style->quote, '\0' };
    const char *gap = "";
    /* A comment right behind an empty value must not become a part of the new one. */
    const char *space = after < line->len && !is_blank(line->text[after]) ? " " : "";
    int n;

    /* "name=" gets the blank that its separator has behind the mark. */
    if (!p.raw.len && before && !is_blank(line->text[before - 1]))
        gap = style->separator + strcspn(style->separator, "=:") + 1;
    n = snprintf(text, size, "%.*s%s%s%s%s%s%.*s", (int)before, line->text, gap, quote, value, quote, space,
                 (int)(line->len - after), line->text + after);
    while (n > 0 && is_blank(text[n - 1]))
        n--;
    rhost_lines_put(l, at, text, (size_t)n);
}

void
ini_put(rhost_ctx *ctx, struct rhost_lines *l, const struct ini_style *style, const char *section,
        const char *setting, const char *value)
{
    struct ini_found f = { 0 };
    struct section s = walk(l, style, section, setting, note, &f);
    struct ini_part indent =
        style->indent ? (struct ini_part){ style->indent, strlen(style->indent) } : s.indent;

    if (f.n && !value)
        return;
    if (f.n && f.has_value) {
        write_value(ctx, l, style, f.last, value);
        return;
    }
    if (f.n) {
        const struct rhost_line *line = &l->at[f.last];

        indent = (struct ini_part){ line->text, parse(line, style).indent };
        write_new(ctx, l, style, f.last, 0, indent, setting, value);
        return;
    }
    if (!s.there) {
        size_t size = strlen(section) + 3;
        char *header = rhost_alloc(ctx, size);

        snprintf(header, size, "[%s]", section);
        if (l->n && parse(&l->at[l->n - 1], style).kind != BLANK)
            rhost_lines_append(l, "");
        rhost_lines_append(l, header);
        s.behind = l->n;
    }
    write_new(ctx, l, style, s.shown != NONE ? s.shown + 1 : s.behind, 1, indent, setting, value);
}

static void
take_last(void *data, size_t at, const struct parsed *p)
{
    size_t *last = data;

    (void)p;
    *last = at;
}

static int
is_empty(const struct rhost_lines *l, const struct ini_style *style, size_t from, size_t to)
{
    while (from < to && parse(&l->at[from], style).kind == BLANK)
        from++;
    return from == to;
}

void
ini_remove(struct rhost_lines *l, const struct ini_style *style, const char *section, const char *setting,
           int whole)
{
    for (;;) {
        size_t last = NONE;

        (void)walk(l, style, section, setting, take_last, &last);
        if (last == NONE)
            break;
        rhost_lines_remove(l, last, 1);
    }
    while (whole && *section && !l->failed) {
        struct section s = walk(l, style, section, setting, NULL, NULL);

        if (s.header == NONE || !is_empty(l, style, s.header + 1, s.end))
            break;
        rhost_lines_remove(l, s.header, s.end - s.header);
    }
}
