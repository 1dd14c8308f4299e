/* SPDX-License-Identifier: Apache-2.0 */
/* title - the titles of an entry, each of which declares a resource. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/log.h"
#include "base/source.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry/define.h"
#include "manifest/entry/entry.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/budget.h"
#include "manifest/load/load.h"
#include "schema/validate.h"

#include <stdint.h>
#include <string.h>

static int
add_resource(struct rh_reading *r, const char *title, struct rh_place place, const struct rh_value *declared,
             struct rh_validated *validated)
{
    struct rh_catalog *c = r->load->catalog;
    struct rh_resource *resource;

    if (rh_budget_add_resource(r->load, place) < 0)
        return -1;
    resource = rh_arena_alloc(c->arena, sizeof *resource);
    *resource = (struct rh_resource){
        .type = r->type,
        .title = title,
        .name = validated->name,
        .should = validated->should,
        .declared = declared,
        .origins = r->origins,
        .place = place,
        .container = r->load->context.container,
        .noop = r->keywords.noop,
        .noop_specified = r->keywords.noop_specified,
        .refused = r->failed,
    };
    if (r->load->context.module && !r->load->context.container) {
        rh_complain(r->load->complaints, place, "put it under 'resources' of a definition",
                    "the module '%s' declares %s[%s], and may only define types", r->load->context.module,
                    r->type->type, title);
        return -1;
    }
    if (rh_entry_note_undecided(r->load, resource) < 0
        || rh_purge_prepare(r->load, &r->keywords, resource) < 0) {
        rh_catalog_note_refused(c, r->type->type, title);
        return -1;
    }
    resource->meta = r->keywords.meta;
    if (c->duplicates == RH_DUPLICATES_AGREE) {
        struct rh_resource *first = rh_catalog_declared(c, resource);

        if (first && !first->refused && !resource->refused)
            return rh_entry_agree(r, first, resource);
    }
    if (rh_catalog_declare(c, resource, r->load->complaints) < 0)
        return -1;
    rh_keyword_values_state(r->load, &r->keywords, resource);
    if (r->load->context.container)
        rh_catalog_contain(r->load->context.container, resource);
    if (r->type->defined && rh_define_expand(r->load, resource, !r->keywords.nothing) < 0)
        return -1;
    if (!r->keywords.nothing && !r->load->context.unlisted)
        rh_keyword_values_trigger(r->load, &r->keywords, resource);
    return 0;
}

/* --duplicates=clone: what is declared again is a copy of the first, without its guards, and with
 * what is said now. */
static struct rh_value *
attributes_of_title(const struct rh_reading *r, const char *title, struct rh_place place)
{
    const struct rh_catalog *c = r->load->catalog;
    bool clones = c->duplicates == RH_DUPLICATES_CLONE;
    const struct rh_resource *first = clones ? rh_catalog_find(c, r->type->type, title) : NULL;
    rh_autofree char *here = NULL, *there = NULL;
    struct rh_value *declared;

    if (!first || !first->declared || first->type != r->type)
        return r->entry;
    here = rh_place_text(c->sources, place, false);
    there = rh_place_text(c->sources, first->place, false);
    rh_log(RH_WARNING, "%s[%s] is declared again at %s: a copy of the one at %s is made", r->type->type,
           title, here, there);
    declared = rh_value_copy_top(c->arena, first->declared);
    rh_value_drop(declared, "only_if");
    rh_value_drop(declared, "not_if");
    for (size_t i = 0; i < rh_value_count(r->entry); i++) {
        const struct rh_entry *e = rh_value_entry(r->entry, i);

        rh_value_put_ref(declared, e->key, e->value);
    }
    return declared;
}

static int
read_title(struct rh_reading *r, struct rh_value *v, struct rh_place key, struct rh_place place)
{
    struct rh_load *load = r->load;
    const char *title = rh_entry_title_text(load, r->type, v, key);
    struct rh_value *declared = title ? attributes_of_title(r, title, place) : NULL;
    struct rh_validated validated;

    if (!title)
        return -1;
    if (rh_validate(load->catalog->arena, r->type, title, place, declared, &validated, load->complaints)
        < 0) {
        rh_catalog_note_refused(load->catalog, r->type->type, title);
        return -1;
    }
    rh_audit_drop_defaults(r->type, &r->keywords, declared, validated.should);
    return add_resource(r, title, place, declared, &validated);
}

int
rh_entry_read_titles(struct rh_reading *r, struct rh_value *titles, struct rh_place key)
{
    int rc = 0;

    if (titles->kind != RH_ARRAY)
        return read_title(r, titles, key, key.line ? key : rh_value_place(titles));
    for (uint32_t i = 0; i < titles->count && !r->load->spent.exceeded; i++) {
        struct rh_value *v = rh_draft_part(titles, i);

        if (read_title(r, v, rh_value_place(v), rh_value_place(v)) < 0) {
            rc = -1;
            r->entry->count = 0;
        }
    }
    return rc;
}
