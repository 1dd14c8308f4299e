/* SPDX-License-Identifier: Apache-2.0 */
/* edit - entries that change what was declared (CHEF-3694). */
#include "config.h"

#include "manifest/entry/entry.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/meta.h"
#include "catalog/origin.h"
#include "manifest/entry/long-form.h"
#include "manifest/entry/parts.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "schema/validate.h"

#include <string.h>

/* Takes the attributes that are plainly null out of the entry; their names are to be forgotten. */
static struct rh_value *
take_nulls(const struct rh_reading *r, size_t *at)
{
    struct rh_arena *a = r->load->catalog->arena;
    struct rh_value *nulls = rh_value_new(a, RH_ARRAY), *name;
    size_t edits = *at;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < r->entry->count; i++) {
        const struct rh_entry *e = rh_value_entry(r->entry, i);
        bool word = !r->words && (i == edits || rh_key_meaning(r->load, r->type, e->key)->keyword);

        if (!word && rh_scalar_is_null(e->value) && rh_type_attr(r->type, e->key)) {
            name = rh_value_string(a, rh_type_attr(r->type, e->key)->name);
            rh_value_set_place(name, rh_value_key_place(r->entry, i));
            rh_value_append(nulls, name);
            *at -= i < edits;
            continue;
        }
        rh_draft_move_entry(r->entry, kept++, i);
    }
    r->entry->count = kept;
    return nulls;
}

static bool
keeps_name(const struct rh_reading *r, const struct rh_resource *to)
{
    for (size_t i = 0; i < to->type->n_namevars; i++)
        for (size_t k = 0; k < rh_value_count(r->entry); k++)
            if (strcmp(rh_value_entry(r->entry, k)->key, to->type->namevars[i]->name) == 0) {
                rh_complain(r->load->complaints, rh_value_key_place(r->entry, k), NULL,
                            "'%s' names the resource and cannot be edited", rh_value_entry(r->entry, k)->key);
                return false;
            }
    return true;
}

/* Which attributes there are depends on the provider. */
static bool
can_be_edited(const struct rh_reading *r, const struct rh_resource *to)
{
    const struct rh_value *words = r->words ? r->words : r->entry;
    const struct rh_value *provider = rh_value_get(words, "provider");

    if (provider && strcmp(rh_value_str(provider, ""), to->type->provider) != 0) {
        rh_complain(r->load->complaints, rh_value_place(provider), "name it where it is declared",
                    "an edit cannot change the provider of %s[%s], which is '%s'", to->type->type, to->title,
                    to->type->provider);
        return false;
    }
    return true;
}

/* What was made of the parameters is declared already. */
static bool
has_no_parameters(const struct rh_reading *r, const struct rh_resource *to, const struct rh_value *nulls)
{
    if (!to->type->defined || (!r->entry->count && !nulls->count))
        return true;
    rh_complain(r->load->complaints,
                r->entry->count ? rh_value_key_place(r->entry, 0) : rh_value_place(r->entry),
                "edit the resources that it declares instead",
                "the parameters of %s[%s] cannot be edited: its resources are declared already",
                to->type->type, to->title);
    return false;
}

/* What `sensitive` names is a secret from now on, whoever gave it. Other resources may share the
 * value, which is none of theirs. */
static void
hide_named(struct rh_load *load, const struct rh_meta *meta, struct rh_value *declared)
{
    for (size_t i = 0; meta && i < meta->secrets.n; i++) {
        const char *name = meta->secrets.v[i];
        const struct rh_value *v = rh_value_get(declared, name);
        struct rh_value *own;

        if (!v)
            continue;
        own = rh_value_copy_sharing(load->catalog->arena, v);
        rh_load_hide(load, own);
        rh_value_put_ref(declared, name, own);
    }
}

/* From now on the edit is where these come from. */
static void
note_origins(const struct rh_reading *r, struct rh_resource *to, const struct rh_value *nulls)
{
    struct rh_arena *a = r->load->catalog->arena;

    for (size_t i = 0; i < rh_value_count(r->entry); i++) {
        struct rh_origin one = { .name = rh_value_entry(r->entry, i)->key };

        for (const struct rh_origin *o = r->origins; o; o = o->next)
            if (strcmp(o->name, one.name) == 0)
                one = *o;
        one.kind = RH_ORIGIN_EDIT;
        one.place = rh_value_key_place(r->entry, i);
        rh_origin_replace(a, to, &one);
    }
    for (size_t i = 0; i < rh_value_count(nulls); i++)
        rh_origin_replace(a, to,
                          &(struct rh_origin){ .name = rh_value_at(nulls, i)->u.string,
                                               .kind = RH_ORIGIN_EDIT,
                                               .place = rh_value_place(rh_value_at(nulls, i)) });
}

