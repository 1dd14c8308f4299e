/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-edit - values of a YAML text replaced, added and removed where they stand; comments and all else stay.
 *
 * What is written is read again by setting.c, and refused unless it says what it should. */

#include "yaml-edit.h"

#include "yaml-read.h"
#include "yaml-write.h"

#define EXPLICIT "the key is written behind '?', which is not edited"

static const char *
newline_of(const struct document *d)
{
    const char *newline = strchr(d->text, '\n');

    return newline && newline > d->text && newline[-1] == '\r' ? "\r\n" : "\n";
}

static size_t
line_start(const struct document *d, size_t at)
{
    while (at > 0 && d->text[at - 1] != '\n')
        at--;
    return at;
}

/* The place of the newline that ends the line, "\r\n" or "\n", or the end of the text. */
static size_t
line_end(const struct document *d, size_t at)
{
    while (at < d->len && d->text[at] != '\n')
        at++;
    return at > 0 && at < d->len && d->text[at - 1] == '\r' ? at - 1 : at;
}

/* How many characters stand in front of it in its line: the blanks of lines that belong to it. */
static size_t
column(const struct document *d, size_t at)
{
    size_t n = 0;

    for (size_t i = line_start(d, at); i < at; i++)
        n += (d->text[i] & 0xc0) != 0x80;
    return n;
}

/* How much deeper the mappings of this file are than those that they are in. */
static size_t
unit_of(const struct document *d, const struct tree *t)
{
    size_t unit;

    for (const struct tree *c = t->first; c; c = c->next) {
        if (t->kind == TREE_MAPPING && !t->flow && c->kind == TREE_MAPPING && !c->flow && c->n
            && column(d, c->first->key_start) > column(d, c->key_start))
            return column(d, c->first->key_start) - column(d, c->key_start);
        unit = unit_of(d, c);
        if (unit)
            return unit;
    }
    return 0;
}

static size_t
unit_in(const struct document *d, const struct tree *t)
{
    size_t unit;

    while (t && t->parent)
        t = t->parent;
    unit = t ? unit_of(d, t) : 0;
    return unit >= 2 && unit <= 9 ? unit : 2;
}

/* Behind the colon of a key. */
static size_t
behind_colon(const struct document *d, const struct tree *t)
{
    size_t at = t->key_end;

    while (at < d->len && d->text[at] != ':')
        at++;
    return at + 1;
}

/* Whether the value is written in lines of its own. */
static int
is_lines(const rhost_value *value, int flow)
{
    int kind = value ? value->host->kind(value) : RHOST_UNDEF;

    return !flow && rhost_count(value) && (kind == RHOST_HASH || kind == RHOST_ARRAY);
}

/* The text of a value whose lines stand so many blanks deep. NULL, with the reason in *why. */
static const char *
text_of(rhost_ctx *ctx, const struct document *d, const struct tree *near, const rhost_value *value, int flow,
        size_t blanks, const char **why)
{
    const char *text = yaml_write(ctx, value, flow, (int)unit_in(d, near), why);

    return text ? yaml_indented(ctx, text, blanks, newline_of(d)) : NULL;
}

/* A value in lines below its key. What stands behind the former one in its line, a comment, stays there. */
static void
put_below(rhost_ctx *ctx, struct document *d, const struct tree *at, const char *text, size_t blanks)
{
    const char *lines = rhost_fmt(ctx, "%s%*s%s", newline_of(d), (int)blanks, "", text);
    size_t colon = behind_colon(d, at);

    if (at->block) {
        document_splice(d, colon, at->end, rhost_fmt(ctx, "%s%s", lines, newline_of(d)));
    } else if (line_start(d, at->start) > colon) { /* it was below already */
        document_splice(d, line_end(d, colon), line_end(d, at->end), lines);
    } else {
        document_splice(d, line_end(d, at->end), line_end(d, at->end), lines);
        document_splice(d, colon, at->end, "");
    }
}

/* A value behind its key. The lines of a former one below the key go with their comments. */
static void
put_behind(rhost_ctx *ctx, struct document *d, const struct tree *at, const char *text)
{
    size_t colon = behind_colon(d, at);

    if (at->block) {
        document_splice(d, colon, at->end, rhost_fmt(ctx, " %s%s", text, newline_of(d)));
    } else if (line_start(d, at->start) > colon) {
        document_splice(d, line_end(d, colon), line_end(d, at->end), "");
        document_splice(d, colon, colon, rhost_fmt(ctx, " %s", text));
    } else {
        document_splice(d, at->start, at->end, rhost_fmt(ctx, "%s%s", at->start == colon ? " " : "", text));
    }
}

static const char *
yaml_replace(rhost_ctx *ctx, struct document *d, const struct tree *at, const rhost_value *value)
{
    int flow = at->parent && at->parent->flow, lines = is_lines(value, flow);
    size_t blanks = at->key && !flow ? column(d, at->key_start) + unit_in(d, at) : column(d, at->start);
    const char *why = NULL, *text;

    if (at->explicit)
        return EXPLICIT;
    /* A collection in brackets stays in them. */
    if (at->flow && at->n) {
        flow = 1;
        lines = 0;
    }
    text = text_of(ctx, d, at, value, flow, blanks, &why);
    if (!text)
        return why;
    if (at->key && !flow && lines)
        put_below(ctx, d, at, text, blanks);
    else if (at->key && !(at->parent && at->parent->flow))
        put_behind(ctx, d, at, text);
    else
        document_splice(d, at->start, at->end,
                        rhost_fmt(ctx, "%s%s%s", at->start == at->end && at->parent ? " " : "", text,
                                  at->block ? newline_of(d) : ""));
    return NULL;
}

