/* SPDX-License-Identifier: Apache-2.0 */
/* twins - resources of one manifest that are about one key of one file, and would undo each other: a
 * key has one line, which can have one name. */

#include "twins.h"

#include <rhost/catalog.h>

#include <stdlib.h>

/* One key that is wanted, or wanted gone. */
struct wish {
    const char *user, *target, *key, *name, *title;
};

/* What tells resources apart. */
static const char *
name_of(rhost_ctx *ctx, const char *user, const char *target, const char *name)
{
    return rhost_fmt(ctx, "%s\n%s\n%s", user, target, name);
}

/* Values are as they were declared: the blob is the word that looks like one. */
static const char *
blob_of(rhost_ctx *ctx, const char *declared)
{
    const char *at = declared ? strstr(declared, "AAAA") : NULL;

    return at ? rhost_copy(ctx, at, strcspn(at, " \t\r\n")) : "";
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
add(rhost_ctx *ctx, struct rhost_clashes *all, const struct wish *w, const struct wish *other)
{
    rhost_clashes_add(all, name_of(ctx, w->user, w->target, w->name), other->title);
}

static void
find(rhost_ctx *ctx, struct rhost_clashes *all)
{
    const rhost_value *list = rhost_declared_all(ctx, "ssh_authorized_key");
    size_t n = rhost_count(list);
    struct wish *wishes = rhost_alloc(ctx, n * sizeof *wishes);

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
            add(ctx, all, &wishes[i], &wishes[i - 1]);
            add(ctx, all, &wishes[i - 1], &wishes[i]);
        }
}

const char *
twin_of(rhost_ctx *ctx, struct rhost_clashes *clashes, const rhost_value *name)
{
    if (rhost_clashes_begin(clashes))
        find(ctx, clashes);
    return rhost_clashes_of(clashes,
                            name_of(ctx, rhost_str_or(name, "user", ""), rhost_str_or(name, "target", ""),
                                    rhost_str_or(name, "name", "")));
}
