/* SPDX-License-Identifier: Apache-2.0 */
/* claims-shared - which resources determine what others have changed. */
#include "config.h"

#include "catalog/claims.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/claim-key.h"
#include "schema/claim.h"

#include <stdbool.h>
#include <stddef.h>

/* Of each type the last one: those of one type are set together, and their provider sees what they share. */
struct claimant {
    const struct rh_resource *r;
    struct claimant *next;
};

/* What may be claimed, such as a path. */
struct kind {
    const struct rh_type *first;
    bool shared; /* by another type */
};

struct sharing {
    struct rh_arena *arena;
    struct rh_map kinds;     /* the word of a claim to a struct kind */
    struct rh_map claimants; /* a key to those that have a turn */
    const size_t *rank;
    struct rh_buf key;
    const struct rh_resource *r;
    const struct rh_claim *claim;
    bool collects; /* else it looks for who shares with those */
    rh_shared_fn *fn;
    void *data;
};

static void
collect(struct sharing *s, struct claimant *first)
{
    struct claimant *c = first;

    while (c && c->r->type != s->r->type)
        c = c->next;
    if (c) {
        if (s->rank[s->r->index] > s->rank[c->r->index])
            c->r = s->r;
        return;
    }
    c = rh_arena_alloc(s->arena, sizeof *c);
    *c = (struct claimant){ .r = s->r, .next = first ? first->next : NULL };
    if (first)
        first->next = c;
    else
        rh_map_put(&s->claimants, rh_arena_strndup(s->arena, s->key.s, s->key.n), c);
}

static void
take(void *data, const char *title)
{
    struct sharing *s = data;
    struct claimant *first;

    if (!title[0])
        return;
    rh_claim_key(&s->key, s->arena, s->claim, title);
    first = rh_map_get(&s->claimants, rh_buf_text(&s->key));
    if (s->collects) {
        collect(s, first);
        return;
    }
    for (; first; first = first->next)
        if (first->r->type != s->r->type)
            s->fn(s->data, s->r, first->r, s->claim->what.type);
}

/* Which kinds are claimed by more than one type of the catalog: only those can be shared. */
static void
note_kinds(struct sharing *s, const struct rh_catalog *c)
{
    const struct rh_type *last = NULL;

    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_type *t = c->resources[i]->type;

        for (size_t k = 0; t != last && k < t->n_claims; k++) {
            const char *word = t->claims[k].what.type;
            struct kind *kind = rh_map_get(&s->kinds, word);

            if (!kind) {
                kind = rh_arena_alloc(s->arena, sizeof *kind);
                *kind = (struct kind){ .first = t };
                (void)rh_map_put(&s->kinds, word, kind);
            }
            kind->shared |= kind->first != t;
        }
        last = t;
    }
}

static bool
is_shared(const struct sharing *s, const struct rh_claim *claim)
{
    const struct kind *kind = rh_map_get(&s->kinds, claim->what.type);

    return kind && kind->shared;
}

static void
go_through(struct sharing *s, const struct rh_resource *r)
{
    s->r = r;
    for (size_t i = 0; i < r->type->n_claims; i++) {
        s->claim = &r->type->claims[i];
        if (is_shared(s, s->claim))
            rh_claim_titles(s->claim, r->name, r->should, take, s);
    }
}

void
rh_claims_shared(const struct rh_catalog *c, const size_t *rank, rh_shared_fn *fn, void *data)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct sharing s = { .arena = a, .fn = fn, .data = data, .rank = rank, .collects = true };

    note_kinds(&s, c);
    for (size_t i = 0; i < c->n_resources; i++)
        if (rank[i])
            go_through(&s, c->resources[i]);
    s.collects = false;
    for (size_t i = 0; i < c->n_resources; i++)
        if (c->resources[i]->type->n_claims)
            go_through(&s, c->resources[i]);
    rh_map_clear(&s.claimants);
    rh_map_clear(&s.kinds);
    rh_buf_clear(&s.key);
}
