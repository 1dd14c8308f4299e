/* SPDX-License-Identifier: Apache-2.0 */
/* keep - what the files that read a description share. */

#include "keep.h"

#include <string.h>

/* In a chain, so that nobody who looks for leaks takes it for one. */
struct kept {
    struct kept *before;
    void *words[]; /* aligned for what is kept */
};

void *
keep_room(size_t n)
{
    static struct kept *last;
    struct kept *k = need(sizeof *k + n);

    k->before = last;
    last = k;
    return k->words;
}

const char *
keep(const char *text)
{
    return text ? memcpy(keep_room(strlen(text) + 1), text, strlen(text)) : NULL;
}

void
list_add(struct list *l, const char *text)
{
    if (l->n + 1 >= l->room) {
        const char **more = keep_room((l->room = 2 * l->room + 8) * sizeof *more);

        if (l->n)
            memcpy(more, l->at, l->n * sizeof *more);
        l->at = more;
    }
    l->at[l->n++] = text;
}

int
find_key(struct tree *tree, const yaml_node_t *at, const char *key, const char *const *keys, const char *of)
{
    struct near near = { .wanted = key };
    struct text more = { 0 };

    for (int i = 0; keys[i]; i++) {
        if (strcmp(keys[i], key) == 0)
            return i;
        near_try(&near, keys[i]);
    }
    text_addf(&more, "'%.*s' is not a key of %s", 100, key, of);
    near_add(&near, &more);
    (void)tree_refuse(tree, at, "%s", more.s);
    text_clear(&more);
    return -1;
}

int
read_text(struct tree *tree, const yaml_node_t *node, const char *what, const char **text)
{
    *text = keep(tree_text(tree, node, what));
    return *text ? 0 : -1;
}

int
read_json(struct tree *tree, const yaml_node_t *node, const char **text)
{
    struct text json = { 0 };
    int rc = tree_json(tree, node, &json);

    *text = rc == 0 ? keep(json.s) : NULL;
    text_clear(&json);
    return rc;
}
