/* SPDX-License-Identifier: Apache-2.0 */
/* entry-word - entries that do something with a resource: declare it without doing anything, edit
 * what was declared, trigger an action of it (CHEF-3694's primitives); or include a file. */
#include "config.h"

#include "manifest/entry-word.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "catalog/arrange.h"
#include "catalog/catalog.h"
#include "manifest/entry-key.h"
#include "manifest/entry-parts.h"
#include "manifest/entry-title.h"
#include "manifest/include.h"
#include "manifest/load.h"
#include "manifest/missing-type.h"
#include "manifest/scalar.h"
#include "manifest/substitute.h"
#include "schema/hold.h"

#include <stdint.h>
#include <string.h>

size_t
rh_entry_word(const struct rh_value *entry)
{
    static const char *const words[] = { "declare", "edit", "include", "trigger" };

    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;

        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            if (strcmp(key, words[k]) == 0)
                return i;
        if (!rh_keyword_find(key))
            break;
    }
    return SIZE_MAX;
}

/* References. */

static const char wanted[] = "expected a reference, like service[nginx], or a list of them";

static int
one_reference(struct rh_load *load, const struct rh_value *v, struct rh_reference *ref)
{
    if (v->kind == RH_UNKNOWN && v->marks & RH_GIVEN_UP)
        return -1; /* was complained about */
    if (v->marks & RH_SENSITIVE) {
        rh_complain(load->complaints, rh_value_place(v), NULL, "a reference can't be a secret");
        return -1;
    }
    if (rh_value_is(v, RH_STRING) && v->count)
        return rh_keyword_reference(load, v, ref);
    rh_complain(load->complaints, rh_value_place(v), NULL, "%s", wanted);
    return -1;
}

/* Calls `one` for each reference of a text or list. */
static int
each_reference(struct rh_load *load, struct rh_value *entry, size_t at,
               int (*one)(struct rh_load *, struct rh_value *, size_t, const struct rh_reference *))
{
    struct rh_value *v = entry->u.entries->e[at].value;
    int rc = rh_substitute(load, v);
    bool list = v->kind == RH_ARRAY;
    size_t n = list ? v->count : 1;

    if (!n)
        rh_complain(load->complaints, rh_value_place(v), NULL, "%s", wanted);
    for (size_t i = 0; i < n; i++) {
        /* Each reads the entry in place, by its own type. */
        struct rh_value *own =
            n == 1 ? entry : rh_value_copy_sharing(load->catalog->arena, entry);
        struct rh_reference ref;

        if (one_reference(load, list ? rh_value_at(v, i) : v, &ref) < 0
            || one(load, own, at, &ref) < 0)
            rc = -1;
    }
    return rc;
}

static int
refuse_unknown_resource(struct rh_load *load, const struct rh_reference *ref, const char *hint)
{
    const struct rh_catalog *c = load->catalog;
    rh_autofree char *near_hint = NULL;
    struct rh_place when = rh_catalog_left_out(c, ref);
    struct rh_suggest near;

    if (rh_catalog_excused(c, ref))
        return -1;
    if (when.line) {
        rh_complain(load->complaints, ref->place, "give both the same condition",
                    "%s[%s] is left out by 'when'", ref->type, ref->title);
        rh_complain_also(load->complaints, when, "this condition does not hold");
        return -1;
    }
    rh_suggest_init(&near, ref->title);
    for (size_t i = 0; i < c->n_resources && !rh_complaints_full(load->complaints); i++)
        if (strcmp(c->resources[i]->type->type, ref->type) == 0)
            rh_suggest_try(&near, c->resources[i]->title);
    if (near.best)
        near_hint = rh_printf("did you mean '%s[%s]'?", ref->type, near.best);
    rh_complain(load->complaints, ref->place, near_hint ? near_hint : hint,
                "%s[%s] is not declared", ref->type, ref->title);
    return -1;
}

/* declare: the set gets it, the list does not. */

static int
declare(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    const struct rh_value *provider = rh_value_get(entry, "provider");
    const struct rh_known_type *known =
        rh_load_type(load, ref->type, provider ? rh_value_str(provider, NULL) : NULL);
    struct rh_reading r = { .load = load, .entry = entry, .type = known->type };
    struct rh_value *title;
    const char *best;
    rh_autofree char *hint = NULL;
    int rc = -1;

    if (!known->type) {
        best = rh_load_suggest_type(load, ref->type);
        hint = rh_missing_type_hint(ref->type, best);
        if (known->message)
            rh_complain(load->complaints, ref->place, NULL, "%s", known->message);
        else
            rh_complain(load->complaints, ref->place, hint, "unknown type '%s'", ref->type);
        rh_catalog_excuse(load->catalog, ref->type, ref->title);
        return -1;
    }
    r.said.type = r.type;
    rh_entry_read_keys(&r, at);
    r.said.nothing = true;
    if (r.said.n_actions) {
        rh_complain(load->complaints, ref->place, "'trigger' has actions run; or leave 'declare' out",
                    "'declare' goes with no action");
        r.failed = true;
    }
    title = rh_value_string(load->catalog->arena, ref->title);
    rh_value_set_place(title, ref->place);
    rc = rh_entry_read_titles(&r, title, ref->place);
    rh_said_clear(&r.said);
    return r.failed ? -1 : rc;
}

/* trigger: the list gets an action, and nothing else is said. */

