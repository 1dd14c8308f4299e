/* SPDX-License-Identifier: Apache-2.0 */
/* ext-keep - the extension rhost.keep/1: words that the host keeps for a provider, by name. */
#include "config.h"

#include "provider/extensions.h"

#include "base/arena.h"
#include "provider/runtime-parts.h"

#include <rhost/keep.h>

#include <stddef.h>
#include <string.h>

struct rh_kept {
    struct rh_kept *next;
    void **state; /* of the provider or of its transport: they may be built with other headers */
    const char *name;
    void *word;
    void (*release)(void *word);
};

static void **
keep_word(rhost_ctx *ctx, const char *name, void (*release)(void *kept))
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_runtime *rt = call->rt;
    struct rh_kept *k = rt->kept;

    while (k && (k->state != call->state || strcmp(k->name, name) != 0))
        k = k->next;
    if (!k) {
        k = rh_arena_alloc(rt->arena, sizeof *k);
        k->next = rt->kept;
        k->state = call->state;
        k->name = rh_arena_strdup(rt->arena, name);
        k->release = release;
        rt->kept = k;
    }
    return &k->word;
}

void
rh_ext_keep_clear(struct rh_runtime *rt)
{
    for (; rt->kept; rt->kept = rt->kept->next)
        if (rt->kept->word && rt->kept->release)
            rt->kept->release(rt->kept->word);
}

const struct rhost_keep *
rh_ext_keep(void)
{
    static const struct rhost_keep extension = { .struct_size = sizeof extension, .word = keep_word };

    return &extension;
}
