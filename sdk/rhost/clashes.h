/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/clashes.h - resources of one manifest that would undo each other, run after run.
 *
 * For providers whose resources can want different things of one place. They look at all of them once
 * (rhost_declared_all() in <rhost/catalog.h>), add what they find, and fail each that is concerned:
 *
 *   struct state { ...; struct rhost_clashes clashes; }                  empty when it is all zeros
 *   load:  if (rhost_clashes_begin(&state->clashes))
 *              ... rhost_clashes_add(&state->clashes, NAME, "file[/etc/motd] ...");
 *          what = rhost_clashes_of(&state->clashes, NAME);               NULL: it has none
 *   close: rhost_clashes_clear(&state->clashes);
 *
 * NAME is what tells resources of the type apart, as one text: rhost_fmt(ctx, "%s\n%s", path, section). */
#ifndef RHOST_CLASHES_H
#define RHOST_CLASHES_H

#include <rhost/abi.h>

#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_clash {
    struct rhost_clash *next;
    char *name, *what; /* in the same memory, behind this */
};

struct rhost_clashes {
    int looked;
    struct rhost_clash *first;
};

/* Whether they are still to be looked for: 1 the first time. */
static inline int
rhost_clashes_begin(struct rhost_clashes *all)
{
    int first = !all->looked;

    all->looked = 1;
    return first;
}

/* Of several for one name the last that was added counts. What there is no memory for is not told. */
static inline void
rhost_clashes_add(struct rhost_clashes *all, const char *name, const char *what)
{
    size_t name_size = strlen(name) + 1, what_size = strlen(what) + 1;
    struct rhost_clash *one = (struct rhost_clash *)malloc(sizeof *one + name_size + what_size);

    if (!one)
        return;
    one->name = (char *)(one + 1);
    one->what = one->name + name_size;
    memcpy(one->name, name, name_size);
    memcpy(one->what, what, what_size);
    one->next = all->first;
    all->first = one;
}

/* What was added for this name; NULL: nothing was. */
static inline const char *
rhost_clashes_of(const struct rhost_clashes *all, const char *name)
{
    for (const struct rhost_clash *one = all->first; one; one = one->next)
        if (strcmp(one->name, name) == 0)
            return one->what;
    return NULL;
}

static inline void
rhost_clashes_clear(struct rhost_clashes *all)
{
    while (all->first) {
        struct rhost_clash *next = all->first->next;

        free(all->first);
        all->first = next;
    }
    all->looked = 0;
}

#ifdef __cplusplus
}
#endif

#endif
