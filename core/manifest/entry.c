/* SPDX-License-Identifier: Apache-2.0 */
/* entry - one entry of `resources`: a type, a title or several, attributes and keywords. */
#include "config.h"

#include "manifest/entry.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/log.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/define.h"
#include "manifest/entry-parts.h"
#include "manifest/entry-type.h"
#include "manifest/for-each.h"
#include "manifest/foreign.h"
#include "manifest/load.h"
#include "manifest/manifest.h"
#include "manifest/meta-words.h"
#include "manifest/purge.h"
#include "manifest/scalar.h"
#include "manifest/substitute.h"
#include "manifest/template.h"
#include "manifest/when.h"
#include "schema/hold.h"

#include <stdint.h>
#include <string.h>

static int
refuse_shape(const struct rh_load *load, const struct rh_value *v)
{
    rh_autofree char *hint = NULL;
    const char *space = rh_value_is(v, RH_STRING) ? strchr(v->u.string, ' ') : NULL;
    const char *colon = rh_value_is(v, RH_STRING) ? strchr(v->u.string, ':') : NULL;

    if (rh_scalar_is_null(v)) {
        rh_complain(load->complaints, rh_value_place(v), "take the '-' out",
                    "there is nothing in this entry");
        return -1;
    }
    if (colon && colon > v->u.string && !space && strlen(v->u.string) < 100)
        hint = rh_printf("put a space behind the ':': - %.*s: %s", (int)(colon - v->u.string),
                         v->u.string, colon + 1);
    else if (space && strlen(space + 1) < 60 && space - v->u.string < 40)
        hint = rh_printf("write it with a ':': - %.*s: %s", (int)(space - v->u.string), v->u.string,
                         space + 1);
    else
        hint = rh_xstrdup("an entry looks like this: - file: /etc/motd");
    rh_complain(load->complaints, rh_value_place(v), hint,
                "an entry of 'resources' is a hash that names a type, not %s",
                rh_kind_name(v->kind));
    return -1;
}

/* Attributes and keywords. */

/* An attribute that another provider of the type has. */
static void
refuse_foreign(struct rh_reading *r, size_t i, const struct rh_type *owner)
{
    const struct rh_entry *e = &r->entry->u.entries->e[i];
    struct rh_complaints *complaints = r->load->complaints;
    rh_autofree char *hint =
        rh_printf("provider '%s' has it; 'provider: %s' in the entry asks for that one",
                  owner->provider, owner->provider);

    if (rh_type_attr(owner, e->key)->sensitive)
        rh_hold_hide(e->value, complaints);
    rh_complain(complaints, rh_value_key_place(r->entry, i), hint,
                "'%s' has no attribute '%s' where provider '%s' serves it", r->type->type, e->key,
                r->type->provider);
}

static void
refuse_unknown(struct rh_reading *r, size_t i)
{
    const struct rh_entry *e = &r->entry->u.entries->e[i];
    struct rh_complaints *complaints = r->load->complaints;
    const struct rh_attr *meant;
    const struct rh_type *owner = NULL;
    const char *foreign;
    struct rh_suggest near;
    rh_autofree char *hint = NULL;

    rh_suggest_init(&near, e->key);
    for (size_t k = 0; k < r->type->n_attrs; k++)
        rh_suggest_try(&near, r->type->attrs[k].name);
    rh_keyword_suggest(&near);
    if (r->load->types->owner)
        owner = r->load->types->owner(r->load->types->data, r->type->type, e->key);
    if (owner) {
        refuse_foreign(r, i, owner);
        return;
    }
    foreign = rh_foreign_key(r->type, e->key);
    meant = near.best ? rh_type_attr(r->type, near.best) : NULL;
    if (meant && meant->sensitive)
        rh_hold_hide(e->value, complaints);
    hint = foreign ? rh_xstrdup(foreign)
           : near.best ? rh_printf("did you mean '%s'?", near.best)
                       : rh_printf("'rhost describe %s' lists its attributes", r->type->type);
    rh_complain(complaints, rh_value_key_place(r->entry, i), hint, "'%s' has no attribute '%s'",
                r->type->type, e->key);
}

