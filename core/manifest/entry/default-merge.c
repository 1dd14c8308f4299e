/* SPDX-License-Identifier: Apache-2.0 */
/* default-merge - what an entry takes of the defaults of its type. */
#include "config.h"

#include "manifest/entry/defaults.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/origin.h"
#include "manifest/entry/parts.h"
#include "manifest/expression/expression.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <stdint.h>
#include <string.h>

/* What the scope says of this key, for the type or for all. */
static const struct rh_default *
find(const struct rh_defaults *d, const char *type, const char *key)
{
    for (const struct rh_default *one = d->words; one; one = one->next)
        if (strcmp(one->key, key) == 0)
            return one;
    for (const struct rh_defaults_of_type *group = d->types; group; group = group->next)
        for (const struct rh_default *one = strcmp(group->type, type) == 0 ? group->first : NULL; one;
             one = one->next)
            if (strcmp(one->key, key) == 0)
                return one;
    return NULL;
}

/* The values of a default are evaluated where they stand: with the names of their scope, and once. What comes
 * out is not looked at again. */
static void
evaluate(struct rh_load *load, const struct rh_defaults *d, struct rh_default *one,
         const struct rh_attr *attr)
{
    const struct rh_value *scope = load->context.scope;
    struct rh_key_trace trace;

    one->evaluated = true;
    load->context.scope = d->scope;
    load->context.secret = attr && (attr->sensitive || attr->sensitive_within);
    if (attr && (attr->sensitive || attr->sensitive_within))
        rh_load_hide(load, one->value);
    rh_trace_begin(load, one->value, load->context.secret, &trace);
    if (rh_substitute(load, one->value) < 0)
        one->refused = true;
    rh_trace_end(load, &trace);
    one->written = trace.written;
    one->reads = trace.reads;
    load->context.secret = false;
    load->context.scope = scope;
    rh_set_literal(one->value);
}

/* The value for this entry, which is noted to have taken it. */
static struct rh_value *
take_value(struct rh_reading *r, const struct rh_defaults *d, struct rh_default *one,
           const struct rh_attr *attr)
{
    struct rh_arena *a = r->load->catalog->arena;
    struct rh_taken_default *taken = rh_arena_alloc(a, sizeof *taken);
    struct rh_value *v;

    if (!one->evaluated) {
        size_t before = rh_complaints_count(r->load->complaints);

        evaluate(r->load, d, one, attr);
        rh_complain_around(r->load->complaints, before, r->place, "for this entry");
    }
    *taken = (struct rh_taken_default){ .next = r->taken, .from = one };
    r->taken = taken;
    if (one->refused) {
        v = rh_value_new(a, RH_UNKNOWN);
        v->marks = RH_INVALID;
        rh_value_set_place(v, one->place);
        r->failed = true;
    } else {
        v = rh_value_copy_sharing(a, one->value);
    }
    rh_origin_add(a, &r->origins,
                  &(struct rh_origin){ .name = attr ? attr->name : one->key,
                                       .kind = RH_ORIGIN_DEFAULT,
                                       .place = one->place,
                                       .written = one->written,
                                       .reads = one->reads });
    return v;
}

static void
take(struct rh_reading *r, struct rh_value *to, const struct rh_defaults *d, struct rh_default *one,
     const struct rh_attr *attr)
{
    rh_value_add_ref(to, one->key, take_value(r, d, one, attr));
}

static void
append_all(struct rh_value *list, const struct rh_value *v)
{
    if (v->kind != RH_ARRAY)
        rh_value_append(list, v);
    for (size_t i = 0; v->kind == RH_ARRAY && i < v->count; i++)
        rh_value_append(list, rh_value_at(v, i));
}

/* What the entry says at `i`, and what the group around it says. */
static void
add_up(struct rh_reading *r, struct rh_value *to, size_t i, const struct rh_defaults *d,
       struct rh_default *one)
{
    const struct rh_entry *e = rh_value_entry(to, i);
    struct rh_value *list = rh_value_new(r->load->catalog->arena, RH_ARRAY);

    rh_value_set_place(list, rh_value_place(e->value));
    append_all(list, e->value);
    append_all(list, take_value(r, d, one, NULL));
    rh_draft_set_entry(to, i, e->key, list);
}

void
rh_defaults_take_provider(struct rh_reading *r, struct rh_value *entry, const char *type)
{
    for (const struct rh_defaults *d = r->load->context.defaults; d; d = d->outer) {
        const struct rh_default *one = find(d, type, "provider");

        if (!one)
            continue;
        if (rh_value_get(entry, "provider") || rh_scalar_is_null(one->value))
            return;
        for (struct rh_defaults_of_type *group = d->types; group; group = group->next)
            for (struct rh_default *own = group->first; own; own = own->next)
                if (own == one)
                    take(r, entry, d, own, NULL);
        return;
    }
}

/* What a template makes is the content: the one says what the other does. */
static bool
is_content(const struct rh_meaning *m)
{
    return m->attr ? strcmp(m->attr->name, "content") == 0
                   : m->keyword && m->keyword->read == rh_read_template;
}

