/* SPDX-License-Identifier: Apache-2.0 */
/* select - which part of the list is for this run: --only, --tags, --skip-tags. */
#include "config.h"

#include "cli/session.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/suggest.h"
#include "catalog/later.h"
#include "catalog/meta.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "schema/type.h"

#include <string.h>

bool
rh_is_tag_list(const char *text)
{
    for (;;) {
        size_t n = strcspn(text, ",");

        if (!rh_is_tag(text, n))
            return false;
        if (!text[n])
            return true;
        text += n + 1;
    }
}

/* A tag that was asked for. */
struct wanted {
    const char *tag;
    bool found;
};

struct tags {
    struct rh_map by_tag;
    struct wanted *v;
    size_t n, cap;
};

static void
take_list(struct rh_arena *a, struct tags *tags, const char *text)
{
    char *rest = rh_arena_strdup(a, text);

    for (char *one; (one = strsep(&rest, ","));) {
        for (char *p = one; *p; p++)
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
        tags->v = rh_xgrow(tags->v, &tags->cap, tags->n, sizeof *tags->v);
        tags->v[tags->n++] = (struct wanted){ .tag = one };
    }
}

static void
open_tags(struct rh_arena *a, struct tags *tags, const char *const *lists, size_t n)
{
    for (size_t i = 0; i < n; i++)
        take_list(a, tags, lists[i]);
    for (size_t i = 0; i < tags->n; i++)
        rh_map_put(&tags->by_tag, tags->v[i].tag, &tags->v[i]);
}

static void
close_tags(struct tags *tags)
{
    rh_map_clear(&tags->by_tag);
    free(tags->v);
}

struct looking {
    struct tags *tags;
    bool found;
};

static void
match_tag(void *data, const char *tag)
{
    struct looking *l = data;
    struct wanted *w = rh_map_get(&l->tags->by_tag, tag);

    if (w)
        l->found = w->found = true;
}

static bool
has_tag(struct tags *tags, const struct rh_resource *r)
{
    struct looking l = { .tags = tags };

    for (; tags->n && r; r = r->container) /* what it is part of has its tags for it as well */
        rh_resource_each_tag(r, match_tag, &l);
    return l.found;
}

struct offering {
    struct rh_arena *arena;
    struct rh_map known;
    struct rh_suggest near;
};

static void
offer(void *data, const char *tag)
{
    struct offering *o = data;
    const char *own;

    if (rh_map_get(&o->known, tag))
        return;
    own = rh_arena_strdup(o->arena, tag);
    rh_map_put(&o->known, own, o);
    rh_suggest_try(&o->near, own);
}

static void
warn_of_unknown(const struct rh_session *s, const struct tags *tags, const char *option)
{
    for (size_t i = 0; i < tags->n; i++) {
        struct offering o = { .arena = s->arena };
        rh_autoerror struct rh_error err = { 0 };

        if (rh_map_get(&tags->by_tag, tags->v[i].tag) != &tags->v[i] || tags->v[i].found)
            continue;
        rh_suggest_init(&o.near, tags->v[i].tag);
        for (size_t k = 0; k < s->catalog.n_resources; k++)
            rh_resource_each_tag(s->catalog.resources[k], offer, &o);
        (void)rh_error_set(&err, RH_EINPUT, "%s: no resource has the tag '%s', ignoring it", option,
                           tags->v[i].tag);
        (void)rh_error_suggest(&err, o.near.best, NULL);
        rh_log_error(RH_WARNING, &err);
        rh_map_clear(&o.known);
    }
}