/* The text of a new child of a mapping or a list in lines, whose first line stands so many blanks deep. */
static const char *
child_text(rhost_ctx *ctx, const struct document *d, const struct tree *in, const char *key,
           const rhost_value *value, size_t blanks, const char **why)
{
    size_t unit = unit_in(d, in);
    const char *name, *text;

    if (!key) {
        text = text_of(ctx, d, in, value, 0, blanks + 2, why);
        return text ? rhost_fmt(ctx, "- %s", text) : NULL;
    }
    name = yaml_write_key(ctx, key, 0, why);
    text = name ? text_of(ctx, d, in, value, 0, blanks + unit, why) : NULL;
    if (!text)
        return NULL;
    return is_lines(value, 0)
               ? rhost_fmt(ctx, "%s:%s%*s%s", name, newline_of(d), (int)(blanks + unit), "", text)
               : rhost_fmt(ctx, "%s: %s", name, text);
}

/* The end of the last line of a collection in lines, behind its newline; one that the text lacks is added. */
static size_t
below(struct document *d, size_t end)
{
    size_t at = end;

    if (at > 0 && d->text[at - 1] == '\n') /* behind the lines of | or > */
        return at;
    at = line_end(d, at);
    if (at < d->len)
        return at + (d->text[at] == '\r' ? 2 : 1);
    document_splice(d, at, at, newline_of(d));
    return d->len;
}

static const char *
insert_in_flow(rhost_ctx *ctx, struct document *d, const struct tree *at, const char *key,
               const rhost_value *value)
{
    const char *why = NULL, *name = key ? yaml_write_key(ctx, key, 1, &why) : "";
    const char *text = name ? yaml_write(ctx, value, 1, 2, &why) : NULL;

    if (!text)
        return why;
    text = rhost_fmt(ctx, "%s%s%s", name, key ? ": " : "", text);
    if (at->n)
        document_splice(d, at->last->end, at->last->end, rhost_fmt(ctx, ", %s", text));
    else
        document_splice(d, at->end - 1, at->end - 1, text);
    return NULL;
}

/* Of a text without a value: behind its comments. */
static const char *
insert_root(rhost_ctx *ctx, struct document *d, const rhost_value *value)
{
    const char *why = NULL, *text = text_of(ctx, d, NULL, value, 0, 0, &why);
    size_t at;

    if (!text)
        return why;
    at = d->len ? below(d, d->len) : 0;
    document_splice(d, at, at, rhost_fmt(ctx, "%s%s", text, newline_of(d)));
    return NULL;
}

static const char *
yaml_insert(rhost_ctx *ctx, struct document *d, const struct tree *at, const char *key,
            const rhost_value *value)
{
    const char *why = NULL, *text;
    size_t blanks, place;

    if (!at)
        return insert_root(ctx, d, value);
    if (at->flow && !at->n && !at->parent && key) { /* "{}" is all of the text */
        text = child_text(ctx, d, at, key, value, 0, &why);
        if (text)
            document_splice(d, at->start, at->end, text);
        return why;
    }
    if (at->flow)
        return insert_in_flow(ctx, d, at, key, value);
    if (key && at->last->explicit)
        return EXPLICIT;
    blanks = column(d, key ? at->first->key_start : at->start);
    text = child_text(ctx, d, at, key, value, blanks, &why);
    if (!text)
        return why;
    place = below(d, at->end);
    document_splice(d, place, place, rhost_fmt(ctx, "%*s%s%s", (int)blanks, "", text, newline_of(d)));
    return NULL;
}

static int
is_blank_before(const struct document *d, size_t at)
{
    size_t start = line_start(d, at);

    return strspn(d->text + start, " ") >= at - start;
}

static const char *
yaml_remove(rhost_ctx *ctx, struct document *d, const struct tree *at)
{
    const struct tree *in = at->parent;

    if (at->explicit)
        return EXPLICIT;
    if (in->flow && at->previous) {
        document_splice(d, at->previous->end, at->end, "");
    } else if (in->flow) {
        document_splice(d, at->key_start, at->next ? at->next->key_start : at->end, "");
    } else if (!at->previous && !at->next) { /* the last one leaves an empty mapping */
        const rhost_value *empty = ctx->host->new_hash(ctx);

        return yaml_replace(ctx, d, in, empty);
    } else if (at->next && !is_blank_before(d, at->key_start)) {
        document_splice(d, at->key_start, at->next->key_start, "");
    } else {
        size_t end = below(d, at->end);

        document_splice(d, line_start(d, at->key_start), end, "");
    }
    return NULL;
}

const struct setting_format yaml_format = {
    .parse = yaml_read,
    .replace = yaml_replace,
    .insert = yaml_insert,
    .remove = yaml_remove,
};
