/* SPDX-License-Identifier: Apache-2.0 */
/* conflict - resources of one manifest that would undo each other, run after run: one wants a line that
 * another one replaces by its own, or wants gone. Each run would change the file, and never end. */

#include "conflict.h"

#include "pattern.h"

#include <rhost/catalog.h>

#include <stdlib.h>

enum { MOST = 3000 /* lines of one manifest that are held against each other */ };

struct conflicts {
    char *key, *message;
    struct conflicts *next;
};

/* One line that is wanted. */
struct wish {
    const char *path, *line, *title;
    const rhost_value *should;
    int gone, eager; /* changes what it matches, wherever that is */
    struct pattern match;
};

static char *
key_of(const rhost_value *name)
{
    const char *path = rhost_str_or(name, "path", ""), *line = rhost_str_or(name, "text", "\n");
    const char *match = rhost_str_or(name, "match", "\n");
    size_t size = strlen(path) + strlen(line) + strlen(match) + 3;
    char *key = malloc(size);

    if (key)
        snprintf(key, size, "%s\n%s\n%s", path, line, match);
    return key;
}

static void
add(struct conflicts **all, const struct wish *w, const struct wish *other, const char *what)
{
    struct conflicts *c = calloc(1, sizeof *c);
    size_t size = strlen(other->title) + strlen(what) + 40;

    if (!c)
        return;
    c->key = key_of(w->should);
    c->message = malloc(size);
    c->next = *all;
    *all = c;
    if (c->message)
        snprintf(c->message, size, "line[%s] %s", other->title, what);
}

static int
by_path(const void *a, const void *b)
{
    return strcmp(((const struct wish *)a)->path, ((const struct wish *)b)->path);
}

/* Whether b takes away what a wants. */
static int
undoes(const struct wish *a, const struct wish *b)
{
    int same = a->line && b->line && strcmp(a->line, b->line) == 0;

    if (a->gone || !a->line || (!b->gone && (same || !b->eager)))
        return 0;
    return (b->gone && same) || pattern_matches(&b->match, a->line, strlen(a->line)) > 0;
}

/* The last one that is added for a resource is what it is told. */
static void
compare(struct conflicts **all, const struct wish *wishes, size_t n, int aggressors)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            if (k == i || !undoes(&wishes[i], &wishes[k]))
                continue;
            if (aggressors)
                add(all, &wishes[k], &wishes[i],
                    "of the same file wants a line that this one takes away");
            else
                add(all, &wishes[i], &wishes[k],
                    wishes[k].gone ? "of the same file wants this line gone"
                                   : "of the same file replaces this line by its own");
        }
}

struct conflicts *
conflicts_find(rhost_ctx *ctx)
{
    const struct rhost_catalog *catalog = ctx->host->extension(ctx, RHOST_CATALOG_ID);
    const rhost_value *list = catalog ? catalog->all(ctx, "line") : NULL;
    size_t n = rhost_count(list);
    struct conflicts *all = NULL;
    struct wish *wishes;

    if (n < 2 || n > MOST)
        return NULL;
    wishes = rhost_alloc(ctx, n * sizeof *wishes);
    for (size_t i = 0; i < n; i++) {
        const rhost_value *one = rhost_at(list, i, NULL), *should = rhost_get(one, "should");
        struct wish *w = &wishes[i];
        const char *multiple;
        char why[256];

        w->should = should;
        w->title = rhost_str_or(one, "title", "");
        w->path = rhost_str_or(should, "path", "");
        w->line = rhost_str(should, "text");
        w->gone = strcmp(rhost_str_or(should, "ensure", ""), "absent") == 0;
        multiple = rhost_str_or(should, "multiple", "fail");
        w->eager = rhost_bool(should, "replace", 1)
                   && (strcmp(multiple, "fail") == 0 || strcmp(multiple, "all") == 0);
        (void)pattern_init(&w->match, rhost_str(should, "match"), rhost_bool(should, "literal", 0), why,
                           sizeof why); /* what is wrong has been said by canonicalize */
    }
    qsort(wishes, n, sizeof *wishes, by_path);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && by_path(&wishes[from], &wishes[to]) == 0; to++)
            continue;
        compare(&all, wishes + from, to - from, 1);
        compare(&all, wishes + from, to - from, 0);
    }
    for (size_t i = 0; i < n; i++)
        pattern_clear(&wishes[i].match);
    return all;
}

void
conflicts_free(struct conflicts *c)
{
    while (c) {
        struct conflicts *next = c->next;

        free(c->key);
        free(c->message);
        free(c);
        c = next;
    }
}

const char *
conflicts_of(const struct conflicts *c, const rhost_value *name)
{
    char *key = c ? key_of(name) : NULL;
    const char *found = NULL;

    for (; key && c && !found; c = c->next)
        if (c->key && c->message && strcmp(c->key, key) == 0)
            found = c->message;
    free(key);
    return found;
}
