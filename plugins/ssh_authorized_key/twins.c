/* SPDX-License-Identifier: Apache-2.0 */
/* twins - resources of one manifest that are about one key of one file, and would undo each other: a
 * key has one line, which can have one name. */

#include "twins.h"

#include <rhost/catalog.h>

#include <stdlib.h>

struct twins {
    char *name, *title;
    struct twins *next;
};

/* One key that is wanted, or wanted gone. */
struct wish {
    const char *user, *target, *key, *name, *title;
};

static char *
key_of(const char *user, const char *target, const char *name)
{
    size_t size = strlen(user) + strlen(target) + strlen(name) + 3;
    char *key = malloc(size);

    if (key)
        snprintf(key, size, "%s\n%s\n%s", user, target, name);
    return key;
}

/* Values are as they were declared: the blob is the word that looks like one. */
static const char *
blob_of(rhost_ctx *ctx, const char *declared)
{
    const char *at = declared ? strstr(declared, "AAAA") : NULL;
    size_t len = at ? strcspn(at, " \t\r\n") : 0;
    char *copy = rhost_alloc(ctx, len + 1);

    if (at)
        memcpy(copy, at, len);
    return copy;
}

static int
by_key(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    int order = strcmp(x->user, y->user);

    if (!order)
        order = strcmp(x->target, y->target);
    return order ? order : strcmp(x->key, y->key);
}

static void
add(struct twins **all, const struct wish *w, const struct wish *other)
{
    struct twins *t = calloc(1, sizeof *t);

    if (!t)
        return;
    t->name = key_of(w->user, w->target, w->name);
    t->title = strdup(other->title);
    t->next = *all;
    *all = t;
}

struct twins *
twins_find(rhost_ctx *ctx)
{
    const struct rhost_catalog *catalog = ctx->host->extension(ctx, RHOST_CATALOG_ID);
    const rhost_value *list = catalog ? catalog->all(ctx, "ssh_authorized_key") : NULL;
    size_t n = rhost_count(list);
    struct wish *wishes = rhost_alloc(ctx, (n + 1) * sizeof *wishes);
    struct twins *all = NULL;

    for (size_t i = 0; i < n; i++) {
        const rhost_value *one = rhost_at(list, i, NULL), *should = rhost_get(one, "should");

        wishes[i] = (struct wish){
            .user = rhost_str_or(should, "user", ""),
            .target = rhost_str_or(should, "target", ""),
            .name = rhost_str_or(should, "name", ""),
            .title = rhost_str_or(one, "title", ""),
            .key = blob_of(ctx, rhost_str(should, "key")),
        };
    }
    qsort(wishes, n, sizeof *wishes, by_key);
    for (size_t i = 1; i < n; i++)
        if (*wishes[i].key && by_key(&wishes[i - 1], &wishes[i]) == 0) {
            add(&all, &wishes[i], &wishes[i - 1]);
            add(&all, &wishes[i - 1], &wishes[i]);
        }
    return all;
}

void
twins_free(struct twins *t)
{
    while (t) {
        struct twins *next = t->next;

        free(t->name);
        free(t->title);
        free(t);
        t = next;
    }
}

const char *
twins_of(const struct twins *t, const rhost_value *name)
{
    char *key = t ? key_of(rhost_str_or(name, "user", ""), rhost_str_or(name, "target", ""),
                           rhost_str_or(name, "name", ""))
                  : NULL;
    const char *found = NULL;

    for (; key && t && !found; t = t->next)
        if (t->name && t->title && strcmp(t->name, key) == 0)
            found = t->title;
    free(key);
    return found;
}