static int
apply_attributes(struct rh_reading *r, struct rh_resource *to, const struct rh_value *nulls)
{
    struct rh_arena *a = r->load->catalog->arena;
    struct rh_value *declared;
    struct rh_validated validated;

    if (!to->declared)
        return 0;
    declared = rh_value_copy_top(a, to->declared);
    for (size_t i = 0; i < rh_value_count(nulls); i++)
        rh_value_drop(declared, rh_value_at(nulls, i)->u.string);
    for (size_t i = 0; i < rh_value_count(r->entry); i++) {
        const struct rh_entry *e = rh_value_entry(r->entry, i);

        rh_value_put_ref(declared, e->key, e->value);
    }
    hide_named(r->load, r->keywords.meta, declared);
    if (rh_validate(a, to->type, to->title, to->place, declared, &validated, r->load->complaints) < 0)
        return -1;
    rh_audit_drop_defaults(to->type, &r->keywords, declared, validated.should);
    to->declared = declared;
    to->should = validated.should;
    note_origins(r, to, nulls);
    return rh_entry_note_undecided(r->load, to);
}

static int
apply_edit(struct rh_reading *r, struct rh_resource *to, const struct rh_value *nulls)
{
    struct rh_catalog *c = r->load->catalog;
    struct rh_keyword_values *keywords = &r->keywords;

    if (!keeps_name(r, to) || !has_no_parameters(r, to, nulls) || apply_attributes(r, to, nulls) < 0
        || rh_purge_prepare(r->load, keywords, to) < 0)
        return -1;
    if (keywords->noop_specified) {
        to->noop = keywords->noop;
        to->noop_specified = true;
    }
    to->meta = keywords->meta;
    if (rh_catalog_add_aliases(c, to, r->load->complaints) < 0)
        return -1;
    rh_keyword_values_state(r->load, keywords, to);
    if (keywords->n_actions || keywords->nothing)
        rh_catalog_retrigger(c, to, keywords->actions, keywords->n_actions);
    if (keywords->anchor)
        return rh_catalog_move(c, to, keywords->anchor, keywords->anchor_after, r->load->complaints);
    return 0;
}

/* What was said of it before, which the words of the edit change. */
static void
start_from(struct rh_reading *r, const struct rh_resource *to)
{
    r->keywords.type = r->type;
    if (to->conduct)
        r->keywords.conduct = *to->conduct;
    if (!to->meta)
        return;
    r->keywords.meta = rh_meta_copy(r->load, to->meta);
    r->keywords.meta->only_audits = false;
}

static void
edit_later(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    struct rh_late *late = rh_arena_alloc(load->catalog->arena, sizeof *late);

    *late = (struct rh_late){ .entry = entry,
                              .at = at,
                              .ref = *ref,
                              .scope = load->context.scope,
                              .undecided = load->context.undecided,
                              .conditions = load->context.conditions };
    if (load->edits.last)
        load->edits.last->next = late;
    else
        load->edits.first = late;
    load->edits.last = late;
}

int
rh_entry_edit(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    struct rh_resource *to = rh_catalog_find(load->catalog, ref->type, ref->title);
    struct rh_reading r = { .load = load, .entry = entry, .type = to ? to->type : NULL };
    struct rh_value *nulls;
    int rc = -1;

    if (!to && load->edits.late)
        return rh_entry_refuse_undeclared(load, ref, "'edit' changes a resource that is declared elsewhere");
    if (!to) {
        edit_later(load, entry, at, ref);
        return 0;
    }
    start_from(&r, to);
    if (rh_entry_take_apart(&r, "edit") < 0 || !can_be_edited(&r, to))
        return -1;
    nulls = take_nulls(&r, &at);
    if (r.words)
        rh_entry_read_apart(&r);
    else
        rh_entry_read_keys(&r, at);
    if (!r.failed)
        rc = apply_edit(&r, to, nulls);
    rh_keyword_values_clear(&r.keywords);
    return rc;
}

void
rh_entry_edit_late(struct rh_load *load)
{
    load->edits.late = true;
    for (const struct rh_late *late = load->edits.first; late; late = late->next) {
        load->context.scope = late->scope;
        load->context.undecided = late->undecided;
        load->context.conditions = late->conditions;
        (void)rh_entry_edit(load, late->entry, late->at, &late->ref); /* the complaints are counted */
    }
    load->context.scope = NULL;
    load->context.undecided = (struct rh_place){ 0 };
    load->context.conditions = NULL;
}
