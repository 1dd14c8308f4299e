/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-read - YAML texts to trees, by libyaml.
 *
 * libyaml counts characters, and a tree has bytes. Block collections end, for libyaml, where the next thing
 * begins; here they end with their last child, so that comments behind them are no part of them. */

#include "yaml-read.h"

#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <yaml.h>

struct reading {
    struct pool *pool;
    const struct document *d;
    yaml_parser_t parser;
    size_t chars, bytes; /* a place that is known, from which the next one is counted on */
    int deep, documents;
    struct tree *root;
    const char *why;
};

/* What YAML 1.1 takes for a Boolean, a number, a time or a merge, and 1.2 for text, or the other way round.
 */
static const char unclear[] = "^(y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|<<|="
                              "|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])*(\\.[0-9_]*)?([eE][-+]?[0-9]+)?"
                              "|[-+]?0[box][0-9a-fA-F_]+|[-+]?\\.[0-9_]*([eE][-+]?[0-9]+)?"
                              "|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)"
                              "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?)$";

static regex_t unclear_forms;
static int unclear_is_known;

/* Compiled once: a file has thousands of words. */
static void
compile_unclear(void)
{
    unclear_is_known = regcomp(&unclear_forms, unclear, REG_EXTENDED | REG_NOSUB) == 0;
}

static int
is_unclear(const char *text)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    /* Without memory nobody knows. */
    return pthread_once(&once, compile_unclear) != 0 || !unclear_is_known
           || regexec(&unclear_forms, text, 0, NULL, 0) == 0;
}

/* Behind "-12" or "0"; NULL: it does not begin so. */
static const char *
skip_integer(const char *text)
{
    size_t n;

    text += *text == '-';
    n = strspn(text, "0123456789");
    return n == 1 || (n && *text != '0') ? text + n : NULL;
}

/* "1.5", "-0.25e+3" */
static int
is_real(const char *text)
{
    const char *rest = skip_integer(text);
    size_t n = rest && *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

    if (!n)
        return 0;
    rest += 1 + n;
    if (*rest != 'e' && *rest != 'E')
        return !*rest;
    if (rest[1] != '+' && rest[1] != '-')
        return 0;
    n = strspn(rest + 2, "0123456789");
    return n && !rest[2 + n];
}

static int
is_word(const char *text, const char *a, const char *b, const char *c)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

void
yaml_resolve(struct tree *t, const char *text, size_t len)
{
    const char *rest;

    t->kind = TREE_STRING;
    t->text = text;
    t->len = len;
    if (!len || is_word(text, "null", "Null", "NULL") || strcmp(text, "~") == 0) {
        t->kind = TREE_NULL;
    } else if (is_word(text, "true", "True", "TRUE") || is_word(text, "false", "False", "FALSE")) {
        t->kind = TREE_BOOLEAN;
        t->integer = *text == 't' || *text == 'T';
    } else if (strchr("+-.0123456789yYnNoO<=", *text)) {
        rest = skip_integer(text);
        if (rest && !*rest) {
            errno = 0;
            t->integer = strtoll(text, NULL, 10);
            t->kind = errno ? TREE_OTHER : TREE_INTEGER;
        } else if (is_real(text)) {
            t->real = strtod(text, NULL);
            t->kind = TREE_REAL;
        } else if (is_unclear(text)) {
            t->kind = TREE_OTHER;
        }
    }
    if (t->kind != TREE_STRING) {
        t->text = NULL;
        t->len = 0;
    }
}

/* The byte of a character. */
static size_t
place(struct reading *r, const yaml_mark_t *mark)
{
    if (mark->index < r->chars) {
        r->chars = 0;
        r->bytes = strncmp(r->d->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    }
    while (r->chars < mark->index && r->bytes < r->d->len) {
        r->bytes++;
        while (r->bytes < r->d->len && (r->d->text[r->bytes] & 0xc0) == 0x80)
            r->bytes++;
        r->chars++;
    }
    return r->bytes;
}

static const char *
special(rhost_ctx *ctx, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return rhost_fmt(ctx, "it has the anchor '&%s', which aliases may use", (const char *)anchor);
    return tag ? rhost_fmt(ctx, "it has the tag '%s'", (const char *)tag) : NULL;
}

static void
read_scalar(struct reading *r, struct tree *t, const yaml_event_t *e)
{
    const char *text = (const char *)e->data.scalar.value;
    size_t len = e->data.scalar.length;

    t->special = special(r->pool->ctx, e->data.scalar.anchor, e->data.scalar.tag);
    t->block =
        e->data.scalar.style == YAML_LITERAL_SCALAR_STYLE || e->data.scalar.style == YAML_FOLDED_SCALAR_STYLE;
    text = pool_copy(r->pool, text, len);
    if (e->data.scalar.tag || memchr(text, '\0', len)) {
        t->kind = TREE_OTHER;
    } else if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        yaml_resolve(t, text, len);
    } else {
        t->kind = TREE_STRING;
        t->text = text;
        t->len = len;
    }
}

