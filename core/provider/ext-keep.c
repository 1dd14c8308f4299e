/* SPDX-License-Identifier: Apache-2.0 */
/* ext-keep - the extension rhost.keep/1: words that the host keeps for a provider, by name. */
#include "config.h"

#include "provider/extensions.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "provider/runtime-parts.h"

#include <rhost/keep.h>

#include <stdlib.h>
#include <string.h>

struct rh_kept_state {
    struct rh_kept_state *next;
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
    struct rh_kept_state *k = rt->kept;

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

/* What the providers of a plugin have in common in this process. */
static struct shared {
    struct shared *next;
    const struct rhost_plugin *plugin;
    char *name;
    void *word;
    void (*release)(void *word);
} * all_shared;

/* Who may still use it: a runtime each, and one more for a transport of another plugin. */
static struct users {
    struct users *next;
    const struct rhost_plugin *plugin;
    size_t n;
} * all_users;

static struct users *
users_of(const struct rhost_plugin *plugin)
{
    struct users *u = all_users;

    while (u && u->plugin != plugin)
        u = u->next;
    if (!u) {
        u = rh_xalloc(sizeof *u);
        u->next = all_users;
        u->plugin = plugin;
        all_users = u;
    }
    return u;
}

static void **
keep_shared(rhost_ctx *ctx, const char *name, void (*release)(void *kept))
{
    const struct rhost_plugin *plugin = rh_call_plugin(rh_call_of(ctx));
    struct shared *s = all_shared;

    while (s && (s->plugin != plugin || strcmp(s->name, name) != 0))
        s = s->next;
    if (!s) {
        s = rh_xalloc(sizeof *s);
        s->next = all_shared;
        s->plugin = plugin;
        s->name = rh_xstrdup(name);
        s->release = release;
        all_shared = s;
    }
    return &s->word;
}

static void
leave(const struct rhost_plugin *plugin)
{
    struct shared **at = &all_shared;

    if (!plugin || --users_of(plugin)->n)
        return;
    rh_ext_program_leave(plugin);
    while (*at) {
        struct shared *s = *at;

        if (s->plugin != plugin) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        if (s->word && s->release)
            s->release(s->word);
        free(s->name);
        free(s);
    }
    for (struct users **u = &all_users; *u; u = &(*u)->next)
        if ((*u)->plugin == plugin) {
            struct users *gone = *u;

            *u = gone->next;
            free(gone);
            break;
        }
}

void
rh_ext_keep_open(struct rh_runtime *rt)
{
    users_of(rt->origin)->n++;
    if (rt->options.remote.plugin)
        users_of(rt->options.remote.plugin)->n++;
}

void
rh_ext_keep_clear(struct rh_runtime *rt)
{
    for (; rt->kept; rt->kept = rt->kept->next)
        if (rt->kept->word && rt->kept->release)
            rt->kept->release(rt->kept->word);
    leave(rt->options.remote.plugin);
    leave(rt->origin);
}

const struct rhost_keep *
rh_ext_keep(void)
{
    static const struct rhost_keep extension = { .struct_size = sizeof extension,
                                                 .word = keep_word,
                                                 .shared = keep_shared };

    return &extension;
}
