/* SPDX-License-Identifier: Apache-2.0 */
/* tree - the values of a text, each with the bytes where it stands. */
#ifndef JSON_SETTING_TREE_H
#define JSON_SETTING_TREE_H

#include "pool.h"

enum { TREE_DEEPEST = 100 }; /* mappings and lists within each other */

enum tree_kind {
    TREE_NULL,
    TREE_BOOLEAN,
    TREE_INTEGER,
    TREE_REAL,
    TREE_STRING,
    TREE_OTHER, /* what no value can be: too large a number, a tag, an alias; or what readers do not agree on
                 */
    TREE_MAPPING,
    TREE_LIST,
};

struct tree {
    enum tree_kind kind;
    size_t start, end; /* of the value in the text */
    int64_t integer;   /* a Boolean as well */
    double real;
    const char *text; /* of a string, with its length, and a NUL behind it */
    size_t len;

    const char *key; /* in a mapping; NULL: the key is no text */
    size_t key_start, key_end;

    int flow;            /* a mapping or a list in brackets, or what is within such a one */
    int block;           /* a scalar whose text stands in lines of its own, behind | or > */
    int explicit;        /* a key behind '?' */
    const char *special; /* why it can't be replaced: an anchor, a tag; NULL: it can */

    struct tree *parent, *first, *last, *next, *previous;
    size_t n; /* children */
};

/* A new child of `parent` (NULL: a root). */
struct tree *tree_new(struct pool *p, struct tree *parent);

/* The child with this key, or, in a list, at this index: the last such one. NULL: there is none. */
struct tree *tree_child(const struct tree *t, const char *key);

/* Puts the value into `in` under `key` (NULL: appends). 0: nothing was put, since some of it is TREE_OTHER.
 */
int tree_put(rhost_value *in, const char *key, const struct tree *t);

/* Whether the tree is this value. */
int tree_is(const struct tree *t, const rhost_value *value);

/* Whether both trees are the same but for what stands at the path, n keys. A mapping or list on that path may
 * be missing in one of them. */
int tree_same_beside(const struct tree *a, const struct tree *b, const char *const *path, size_t n);

/* Why what is in the tree can't be replaced or removed; NULL: it can. */
const char *tree_special(const struct tree *t);

#endif
