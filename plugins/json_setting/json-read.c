/* SPDX-License-Identifier: Apache-2.0 */
/* json-read - JSON texts: json-c says what strings with escapes are; where each value stands is found here,
 * since json-c does not tell. */

#include "json-read.h"

#include <json-c/json.h>
#include <stdlib.h>

struct reading {
    struct pool *pool;
    const char *text; /* with a NUL behind it, and none in it */
    size_t at;
    int deep;
    const char *why;
};

static int
fail(struct reading *r, const char *expected)
{
    int line = 1;

    for (size_t i = 0; i < r->at; i++)
        line += r->text[i] == '\n';
    if (!r->why)
        r->why = rhost_fmt(r->pool->ctx, "it is not JSON: line %d: expected %s", line, expected);
    return 0;
}

static void
skip_blanks(struct reading *r)
{
    r->at += strspn(r->text + r->at, " \t\n\r");
}

/* What has escapes is decoded by json-c. */
static const char *
decode(struct reading *r, size_t start, size_t *len)
{
    const char *one = pool_copy(r->pool, r->text + start, r->at - start), *text = NULL;
    enum json_tokener_error error = json_tokener_success;
    struct json_object *o;

    *len = r->at - start - 2;
    if (!strchr(one, '\\'))
        return pool_copy(r->pool, one + 1, *len);
    o = json_tokener_parse_verbose(one, &error);
    if (o) {
        *len = (size_t)json_object_get_string_len(o);
        text = pool_copy(r->pool, json_object_get_string(o), *len);
    } else if (error == json_tokener_success) {
        r->why = "out of memory";
    } else {
        (void)fail(r, "another escape");
    }
    (void)json_object_put(o);
    return text;
}

/* A string, in memory of the call; NULL after a failure. */
static const char *
read_string(struct reading *r, size_t *len)
{
    size_t start = r->at++;
    int escaped = 0;

    for (; r->text[r->at] && (escaped || r->text[r->at] != '"'); r->at++) {
        if ((unsigned char)r->text[r->at] < ' ')
            return fail(r, "no control character in a string") ? "" : NULL;
        escaped = !escaped && r->text[r->at] == '\\';
    }
    if (!r->text[r->at])
        return fail(r, "the end of a string") ? "" : NULL;
    r->at++;
    return decode(r, start, len);
}

static size_t
digits(struct reading *r)
{
    size_t n = strspn(r->text + r->at, "0123456789");

    r->at += n;
    return n;
}

static int
read_number(struct reading *r, struct tree *t)
{
    int real = 0;
    const char *one;
    size_t n;

    r->at += r->text[r->at] == '-';
    n = r->text[r->at] == '0' ? (r->at++, 1) : digits(r);
    if (n && r->text[r->at] == '.') {
        real = 1;
        r->at++;
        n = digits(r);
    }
    if (n && (r->text[r->at] == 'e' || r->text[r->at] == 'E')) {
        real = 1;
        r->at++;
        r->at += r->text[r->at] == '-' || r->text[r->at] == '+';
        n = digits(r);
    }
    if (!n)
        return fail(r, r->at == t->start ? "a value" : "another digit of a number");
    one = pool_copy(r->pool, r->text + t->start, r->at - t->start);
    errno = 0;
    if (real)
        t->real = strtod(one, NULL);
    else
        t->integer = strtoll(one, NULL, 10);
    t->kind = errno ? TREE_OTHER : real ? TREE_REAL : TREE_INTEGER;
    return 1;
}

static int
read_word(struct reading *r, struct tree *t)
{
    static const struct {
        const char *word;
        enum tree_kind kind;
    } words[] = { { "true", TREE_BOOLEAN }, { "false", TREE_BOOLEAN }, { "null", TREE_NULL } };
    size_t n = strspn(r->text + r->at, "abcdefghijklmnopqrstuvwxyz");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n == strlen(words[i].word) && strncmp(r->text + r->at, words[i].word, n) == 0) {
            t->kind = words[i].kind;
            t->integer = i == 0;
            r->at += n;
            return 1;
        }
    return read_number(r, t);
}

static int read_value(struct reading *r, struct tree *t);

static int
read_child(struct reading *r, struct tree *t)
{
    struct tree *child = tree_new(r->pool, t);
    size_t len;

    skip_blanks(r);
    if (t->kind == TREE_MAPPING) {
        child->key_start = r->at;
        if (r->text[r->at] != '"')
            return fail(r, "a key in double quotes");
        child->key = read_string(r, &len);
        if (!child->key)
            return 0;
        if (memchr(child->key, '\0', len))
            child->key = NULL; /* no pointer names it */
        child->key_end = r->at;
        skip_blanks(r);
        if (r->text[r->at++] != ':')
            return (r->at--, fail(r, "':'"));
    }
    return read_value(r, child);
}

static int
read_children(struct reading *r, struct tree *t)
{
    char close = t->kind == TREE_MAPPING ? '}' : ']';

    t->flow = 1;
    if (++r->deep > TREE_DEEPEST) {
        r->why = "it is nested too deep";
        return 0;
    }
    r->at++;
    skip_blanks(r);
    while (r->text[r->at] != close || t->n) {
        if (!read_child(r, t))
            return 0;
        skip_blanks(r);
        if (r->text[r->at] == close)
            break;
        if (r->text[r->at++] != ',')
            return (r->at--, fail(r, close == '}' ? "',' or '}'" : "',' or ']'"));
    }
    r->at++;
    r->deep--;
    return 1;
}

static int
read_value(struct reading *r, struct tree *t)
{
    int ok;

    skip_blanks(r);
    t->start = r->at;
    switch (r->text[r->at]) {
    case '{':
    case '[':
        t->kind = r->text[r->at] == '{' ? TREE_MAPPING : TREE_LIST;
        ok = read_children(r, t);
        break;
    case '"':
        t->text = read_string(r, &t->len);
        ok = t->text != NULL;
        t->kind = ok && memchr(t->text, '\0', t->len) ? TREE_OTHER : TREE_STRING;
        break;
    default:
        ok = read_word(r, t);
    }
    t->end = r->at;
    return ok;
}

const char *
json_read(struct pool *p, const char *text, size_t len, struct tree **root)
{
    struct reading r = { .pool = p, .text = text };
    struct tree *t;

    *root = NULL;
    skip_blanks(&r);
    if (r.at >= len)
        return NULL;
    t = tree_new(p, NULL);
    if (!read_value(&r, t))
        return r.why;
    skip_blanks(&r);
    if (r.at < len && !fail(&r, "nothing behind the value"))
        return r.why;
    *root = t;
    return NULL;
}
