/* SPDX-License-Identifier: Apache-2.0 */
/* json - JSON as a format of settings: new values in the style of the text around them. */

#include "json.h"

#include "json-read.h"
#include "json-write.h"

static const char *
json_parse(struct pool *p, const struct document *d, struct tree **root)
{
    return json_read(p, d->text, d->len, root);
}

/* Behind the string at `at`. */
static size_t
behind_string(const char *text, size_t at)
{
    for (at++; text[at] && text[at] != '"'; at++)
        if (text[at] == '\\' && text[at + 1])
            at++;
    return text[at] ? at + 1 : at;
}

/* What a mapping or a list of the file looks like. */
static struct json_style
style_of(rhost_ctx *ctx, const struct document *d)
{
    struct json_style s = { .unit = "  ", .colon = ": ", .newline = "\n" };
    const char *open = strchr(d->text, '{'), *newline = strchr(d->text, '\n'), *first;

    if (newline && newline > d->text && newline[-1] == '\r')
        s.newline = "\r\n";
    if (!open)
        return s;
    first = open + 1 + strspn(open + 1, " \t\r\n");
    if (*first == '"') {
        size_t behind = behind_string(d->text, (size_t)(first - d->text));
        const char *colon = d->text + behind + strspn(d->text + behind, " \t\r\n");

        s.colon = rhost_fmt(ctx, "%.*s:%.*s", (int)strspn(d->text + behind, " "), d->text + behind,
                            (int)strspn(colon + 1, " "), colon + 1);
    }
    if (!newline || newline > d->text + strcspn(d->text, "}")) {
        s.unit = NULL; /* all in one line */
        s.comma = s.colon[strlen(s.colon) - 1] == ' ' ? ", " : ",";
        return s;
    }
    newline = memchr(open, '\n', (size_t)(first - open));
    while (newline && (open = memchr(newline + 1, '\n', (size_t)(first - newline - 1))))
        newline = open;
    if (newline && first > newline + 1)
        s.unit = rhost_copy(ctx, newline + 1, (size_t)(first - newline - 1));
    return s;
}

/* The blanks that the line of this place begins with. */
static const char *
indent_at(rhost_ctx *ctx, const char *text, size_t at)
{
    size_t line = at;

    while (line > 0 && text[line - 1] != '\n')
        line--;
    return rhost_copy(ctx, text + line, strspn(text + line, " \t"));
}

static int
has_newline(const char *text, size_t start, size_t end)
{
    return memchr(text + start, '\n', end - start) != NULL;
}

static const char *
json_replace(rhost_ctx *ctx, struct document *d, const struct tree *at, const rhost_value *value)
{
    struct json_style s = style_of(ctx, d);
    const char *text, *why = NULL;

    /* What was in one line stays in one. */
    if (at->n && !has_newline(d->text, at->start, at->end)) {
        s.unit = NULL;
        s.comma = s.comma ? s.comma : ", ";
    }
    text = json_write(ctx, value, &s, indent_at(ctx, d->text, at->start), &why);
    if (text)
        document_splice(d, at->start, at->end, text);
    return why;
}

/* The text of a new child, with its key. */
static const char *
child_text(rhost_ctx *ctx, const char *key, const rhost_value *value, const struct json_style *s,
           const char *indent, const char **why)
{
    const char *name = key ? json_write_text(ctx, key, strlen(key), why) : "";
    const char *text = name ? json_write(ctx, value, s, indent, why) : NULL;

    return text ? rhost_fmt(ctx, "%s%s%s", name, key ? s->colon : "", text) : NULL;
}

static const char *
json_insert(rhost_ctx *ctx, struct document *d, const struct tree *at, const char *key,
            const rhost_value *value)
{
    struct json_style s = style_of(ctx, d);
    const char *outer, *inner, *text, *why = NULL;
    int lines;

    if (!at) {
        text = json_write(ctx, value, &s, "", &why);
        if (text)
            document_splice(d, 0, d->len, rhost_fmt(ctx, "%s%s", text, s.newline));
        return why;
    }
    outer = indent_at(ctx, d->text, at->start);
    lines = at->n ? has_newline(d->text, at->start, at->first->key ? at->first->key_start : at->first->start)
                  : s.unit != NULL;
    if (!lines) {
        s.unit = NULL;
        s.comma = s.comma ? s.comma : ", ";
    }
    inner = !lines  ? ""
            : at->n ? indent_at(ctx, d->text, at->last->key ? at->last->key_start : at->last->start)
                    : rhost_fmt(ctx, "%s%s", outer, s.unit ? s.unit : "");
    text = child_text(ctx, key, value, &s, inner, &why);
    if (!text)
        return why;
    if (at->n)
        document_splice(d, at->last->end, at->last->end,
                        lines ? rhost_fmt(ctx, ",%s%s%s", s.newline, inner, text)
                              : rhost_fmt(ctx, "%s%s", s.comma, text));
    else
        document_splice(d, at->start + 1, at->end - 1,
                        lines ? rhost_fmt(ctx, "%s%s%s%s%s", s.newline, inner, text, s.newline, outer)
                              : text);
    return NULL;
}

static const char *
json_remove(rhost_ctx *ctx, struct document *d, const struct tree *at)
{
    (void)ctx;
    if (at->previous)
        document_splice(d, at->previous->end, at->end, "");
    else if (at->next)
        document_splice(d, at->key_start, at->next->key_start, "");
    else
        document_splice(d, at->parent->start + 1, at->parent->end - 1, "");
    return NULL;
}

const struct setting_format json_format = {
    .parse = json_parse,
    .replace = json_replace,
    .insert = json_insert,
    .remove = json_remove,
};