/* Tags and anchors stand in front of what an event is about, and belong to it. */
static void
read_collection(struct reading *r, struct tree *t, const yaml_event_t *e)
{
    int mapping = e->type == YAML_MAPPING_START_EVENT;

    t->kind = mapping ? TREE_MAPPING : TREE_LIST;
    t->flow = mapping ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                      : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    t->special = mapping ? special(r->pool->ctx, e->data.mapping_start.anchor, e->data.mapping_start.tag)
                         : special(r->pool->ctx, e->data.sequence_start.anchor, e->data.sequence_start.tag);
}

static int read_value(struct reading *r, struct tree *t, const yaml_event_t *e);

static int
next_event(struct reading *r, yaml_event_t *e)
{
    if (yaml_parser_parse(&r->parser, e))
        return 1;
    r->why = r->parser.error == YAML_MEMORY_ERROR
                 ? "out of memory"
                 : rhost_fmt(r->pool->ctx, "it is not YAML: line %zu: %s", r->parser.problem_mark.line + 1,
                             r->parser.problem ? r->parser.problem : "no reason is given");
    return 0;
}

/* The key of a child, whose event is `e`: text only counts. */
static int
read_key(struct reading *r, struct tree *t, const yaml_event_t *e)
{
    struct tree *key = tree_new(r->pool, NULL);
    size_t at;

    if (!read_value(r, key, e))
        return 0;
    t->key_start = key->start;
    t->key_end = key->end;
    if (e->type == YAML_SCALAR_EVENT)
        t->key = pool_copy(r->pool, (const char *)e->data.scalar.value, e->data.scalar.length);
    if (e->type == YAML_SCALAR_EVENT && key->special)
        t->special = key->special;
    for (at = key->start; at > 0 && (r->d->text[at - 1] == ' ' || r->d->text[at - 1] == '\t'); at--)
        ;
    t->explicit = at > 0 && r->d->text[at - 1] == '?';
    return 1;
}

static int
read_children(struct reading *r, struct tree *t)
{
    int stop = t->kind == TREE_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, ok = 1;
    yaml_event_t e;

    while (ok && next_event(r, &e)) {
        struct tree *child;
        int more = (int)e.type != stop;

        if (!more) {
            t->end = t->flow || !t->last ? place(r, &e.end_mark) : t->last->end;
            yaml_event_delete(&e);
            return 1;
        }
        child = tree_new(r->pool, t);
        if (t->kind == TREE_MAPPING) {
            ok = read_key(r, child, &e);
            yaml_event_delete(&e);
            if (!ok || !next_event(r, &e))
                return 0;
        }
        ok = read_value(r, child, &e);
        yaml_event_delete(&e);
    }
    return 0;
}

/* The value whose first event is `e`, which stays the caller's. */
static int
read_value(struct reading *r, struct tree *t, const yaml_event_t *e)
{
    const char *key_special = t->special;
    int ok = 1;

    t->start = place(r, &e->start_mark);
    t->end = place(r, &e->end_mark);
    if (e->type == YAML_SCALAR_EVENT) {
        read_scalar(r, t, e);
    } else if (e->type == YAML_ALIAS_EVENT) {
        t->kind = TREE_OTHER;
    } else if (++r->deep > TREE_DEEPEST) {
        r->why = "it is nested too deep";
        ok = 0;
    } else {
        read_collection(r, t, e);
        t->flow |= t->parent && t->parent->flow;
        ok = read_children(r, t);
        r->deep--;
    }
    t->flow |= t->parent && t->parent->flow;
    if (key_special)
        t->special = key_special;
    return ok;
}

static void
read_stream(struct reading *r)
{
    yaml_event_t e;

    while (!r->why && next_event(r, &e)) {
        int end = e.type == YAML_STREAM_END_EVENT;

        if (e.type == YAML_DOCUMENT_START_EVENT && r->documents++) {
            r->why = "it has several documents";
        } else if (e.type != YAML_DOCUMENT_START_EVENT && e.type != YAML_DOCUMENT_END_EVENT
                   && e.type != YAML_STREAM_START_EVENT && !end) {
            r->root = tree_new(r->pool, NULL);
            (void)read_value(r, r->root, &e);
        }
        yaml_event_delete(&e);
        if (end)
            return;
    }
}

const char *
yaml_read(struct pool *p, const struct document *d, struct tree **root)
{
    struct reading r = { .pool = p, .d = d };

    *root = NULL;
    if (!yaml_parser_initialize(&r.parser))
        return "out of memory";
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)d->text, d->len);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    read_stream(&r);
    yaml_parser_delete(&r.parser);
    if (!r.why)
        *root = r.root;
    return r.why;
}