static int
trigger(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    static const char *const words[] = { "action", "insert_before", "insert_after" };
    struct rh_resource *to = rh_catalog_find(load->catalog, ref->type, ref->title);
    struct rh_reading r = { .load = load, .entry = entry, .type = to ? to->type : NULL };

    if (!to)
        return refuse_unknown_resource(load, ref,
                                       "declare it above: '- declare: service[nginx]'");
    for (size_t i = 0; i < rh_value_count(entry); i++) {
        bool known = i == at;

        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            known |= strcmp(rh_value_entry(entry, i)->key, words[k]) == 0;
        if (known)
            continue;
        rh_complain(load->complaints, rh_value_key_place(entry, i),
                    "'edit' changes what a resource is; 'trigger' has action, insert_before, "
                    "insert_after",
                    "'trigger' has no '%s'", rh_value_entry(entry, i)->key);
        return -1;
    }
    r.said.type = r.type;
    rh_entry_read_keys(&r, at);
    if (!r.failed)
        rh_said_trigger(load, &r.said, to);
    if (load->doubt.line)
        (void)rh_entry_note_doubt(load, to); /* its name is known */
    rh_said_clear(&r.said);
    return r.failed ? -1 : 0;
}

/* edit: what was declared, with these attributes instead. */

/* Takes the attributes that are plainly null out of the entry; their names are to be forgotten. */
static struct rh_value *
take_nulls(struct rh_load *load, struct rh_value *entry, size_t *at)
{
    struct rh_value *nulls = rh_value_new(load->catalog->arena, RH_ARRAY);

    for (size_t i = rh_value_count(entry); i-- > 0;) {
        const struct rh_entry *e = rh_value_entry(entry, i);
        const char *key = e->key;

        if (i == *at || !rh_scalar_is_null(e->value) || rh_keyword_find(key))
            continue;
        rh_value_append(nulls, rh_value_string(load->catalog->arena, key));
        rh_value_drop(entry, key);
        *at -= i < *at;
    }
    return nulls;
}

static bool
keeps_name(struct rh_load *load, const struct rh_resource *to, const struct rh_value *entry)
{
    for (size_t i = 0; i < to->type->n_namevars; i++)
        for (size_t k = 0; k < rh_value_count(entry); k++)
            if (strcmp(rh_value_entry(entry, k)->key, to->type->namevars[i]->name) == 0) {
                rh_complain(load->complaints, rh_value_key_place(entry, k), NULL,
                            "'%s' is the name of the resource, and can't be edited",
                            rh_value_entry(entry, k)->key);
                return false;
            }
    return true;
}

static int
apply_edit(struct rh_reading *r, struct rh_resource *to, const struct rh_value *nulls)
{
    struct rh_arena *a = r->load->catalog->arena;
    struct rh_value *given = rh_value_copy_top(a, to->given);
    struct rh_held held;

    if (!keeps_name(r->load, to, r->entry))
        return -1;
    for (size_t i = 0; i < rh_value_count(nulls); i++)
        rh_value_drop(given, rh_value_at(nulls, i)->u.string);
    for (size_t i = 0; i < rh_value_count(r->entry); i++) {
        const struct rh_entry *e = rh_value_entry(r->entry, i);

        rh_value_put_ref(given, e->key, e->value);
    }
    if (rh_hold(a, to->type, to->title, to->place, given, &held, r->load->complaints) < 0)
        return -1;
    to->given = given;
    to->should = held.should;
    if (rh_entry_note_doubt(r->load, to) < 0)
        return -1;
    if (r->said.noop_given) {
        to->noop = r->said.noop;
        to->noop_given = true;
    }
    rh_said_state(r->load, &r->said, to);
    if (r->said.n_actions || r->said.nothing)
        rh_catalog_retrigger(r->load->catalog, to, r->said.actions, r->said.n_actions);
    return 0;
}

static int
edit(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    struct rh_resource *to = rh_catalog_find(load->catalog, ref->type, ref->title);
    struct rh_reading r = { .load = load, .entry = entry, .type = to ? to->type : NULL };
    struct rh_value *nulls;
    int rc = -1;

    if (!to && load->late)
        return refuse_unknown_resource(load, ref, "an edit changes what is declared elsewhere");
    if (!to) {
        struct rh_late *late = rh_arena_alloc(load->catalog->arena, sizeof *late);

        *late = (struct rh_late){
            .entry = entry, .at = at, .ref = *ref, .scope = load->scope, .doubt = load->doubt
        };
        if (load->last_edit)
            load->last_edit->next = late;
        else
            load->edits = late;
        load->last_edit = late;
        return 0;
    }
    nulls = take_nulls(load, entry, &at);
    r.said.type = r.type;
    if (to->conduct)
        r.said.conduct = *to->conduct;
    rh_entry_read_keys(&r, at);
    if (!r.failed)
        rc = apply_edit(&r, to, nulls);
    rh_said_clear(&r.said);
    return rc;
}

int
rh_entry_read_late(struct rh_load *load)
{
    int rc = 0;

    load->late = true;
    for (const struct rh_late *late = load->edits; late; late = late->next) {
        load->scope = late->scope;
        load->doubt = late->doubt;
        if (edit(load, late->entry, late->at, &late->ref) < 0)
            rc = -1;
    }
    load->scope = NULL;
    load->doubt = (struct rh_place){ 0 };
    return rc;
}

int
rh_entry_read_word(struct rh_load *load, struct rh_value *entry, size_t at)
{
    const char *word = rh_value_entry(entry, at)->key;

    if (*word == 'i')
        return rh_include_read(load, entry, at);
    if (*word == 'd')
        return each_reference(load, entry, at, declare);
    return each_reference(load, entry, at, *word == 'e' ? edit : trigger);
}
