/* SPDX-License-Identifier: Apache-2.0 */
/* claims - resources that would undo each other's work in every run. */
#include "config.h"

#include "catalog/claims.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/claim-key.h"
#include "catalog/conduct.h"
#include "catalog/meta.h"
#include "schema/claim.h"

#include <string.h>

struct owner {
    const struct rh_resource *r;
    const struct rh_claim *claim;
};

struct checking {
    struct rh_arena *arena;
    struct rh_complaints *complaints;
    struct rh_map owners; /* "path /etc/motd" to the first struct owner */
    struct rh_buf key;    /* the one in hand */
    const struct rh_resource *r;
    const struct rh_claim *claim;
    const struct rh_resource *refused; /* is said of a pair once */
    bool owning;                       /* the owners are collected; then the others are compared */
};

static bool
is_guarded(const struct rh_resource *r)
{
    return (r->conduct && (r->conduct->only_if || r->conduct->not_if)) || (r->meta && r->meta->schedule);
}

/* One that is only triggered by others, or that a guard or a schedule may leave out, is not applied in every
 * run; one that is to be absent leaves nothing to fight about. */
static bool
is_applied(const struct rh_catalog *c, const struct rh_resource *r)
{
    bool converges = false;

    if (r->undecided || r->later || r->noop || is_guarded(r) || (r->meta && r->meta->only_audits)
        || (r->type->ensure && strcmp(rh_value_get_str(r->should, r->type->ensure->name, ""), "absent") == 0))
        return false;
    for (uint32_t e = r->first_entry; e != RH_NO_ENTRY && !converges; e = c->list[e].next)
        converges = strcmp(c->list[e].action, "converge") == 0;
    return converges;
}

/* An absolute path without "..", as it is where none of its directories is a link. */
static const char *
resolve(struct rh_arena *a, const char *path)
{
    char *out, *to;

    if (path[0] != '/' || !strstr(path, "/.."))
        return path;
    out = to = rh_arena_alloc(a, strlen(path) + 2);
    while (*path) {
        size_t n;

        path += strspn(path, "/");
        n = strcspn(path, "/");
        if (n == 2 && memcmp(path, "..", 2) == 0) {
            while (to > out && *--to != '/')
                ;
        } else if (n && !(n == 1 && *path == '.')) {
            *to++ = '/';
            memcpy(to, path, n);
            to += n;
        }
        path += n;
    }
    if (to == out)
        *to++ = '/';
    *to = '\0';
    return out;
}

void
rh_claim_key(struct rh_buf *key, struct rh_arena *a, const struct rh_claim *claim, const char *title)
{
    rh_buf_truncate(key, 0);
    rh_buf_add(key, claim->what.type);
    rh_buf_addc(key, ' ');
    rh_buf_add(key, resolve(a, title));
}

static void
refuse(struct checking *d, const struct owner *owner, const char *title)
{
    const struct rh_resource *first = owner->r, *later = d->r;
    const struct rh_claim *by = owner->claim;
    rh_autofree char *text = NULL, *other = NULL, *owns = rh_resource_text(owner->r), *hint = NULL;
    rh_autobuf struct rh_buf shown = { 0 };

    if (d->refused == owner->r)
        return;
    d->refused = owner->r;
    if (later->index < first->index) {
        first = d->r;
        later = owner->r;
    }
    text = rh_resource_text(later);
    other = rh_resource_text(first);
    if (d->claim->owns)
        hint = rh_printf("keep one of the two, and remove the other");
    else if (by->n_conditions && !by->conditions[0].unless)
        hint = rh_printf("state all of it in %s, or remove '%s' there", owns, by->conditions[0].attr->name);
    else
        hint = rh_printf("state all of it in %s", owns);
    rh_buf_add_safe(&shown, title, strlen(title), false);
    rh_complain(d->complaints, later->place, hint,
                "%s and %s would undo each other in every run: both manage the %s '%s'", text, other,
                by->what.type, rh_buf_text(&shown));
    rh_complain_also(d->complaints, first->place, "first declared here");
}

/* Whose it is already; or NULL, and from now on it is the one in hand's. */
static struct owner *
own(struct checking *d)
{
    struct owner *new = rh_arena_room(d->arena, sizeof *new);

    *new = (struct owner){ .r = d->r, .claim = d->claim };
    return rh_map_put(&d->owners, rh_arena_strndup(d->arena, d->key.s, d->key.n), new);
}

static void
take(void *data, const char *title)
{
    struct checking *d = data;
    struct owner *owner;

    if (!title[0])
        return;
    rh_claim_key(&d->key, d->arena, d->claim, title);
    owner = d->owning ? own(d) : rh_map_get(&d->owners, rh_buf_text(&d->key));
    if (owner && owner->r != d->r
        && !(owner->r->type == d->r->type && strcmp(owner->r->title, d->r->title) == 0))
        refuse(d, owner, resolve(d->arena, title));
}

void
rh_claims_check(struct rh_catalog *c, struct rh_complaints *complaints)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct checking d = { .arena = a, .complaints = complaints };

    rh_map_reserve(&d.owners, c->n_resources);
    for (int pass = 0; pass < 2; pass++) {
        d.owning = pass == 0;
        for (size_t i = 0; i < c->n_resources; i++) {
            d.r = c->resources[i];
            d.refused = NULL;
            if (!d.r->type->n_claims || !is_applied(c, d.r))
                continue;
            for (size_t k = 0; k < d.r->type->n_claims; k++) {
                d.claim = &d.r->type->claims[k];
                if (d.claim->owns == d.owning)
                    rh_claim_titles(d.claim, d.r->name, d.r->should, take, &d);
            }
        }
    }
    rh_map_clear(&d.owners);
    rh_buf_clear(&d.key);
}