static void
keep_named_secret(const struct rh_reading *r, const struct rh_value *name)
{
    const struct rh_value *v = rh_value_get(r->entry, rh_value_str(name, ""));

    if (v && v != name)
        rh_load_hide(r->load, (struct rh_value *)v);
}

/* What `sensitive` names, before anything else can go wrong with it. */
static void
keep_secrets(const struct rh_reading *r)
{
    const struct rh_value *names = rh_value_get(r->entry, "sensitive");

    keep_named_secret(r, names);
    for (size_t i = 0; i < rh_value_count(names); i++)
        keep_named_secret(r, rh_value_at(names, i));
}

static void
read_attribute(struct rh_reading *r, struct rh_entry *e, const struct rh_attr *attr)
{
    bool secret = attr->sensitive || e->value->marks & RH_SENSITIVE;

    if (attr->sensitive)
        rh_load_hide(r->load, e->value);
    r->load->secret = secret;
    if (rh_substitute(r->load, e->value) < 0)
        r->failed = true;
    r->load->secret = false;
    if (secret)
        e->value->marks |= RH_SENSITIVE; /* whatever has become of it */
    (void)rh_scalar_read(r->load->catalog->arena, attr->type, e->value);
    e->key = attr->name;
}

/* Whether the entry says that this attribute is a secret. */
static bool
is_named_secret(const struct rh_reading *r, const char *name)
{
    const struct rh_value *names = rh_value_get(r->entry, "sensitive");

    if (strcmp(rh_value_str(names, ""), name) == 0)
        return true;
    for (size_t i = 0; i < rh_value_count(names); i++)
        if (strcmp(rh_value_str(rh_value_at(names, i), ""), name) == 0)
            return true;
    return false;
}

/* `template` becomes `content`. */
static void
read_template(struct rh_reading *r, size_t i)
{
    struct rh_entry *e = &r->entry->u.entries->e[i];
    const struct rh_attr *attr = rh_type_attr(r->type, "content");
    struct rh_complaints *complaints = r->load->complaints;
    struct rh_value *made = NULL;
    bool secret;

    secret = attr && (attr->sensitive || is_named_secret(r, attr->name));
    if (!attr)
        rh_complain(complaints, rh_value_key_place(r->entry, i), NULL,
                    "'%s' has no attribute 'content' that a template could make", r->type->type);
    else if (rh_value_get(r->entry, "content"))
        rh_complain(complaints, rh_value_key_place(r->entry, i), "leave one of them out",
                    "'template' makes the 'content', which is given as well");
    else
        made = rh_template_render(r->load, e->value, secret);
    if (!made) {
        made = rh_value_new(r->load->catalog->arena, RH_UNKNOWN);
        made->marks = RH_GIVEN_UP;
        r->failed = true;
    } else if (secret) {
        rh_load_hide(r->load, made);
    }
    e->value = made;
    e->key = "content";
}

/* What a keyword says is shown in messages, and compared with what others say. */
static int
check_word(struct rh_reading *r, size_t i)
{
    const struct rh_entry *e = rh_value_entry(r->entry, i);

    if (e->value->kind == RH_UNKNOWN && e->value->marks & RH_GIVEN_UP)
        return -1; /* was complained about */
    if (rh_value_unknown(e->value)) {
        rh_complain(r->load->complaints, rh_value_place(e->value), NULL,
                    "'%s' is not known before something has run", e->key);
        return -1;
    }
    if (!rh_value_sensitive(e->value))
        return 0;
    rh_complain(r->load->complaints, rh_value_place(e->value), "only attributes can be secret",
                "what '%s' says is shown, and can't be a secret", e->key);
    return -1;
}

/* One key that is not the type's. True when it stays: it is an attribute. */
static bool
read_key(struct rh_reading *r, size_t i)
{
    struct rh_entry *e = &r->entry->u.entries->e[i];
    const struct rh_meaning *m = rh_load_meaning(r->load, r->type, e->key);

    if (m->attr) {
        read_attribute(r, e, m->attr);
        return true;
    }
    if (m->keyword && m->keyword->read == rh_read_template) {
        read_template(r, i);
        return true;
    }
    if (!m->keyword) {
        refuse_unknown(r, i);
        r->failed = true;
    } else if (rh_substitute(r->load, e->value) < 0 || check_word(r, i) < 0
               || m->keyword->read(r->load, &r->said, e->value) < 0) {
        r->failed = true;
    }
    return false;
}

