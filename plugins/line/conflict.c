/* SPDX-License-Identifier: Apache-2.0 */
/* conflict - resources of one manifest that would undo each other, run after run: one wants a line that
 * another one replaces by its own, or wants gone. Each run would change the file, and never end. */

#include "conflict.h"

#include "pattern.h"
#include "plan.h"

#include <rhost/catalog.h>

enum { MOST = 3000 /* lines of one manifest that are held against each other */ };

/* One line that is wanted. */
struct wish {
    const char *path, *line, *title;
    const rhost_value *should;
    int gone, eager; /* changes what it matches, wherever that is */
    int backrefs;    /* its line depends on what it matches */
    struct pattern match;
};

/* What tells lines apart. */
static const char *
name_of(rhost_ctx *ctx, const rhost_value *name)
{
    return rhost_fmt(ctx, "%s\n%s\n%s", rhost_str_or(name, "path", ""), rhost_str_or(name, "text", "\n"),
                     rhost_str_or(name, "match", "\n"));
}

static void
add(rhost_ctx *ctx, struct rhost_clashes *all, const struct wish *w, const struct wish *other,
    const char *what)
{
    rhost_clashes_add(all, name_of(ctx, w->should), rhost_fmt(ctx, "line[%s] %s", other->title, what));
}

static int
by_path(const void *a, const void *b)
{
    return strcmp(((const struct wish *)a)->path, ((const struct wish *)b)->path);
}

/* Whether b takes away what a wants. */
static int
undoes(rhost_ctx *ctx, const struct wish *a, const struct wish *b)
{
    int same = a->line && b->line && strcmp(a->line, b->line) == 0;
    struct plan_text becomes;

    if (a->gone || !a->line || a->backrefs || (!b->gone && ((same && !b->backrefs) || !b->eager)))
        return 0;
    if (b->backrefs)
        return plan_expand(ctx, b->should, a->line, strlen(a->line), &becomes) > 0
               && (becomes.len != strlen(a->line) || memcmp(becomes.text, a->line, becomes.len) != 0);
    return (b->gone && same) || pattern_matches(&b->match, a->line, strlen(a->line)) > 0;
}

/* The last one that is added for a resource is what it is told. */
static void
compare(rhost_ctx *ctx, struct rhost_clashes *all, const struct wish *wishes, size_t n, int aggressors)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            if (k == i || !undoes(ctx, &wishes[i], &wishes[k]))
                continue;
            if (aggressors)
                add(ctx, all, &wishes[k], &wishes[i],
                    "of the same file wants a line that this one takes away");
            else
                add(ctx, all, &wishes[i], &wishes[k],
                    wishes[k].gone ? "of the same file wants this line gone"
                                   : "of the same file replaces this line by its own");
        }
}

static void
find(rhost_ctx *ctx, struct rhost_clashes *all)
{
    const rhost_value *list = rhost_declared_all(ctx, "line");
    size_t n = rhost_count(list);
    struct wish *wishes;

    if (n < 2 || n > MOST)
        return;
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
        w->gone = rhost_wants_absence(should);
        w->backrefs = rhost_bool(should, "backrefs", 0);
        multiple = rhost_str_or(should, "multiple", "fail");
        w->eager = rhost_bool(should, "replace", 1)
                   && (strcmp(multiple, "fail") == 0 || strcmp(multiple, "all") == 0);
        (void)pattern_init(&w->match, rhost_str(should, "match"),
                           rhost_bool(should, "literal", 0) ? PATTERN_LITERAL : PATTERN_REGEX, why,
                           sizeof why); /* what is wrong has been said by canonicalize */
    }
    qsort(wishes, n, sizeof *wishes, by_path);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && by_path(&wishes[from], &wishes[to]) == 0; to++)
            continue;
        compare(ctx, all, wishes + from, to - from, 1);
        compare(ctx, all, wishes + from, to - from, 0);
    }
    for (size_t i = 0; i < n; i++)
        pattern_clear(&wishes[i].match);
}

const char *
conflict_of(rhost_ctx *ctx, struct rhost_clashes *clashes, const rhost_value *name)
{
    if (rhost_clashes_begin(clashes))
        find(ctx, clashes);
    return rhost_clashes_of(clashes, name_of(ctx, name));
}
