/* SPDX-License-Identifier: Apache-2.0 */
/* title - the titles of an entry, each of which declares a resource. */
#include "config.h"

#include "manifest/entry/title.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "base/value-parts.h"
#include "catalog/catalog.h"
#include "manifest/entry/define.h"
#include "manifest/entry/parts.h"
#include "manifest/entry/purge.h"
#include "manifest/expression/substitute.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/budget.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "schema/hold.h"

#include <stdint.h>
#include <string.h>

/* A title is text, also when an expression gives a number. */
static void
number_to_text(struct rh_load *load, struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    if ((v->kind != RH_INTEGER && v->kind != RH_FLOAT) || v->marks & RH_SENSITIVE)
        return;
    rh_value_show(&text, v, 0);
    v->kind = RH_STRING;
    v->u.string = rh_arena_strndup(load->catalog->arena, rh_buf_text(&text), text.n);
    v->count = (uint32_t)text.n;
}

void
rh_entry_substitute_titles(struct rh_load *load, struct rh_value *titles)
{
    bool list = titles->kind == RH_ARRAY;

    (void)rh_substitute(load, titles); /* those that were refused are marked */
    number_to_text(load, titles);
    for (size_t i = 0; titles->kind == RH_ARRAY && i < titles->count; i++) {
        struct rh_value *v = titles->u.items->v[i];

        number_to_text(load, v);
        if (list)
            continue;
        v->marks |= titles->marks & RH_SENSITIVE;
        rh_value_set_place(v, rh_value_place(titles));
    }
}

static const char *
title_text(struct rh_load *load, const struct rh_type *t, struct rh_value *v, struct rh_place key)
{
    rh_autofree char *hint = NULL;
    struct rh_place place = rh_value_place(v);

    if (v->marks & RH_SENSITIVE) {
        rh_complain(load->complaints, place, "only attributes can be secret",
                    "the title of '%s' is shown, and can't be a secret", t->type);
        return NULL;
    }
    if (rh_scalar_is_null(v) || (v->kind == RH_STRING && !v->count)) {
        rh_complain(load->complaints, place.line == key.line ? key : place,
                    "the title goes behind the type: - file: /etc/motd", "'%s' has no title",
                    t->type);
        return NULL;
    }
    if (v->kind == RH_STRING && strlen(v->u.string) == v->count)
        return v->u.string;
    if (v->kind == RH_STRING) {
        rh_complain(load->complaints, place, NULL, "a title must not hold a NUL character");
        return NULL;
    }
    if (v->kind == RH_UNKNOWN) {
        if (!(v->marks & RH_GIVEN_UP))
            rh_complain(load->complaints, place, NULL,
                        "the title of '%s' is not known before something has run", t->type);
        return NULL;
    }
    if (v->kind == RH_HASH)
        hint = rh_printf("write '- %s: TITLE', and the attributes below it in the same column as "
                         "'%s'",
                         t->type, t->type);
    rh_complain(load->complaints, key.line ? key : place, hint, "the title of '%s' is text, not %s",
                t->type, rh_kind_name(v->kind));
    return NULL;
}

int
rh_entry_note_doubt(const struct rh_load *load, struct rh_resource *r)
{
    r->doubt = load->doubt.line ? "whether it is wanted" : NULL;
    r->doubted = load->doubt;
    for (size_t i = 0; load->script && !r->doubt && i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);

        if (e->value->marks & RH_GIVEN_UP || !rh_value_unknown(e->value))
            continue;
        r->doubt = rh_arena_printf(load->catalog->arena, "'%s'", e->key);
        r->doubted = rh_value_place(e->value);
    }
    if (!load->script || !rh_value_unknown(r->name))
        return 0;
    rh_complain(load->complaints, r->place, NULL,
                "the name of %s[%s] is not known before something has run", r->type->type, r->title);
    return -1;
}

static int
add_resource(struct rh_reading *r, const char *title, struct rh_place place,
             const struct rh_value *given, struct rh_held *held)
{
    struct rh_catalog *c = r->load->catalog;
    struct rh_resource *resource;

    if (rh_budget_add_resource(r->load, place) < 0)
        return -1;
    resource = rh_arena_alloc(c->arena, sizeof *resource);
    *resource = (struct rh_resource){
        .type = r->type,
        .title = title,
        .name = held->name,
        .should = held->should,
        .given = given,
        .place = place,
        .container = r->load->container,
        .noop = r->said.noop,
        .noop_given = r->said.noop_given,
    };
    if (rh_entry_note_doubt(r->load, resource) < 0 || rh_purge_prepare(r->load, &r->said, resource) < 0) {
        rh_catalog_excuse(c, r->type->type, title);
        return -1;
    }
    resource->meta = r->said.meta;
    if (rh_catalog_declare(c, resource, r->load->complaints) < 0)
        return -1;
    rh_said_state(r->load, &r->said, resource);
    if (r->load->container)
        rh_catalog_contain(r->load->container, resource);
    if (r->type->defined && rh_define_expand(r->load, resource, !r->said.nothing) < 0)
        return -1;
    if (!r->said.nothing && !r->load->unlisted)
        rh_said_trigger(r->load, &r->said, resource);
    return 0;
}

/* --duplicates=clone: what is declared again is a copy of the first, without its guards, and with
 * what is said now. */
static struct rh_value *
given_of(const struct rh_reading *r, const char *title, struct rh_place place)
{
    const struct rh_catalog *c = r->load->catalog;
    const struct rh_resource *first =
        c->clones ? rh_catalog_find(c, r->type->type, title) : NULL;
    rh_autofree char *here = NULL, *there = NULL;
    struct rh_value *given;

    if (!first || !first->given || first->type != r->type)
        return r->entry;
    here = rh_place_text(c->sources, place, false);
    there = rh_place_text(c->sources, first->place, false);
    rh_log(RH_WARNING, "%s[%s] is declared again at %s: a copy of the one at %s is made",
           r->type->type, title, here, there);
    given = rh_value_copy_top(c->arena, first->given);
    rh_value_drop(given, "only_if");
    rh_value_drop(given, "not_if");
    for (size_t i = 0; i < rh_value_count(r->entry); i++) {
        const struct rh_entry *e = rh_value_entry(r->entry, i);

        rh_value_put_ref(given, e->key, e->value);
    }
    return given;
}

static int
read_title(struct rh_reading *r, struct rh_value *v, struct rh_place key, struct rh_place place)
{
    struct rh_load *load = r->load;
    const char *title = title_text(load, r->type, v, key);
    struct rh_value *given = title ? given_of(r, title, place) : NULL;
    struct rh_held held;

    if (!title)
        return -1;
    if (rh_hold(load->catalog->arena, r->type, title, place, given, &held, load->complaints) < 0) {
        rh_catalog_excuse(load->catalog, r->type->type, title);
        return -1;
    }
    rh_audit_settle(r->type, &r->said, given, held.should);
    return add_resource(r, title, place, given, &held);
}

int
rh_entry_read_titles(struct rh_reading *r, struct rh_value *titles, struct rh_place key)
{
    int rc = 0;

    if (titles->kind != RH_ARRAY)
        return read_title(r, titles, key, key.line ? key : rh_value_place(titles));
    for (uint32_t i = 0; i < titles->count && !r->load->spent; i++) {
        struct rh_value *v = titles->u.items->v[i];

        if (read_title(r, v, rh_value_place(v), rh_value_place(v)) < 0) {
            rc = -1;
            r->entry->count = 0;
        }
    }
    return rc;
}