static void
select_tags(const struct rh_session *s, bool *kept)
{
    const struct rh_settings *o = s->settings;
    struct tags tags = { 0 }, skip = { 0 };

    open_tags(s->arena, &tags, o->tags.v, o->tags.n);
    open_tags(s->arena, &skip, o->skip_tags.v, o->skip_tags.n);
    for (size_t i = 0; i < s->catalog.n_resources; i++) {
        const struct rh_resource *r = s->catalog.resources[i];
        bool skipped = has_tag(&skip, r);

        if ((tags.n && !has_tag(&tags, r)) || skipped)
            kept[r->index] = false;
    }
    warn_of_unknown(s, &tags, "--tags");
    warn_of_unknown(s, &skip, "--skip-tags");
    close_tags(&tags);
    close_tags(&skip);
}

/* What --only names, or NULL after telling what is near it. */
static const struct rh_resource *
find_only(struct rh_session *s, const char *text)
{
    struct rh_reference ref;
    const struct rh_resource *r = NULL;
    const char *best = NULL;
    struct rh_suggest near;
    rh_autofree char *hint = NULL;

    if (!rh_reference_parse(s->arena, text, &ref)) {
        rh_refuse_hint("write the type and the title, for example: --only='file[/etc/motd]'",
                       "--only=%s: not a resource reference", text);
        return NULL;
    }
    r = rh_catalog_find(&s->catalog, ref.type, ref.title);
    if (r)
        return r;
    rh_suggest_init(&near, text);
    for (size_t i = 0; i < s->catalog.n_resources; i++) {
        const struct rh_resource *other = s->catalog.resources[i];
        size_t before = near.distance;

        rh_suggest_try(&near, rh_arena_printf(s->arena, "%s[%s]", other->type->type, other->title));
        if (near.distance < before)
            best = near.best;
        else if (!best && strcmp(other->title, ref.title) == 0) /* of another type */
            best = rh_arena_printf(s->arena, "%s[%s]", other->type->type, other->title);
    }
    hint = rh_did_you_mean(best, NULL);
    rh_refuse_hint(hint, "--only=%s: unknown resource", text);
    return NULL;
}

static int
select_only(struct rh_session *s, bool *kept)
{
    const struct rh_settings *o = s->settings;
    int rc = 0;

    if (o->only.n)
        memset(kept, 0, s->catalog.n_resources);
    for (size_t i = 0; i < o->only.n; i++) {
        const struct rh_resource *r = find_only(s, o->only.v[i]);

        if (r)
            kept[r->index] = true;
        else
            rc = -1;
    }
    /* What is part of it goes with it; it was declared before all of that. */
    for (size_t i = 0; o->only.n && i < s->catalog.n_resources; i++) {
        const struct rh_resource *container = s->catalog.resources[i]->container;

        if (container && kept[container->index])
            kept[i] = true;
    }
    return rc;
}

/* What is left out has no result in this run. */
static void
refuse_left_out(struct rh_session *s, const bool *kept)
{
    for (size_t i = 0; i < s->catalog.n_resources; i++) {
        const struct rh_resource *r = s->catalog.resources[i], *other;

        for (const struct rh_use *use = r->uses; use && kept[i]; use = use->next) {
            other = rh_catalog_find(&s->catalog, use->ref.type, use->ref.title);
            if (other && !kept[other->index])
                rh_complain(&s->complaints, use->ref.place,
                            "--only, --tags and --skip-tags choose them together",
                            "%s[%s] uses the result of %s[%s], which is excluded from this run",
                            r->type->type, r->title, other->type->type, other->title);
        }
    }
}

int
rh_select(struct rh_session *s)
{
    const struct rh_settings *o = s->settings;
    rh_autofree bool *kept = NULL;
    size_t n = 0;

    if (!o->only.n && !o->tags.n && !o->skip_tags.n)
        return 0;
    kept = rh_xalloc(s->catalog.n_resources);
    memset(kept, 1, s->catalog.n_resources);
    if (select_only(s, kept) < 0)
        return -1;
    select_tags(s, kept);
    for (size_t i = 0; i < s->order.n; i++)
        if (kept[s->catalog.list[s->order.entries[i]].resource->index])
            s->order.entries[n++] = s->order.entries[i];
    s->order.n = n;
    refuse_left_out(s, kept);
    return 0;
}