/* Where a key of the entry stands that says what a default says; SIZE_MAX when none does. */
static size_t
find_declared(struct rh_load *load, const struct rh_type *t, const struct rh_value *entry, size_t at,
              const struct rh_meaning *m)
{
    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const struct rh_meaning *declared = rh_key_meaning(load, t, rh_value_entry(entry, i)->key);

        if (i != at
            && ((m->attr && declared->attr == m->attr) || (m->keyword && declared->keyword == m->keyword)
                || (is_content(m) && is_content(declared))))
            return i;
    }
    return SIZE_MAX;
}

/* The same where attributes and keywords stand apart: what a name means depends on where it is. */
static size_t
find_apart(const struct rh_reading *r, const struct rh_default *one, const struct rh_meaning *m)
{
    const struct rh_value *in = m->attr ? r->entry : r->words;

    for (size_t i = 0; i < rh_value_count(in); i++) {
        const char *key = rh_value_entry(in, i)->key;

        if (m->attr ? rh_type_attr(r->type, key) == m->attr : strcmp(key, one->key) == 0)
            return i;
    }
    return SIZE_MAX;
}

struct merge {
    struct rh_reading *r;
    size_t at;
    size_t nulls; /* that are only there to take a default back */
};

/* One default, unless the entry, or a scope that is nearer, says it. */
static void
merge_one(struct merge *g, const struct rh_defaults *d, struct rh_default *one, bool adds_up)
{
    struct rh_reading *r = g->r;
    const struct rh_meaning m = *rh_key_meaning(r->load, r->type, one->key);
    struct rh_value *to = m.attr || !r->words ? r->entry : r->words;
    size_t declared;

    if ((!m.attr && !m.keyword) || (m.attr && m.attr->behaviour & RH_NAMEVAR))
        return; /* that it names nothing is said when the scope ends */
    declared = r->words ? find_apart(r, one, &m) : find_declared(r->load, r->type, r->entry, g->at, &m);
    if (declared != SIZE_MAX) {
        if (rh_scalar_is_null(rh_value_entry(to, declared)->value))
            g->nulls++;
        else if (adds_up && m.keyword && !rh_scalar_is_null(one->value))
            add_up(r, to, declared, d, one);
    } else if (r->words && is_content(&m)
               && rh_value_get(m.attr ? r->words : r->entry, m.attr ? "template" : "content")) {
        return;
    } else if (rh_scalar_is_null(one->value)) {
        rh_value_add_ref(to, one->key, one->value);
        g->nulls++;
    } else {
        take(r, to, d, one, m.attr);
    }
}

/* Takes out what is null and a default of any scope. */
static void
drop_nulls(struct merge *g, struct rh_value *from)
{
    const struct rh_load *load = g->r->load;
    size_t at = g->at;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < from->count; i++) {
        const struct rh_entry *e = rh_value_entry(from, i);
        bool is_default = false;

        for (const struct rh_defaults *d = load->context.defaults; d && i != at; d = d->outer)
            is_default |= find(d, g->r->type->type, e->key) != NULL;
        if (is_default && rh_scalar_is_null(e->value)) {
            g->at -= at != SIZE_MAX && i < at;
            continue;
        }
        rh_draft_move_entry(from, kept++, i);
    }
    from->count = kept;
}

void
rh_defaults_take(struct rh_reading *r, size_t *at)
{
    struct merge g = { .r = r, .at = *at };

    for (const struct rh_defaults *d = r->load->context.defaults; d; d = d->outer) {
        for (struct rh_defaults_of_type *group = d->types; group; group = group->next)
            if (strcmp(group->type, r->type->type) == 0)
                for (struct rh_default *one = group->first; one; one = one->next)
                    merge_one(&g, d, one, false);
        for (struct rh_default *one = d->words; one; one = one->next)
            merge_one(&g, d, one, rh_keyword_adds_up(one->key));
    }
    if (r->taken)
        rh_entry_keep_secrets(r->load, r->entry, rh_value_get(r->words ? r->words : r->entry, "sensitive"));
    if (!g.nulls)
        return;
    drop_nulls(&g, r->entry);
    *at = g.at;
    g.at = SIZE_MAX;
    if (r->words)
        drop_nulls(&g, r->words);
}

/* Whether a place is that of a value, or of something within it. */
static bool
is_within(const struct rh_value *v, struct rh_place place)
{
    if (rh_place_same(rh_value_place(v), place))
        return true;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (is_within(rh_value_part(v, i), place)
            || (v->kind == RH_HASH && rh_place_same(rh_value_key_place(v, i), place)))
            return true;
    return false;
}

void
rh_defaults_blame(struct rh_reading *r, size_t before, struct rh_place place)
{
    struct rh_complaints *complaints = r->load->complaints;
    struct rh_place at;

    for (struct rh_taken_default *taken = r->taken; taken; taken = taken->next)
        for (size_t i = before; !taken->from->refused && rh_complaints_place(complaints, i, &at); i++)
            if (rh_place_same(taken->from->place, at) || is_within(taken->from->value, at)) {
                rh_complaints_relate(complaints, i, place, "for this entry");
                taken->from->refused = true;
            }
}
