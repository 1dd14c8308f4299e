/* SPDX-License-Identifier: Apache-2.0 */
/* tree - the values of a text, each with the bytes where it stands. */

#include "tree.h"

#include <stdlib.h>

struct tree *
tree_new(struct pool *p, struct tree *parent)
{
    struct tree *t = pool_alloc(p, sizeof *t);

    t->parent = parent;
    if (!parent)
        return t;
    t->previous = parent->last;
    if (parent->last)
        parent->last->next = t;
    else
        parent->first = t;
    parent->last = t;
    parent->n++;
    return t;
}

struct tree *
tree_child(const struct tree *t, const char *key)
{
    size_t at = 0, index;

    if (t->kind == TREE_MAPPING) {
        for (struct tree *c = t->last; c; c = c->previous)
            if (c->key && strcmp(c->key, key) == 0)
                return c;
        return NULL;
    }
    if (t->kind != TREE_LIST || !*key || strspn(key, "0123456789") != strlen(key) || strlen(key) > 9)
        return NULL;
    index = (size_t)strtoul(key, NULL, 10);
    for (struct tree *c = t->first; c; c = c->next)
        if (at++ == index)
            return c;
    return NULL;
}

static int
put_children(rhost_value *in, const struct tree *t)
{
    for (const struct tree *c = t->first; c; c = c->next)
        if ((t->kind == TREE_MAPPING && !c->key) || !tree_put(in, c->key, c))
            return 0;
    return 1;
}

int
tree_put(rhost_value *in, const char *key, const struct tree *t)
{
    switch (t->kind) {
    case TREE_NULL:
        in->host->put_undef(in, key);
        return 1;
    case TREE_BOOLEAN:
        rhost_put_bool(in, key, t->integer != 0);
        return 1;
    case TREE_INTEGER:
        rhost_put_int(in, key, t->integer);
        return 1;
    case TREE_REAL:
        rhost_put_real(in, key, t->real);
        return 1;
    case TREE_STRING:
        rhost_put_bytes(in, key, t->text, t->len);
        return 1;
    case TREE_MAPPING:
        return put_children(in->host->put_hash(in, key), t);
    case TREE_LIST:
        return put_children(in->host->put_array(in, key), t);
    default:
        return 0;
    }
}

static int
is_children(const struct tree *t, const rhost_value *value)
{
    size_t i = 0;

    if (t->n != rhost_count(value))
        return 0;
    for (const struct tree *c = t->first; c; c = c->next, i++)
        if (t->kind == TREE_LIST
                ? !tree_is(c, rhost_at(value, i, NULL))
                : !c->key || tree_child(t, c->key) != c || !tree_is(c, rhost_get(value, c->key)))
            return 0;
    return 1;
}

/* 1 and 1.0 are one number, as for the host. What is no number is in no file. */
static int
is_number(double number, const rhost_value *value)
{
    double other = value->host->real(value, 0);

    return !(number < other) && !(number > other);
}

int
tree_is(const struct tree *t, const rhost_value *value)
{
    enum rhost_kind kind = value ? (enum rhost_kind)value->host->kind(value) : RHOST_UNDEF;
    size_t len = 0;
    const char *text;

    switch (t->kind) {
    case TREE_NULL:
        return kind == RHOST_UNDEF;
    case TREE_BOOLEAN:
        return kind == RHOST_BOOLEAN && value->host->boolean(value, 0) == (t->integer != 0);
    case TREE_INTEGER:
        return kind == RHOST_INTEGER ? value->host->integer(value, 0) == t->integer
                                     : kind == RHOST_FLOAT && is_number((double)t->integer, value);
    case TREE_REAL:
        return (kind == RHOST_INTEGER || kind == RHOST_FLOAT) && is_number(t->real, value);
    case TREE_STRING:
        text = kind == RHOST_STRING ? value->host->string(value, &len) : NULL;
        return text && len == t->len && memcmp(text, t->text, len) == 0;
    case TREE_MAPPING:
        return kind == RHOST_HASH && is_children(t, value);
    case TREE_LIST:
        return kind == RHOST_ARRAY && is_children(t, value);
    default:
        return 0;
    }
}

static int
same_scalar(const struct tree *a, const struct tree *b)
{
    return a->integer == b->integer && memcmp(&a->real, &b->real, sizeof a->real) == 0 && a->len == b->len
           && (!a->len || memcmp(a->text, b->text, a->len) == 0);
}

/* The child, or the next one where it is that at the path. */
static const struct tree *
skip(const struct tree *c, const struct tree *at_path)
{
    return c && c == at_path ? c->next : c;
}

int
tree_same_beside(const struct tree *a, const struct tree *b, const char *const *path, size_t n)
{
    const char *key = n && path ? path[0] : NULL;
    const struct tree *ca, *cb, *in_a, *in_b;

    if (path && n == 0)
        return 1; /* this is what was changed */
    if (a->kind != b->kind)
        return path && (a->kind == TREE_NULL || b->kind == TREE_NULL); /* a mapping came to be, or went */
    if (a->kind != TREE_MAPPING && a->kind != TREE_LIST)
        return same_scalar(a, b);
    in_a = key ? tree_child(a, key) : NULL;
    in_b = key ? tree_child(b, key) : NULL;
    if (in_a && in_b && !tree_same_beside(in_a, in_b, path + 1, n - 1))
        return 0;
    ca = skip(a->first, in_a);
    cb = skip(b->first, in_b);
    while (ca && cb) {
        if ((ca->key == NULL) != (cb->key == NULL) || (ca->key && strcmp(ca->key, cb->key) != 0)
            || !tree_same_beside(ca, cb, NULL, 0))
            return 0;
        ca = skip(ca->next, in_a);
        cb = skip(cb->next, in_b);
    }
    return !ca && !cb;
}

const char *
tree_special(const struct tree *t)
{
    const char *why = t->special;

    for (const struct tree *c = t->first; c && !why; c = c->next)
        why = tree_special(c);
    return why;
}