void
rh_entry_read_keys(struct rh_reading *r, size_t type_at)
{
    struct rh_entries *entries = r->entry->u.entries;
    struct rh_place *places = entries->placed ? rh_entries_places(entries) : NULL;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < r->entry->count; i++) {
        if (i == type_at || !read_key(r, i))
            continue;
        entries->e[kept] = entries->e[i];
        if (places)
            places[kept] = places[i];
        kept++;
    }
    r->entry->count = kept;
}

/* Titles. */

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
    struct rh_resource *resource = rh_arena_alloc(c->arena, sizeof *resource);

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

/* What is wrong with the attributes is said with the first title; the others then are held without
 * them, to hear about the titles. */
int
rh_entry_read_titles(struct rh_reading *r, struct rh_value *titles, struct rh_place key)
{
    int rc = 0;

    if (titles->kind != RH_ARRAY)
        return read_title(r, titles, key, key.line ? key : rh_value_place(titles));
    for (uint32_t i = 0; i < titles->count; i++) {
        struct rh_value *v = titles->u.items->v[i];

        if (read_title(r, v, rh_value_place(v), rh_value_place(v)) < 0) {
            rc = -1;
            r->entry->count = 0;
        }
    }
    return rc;
}

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

/* An expression may give one title or several. */
static void
substitute_titles(struct rh_load *load, struct rh_value *titles)
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

static int
refuse_inner(struct rh_load *load, const struct rh_value *entry)
{
    rh_complain(load->complaints, rh_value_place(entry), "put it beside the other",
                "a definition can't be inside of another");
    return -1;
}

static void
substitute_key(struct rh_load *load, struct rh_value *entry, const char *key)
{
    struct rh_value *v = (struct rh_value *)rh_value_get(entry, key);

    if (!v || rh_substitute(load, v) < 0 || !rh_value_sensitive(v))
        return; /* those that were refused are marked */
    rh_complain(load->complaints, rh_value_place(v), "only attributes can be secret",
                "what '%s' says is shown, and can't be a secret", key);
    v->kind = RH_UNKNOWN;
    v->marks = RH_GIVEN_UP;
}

/* One whose condition holds, or can't be known. */
static int
read_wanted(struct rh_load *load, struct rh_value *entry)
{
    struct rh_reading r = { .load = load, .entry = entry };
    struct rh_value *titles;
    struct rh_place key;
    size_t type_at;
    int rc;

    substitute_key(load, entry, "provider"); /* what decides how the others are read */
    substitute_key(load, entry, "sensitive");
    keep_secrets(&r);
    if (rh_is_definition(entry))
        return load->container ? refuse_inner(load, entry) : 0; /* it was read before all others */
    type_at = rh_entry_word(entry);
    if (type_at != SIZE_MAX)
        return rh_entry_read_word(load, entry, type_at);
    r.type = rh_entry_type(load, entry, &type_at);
    if (!r.type)
        return -1;
    r.said.type = r.type;
    titles = entry->u.entries->e[type_at].value;
    key = rh_value_key_place(entry, type_at);
    substitute_titles(load, titles);
    rh_entry_read_keys(&r, type_at);
    rc = rh_entry_read_titles(&r, titles, key);
    rh_said_clear(&r.said);
    return r.failed ? -1 : rc;
}

/* One of those that `for_each` makes of an entry. */
static int
read_one(struct rh_load *load, struct rh_value *entry)
{
    struct rh_place doubt = load->doubt;
    enum rh_when when = rh_when(load, entry);
    int rc = when == RH_WHEN_REFUSED ? -1 : 0;

    if (when == RH_WHEN_YES || when == RH_WHEN_UNKNOWN)
        rc = read_wanted(load, entry);
    load->doubt = doubt;
    return rc;
}

int
rh_entry_read(struct rh_load *load, struct rh_value *entry)
{
    if (entry->kind == RH_UNKNOWN)
        return -1; /* was complained about */
    if (entry->kind != RH_HASH)
        return refuse_shape(load, entry);
    if (rh_value_get(entry, "for_each") && !rh_is_definition(entry))
        return rh_for_each(load, entry, read_one);
    return read_one(load, entry);
}
