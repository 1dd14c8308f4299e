/* SPDX-License-Identifier: Apache-2.0 */
/* defaults - the scopes in which types have defaults. */
#include "config.h"

#include "manifest/entry/defaults.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry/parts.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/input.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/load/missing.h"
#include "manifest/text/scalar.h"

#include <string.h>

/* Keywords that are about one entry, and say nothing of others. */
static bool
is_of_one_entry(const char *key)
{
    static const char *const words[] = { "alias", "for_each", "when" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(key, words[i]) == 0)
            return true;
    return false;
}

static struct rh_default *
make_default(struct rh_load *load, struct rh_value *v, size_t i)
{
    struct rh_default *one = rh_arena_alloc(load->catalog->arena, sizeof *one);

    *one = (struct rh_default){
        .key = rh_value_entry(v, i)->key,
        .value = rh_draft_part(v, i),
        .place = rh_value_key_place(v, i),
    };
    return one;
}

static void
read_type(struct rh_load *load, struct rh_defaults_of_type *group, struct rh_value *v)
{
    struct rh_default **end = &group->first;

    for (size_t i = 0; i < v->count; i++) {
        const char *key = rh_value_entry(v, i)->key;

        if (rh_is_extension_key(key))
            continue;
        if (is_of_one_entry(key)) {
            rh_complain(load->complaints, rh_value_key_place(v, i), "write it at the entry",
                        "'%s' cannot be a default", key);
            continue;
        }
        *end = make_default(load, v, i);
        end = &(*end)->next;
    }
}

static void
refuse_shape(struct rh_load *load, const struct rh_value *v, const char *hint, const char *what)
{
    if (v->kind != RH_UNKNOWN) /* was complained about */
        rh_complain(load->complaints, rh_value_place(v), hint, "%s must be a hash, not %s", what,
                    rh_kind_name(v->kind));
}

static void
read_types(struct rh_load *load, struct rh_defaults *d, struct rh_value *v)
{
    struct rh_defaults_of_type **end = &d->types;

    for (size_t i = 0; i < v->count; i++) {
        const char *type = rh_value_entry(v, i)->key;
        struct rh_value *all = rh_draft_part(v, i);
        struct rh_defaults_of_type *group;

        if (rh_is_extension_key(type) || rh_scalar_is_null(all))
            continue;
        if (all->kind != RH_HASH) {
            rh_autofree char *what = rh_printf("the defaults of '%s'", type);
            rh_autofree char *hint = rh_printf("write it like this: %s: {ATTRIBUTE: VALUE}", type);

            refuse_shape(load, all, hint, what);
            continue;
        }
        group = rh_arena_alloc(load->catalog->arena, sizeof *group);
        *group = (struct rh_defaults_of_type){ .type = type, .place = rh_value_key_place(v, i), .all = all };
        read_type(load, group, all);
        *end = group;
        end = &group->next;
    }
}

static struct rh_defaults *
open_scope(struct rh_load *load)
{
    struct rh_defaults *d = rh_arena_alloc(load->catalog->arena, sizeof *d);

    *d = (struct rh_defaults){ .outer = load->context.defaults, .scope = load->context.scope };
    load->context.defaults = d;
    return d;
}

static bool
has_types(struct rh_load *load, const struct rh_value *defaults)
{
    if (!defaults || rh_scalar_is_null(defaults))
        return false;
    if (defaults->kind == RH_HASH)
        return true;
    refuse_shape(load, defaults, "write it like this: defaults: {file: {owner: root}}", "'defaults'");
    return false;
}

void
rh_defaults_open(struct rh_load *load, struct rh_value *defaults)
{
    if (has_types(load, defaults))
        read_types(load, open_scope(load), defaults);
}

void
rh_defaults_open_group(struct rh_load *load, struct rh_value *group)
{
    struct rh_value *defaults = rh_draft_get(group, "defaults");
    struct rh_defaults *d = NULL;
    struct rh_default **end = NULL;

    if (has_types(load, defaults)) {
        d = open_scope(load);
        read_types(load, d, defaults);
    }
    for (size_t i = 0; i < group->count; i++) {
        if (!rh_keyword_is_common(rh_value_entry(group, i)->key))
            continue;
        if (!d)
            d = open_scope(load);
        if (!end)
            end = &d->words;
        *end = make_default(load, group, i);
        end = &(*end)->next;
    }
}

const char *
rh_defaults_word(const struct rh_load *load)
{
    for (const struct rh_defaults *d = load->context.defaults; d; d = d->outer)
        if (d->words)
            return d->words->key;
    return NULL;
}

/* What names nothing. */

static void
refuse_type(struct rh_load *load, const struct rh_defaults_of_type *group)
{
    const struct rh_reference any = { .type = group->type, .title = "" };
    rh_autofree char *hint = NULL;

    if (rh_catalog_is_refused(load->catalog, &any))
        return; /* its definition, or the file that may have it */
    if (rh_keyword_find(group->type))
        hint = rh_printf("write it under the name of a type: defaults: {file: {%s: ...}}", group->type);
    else
        hint = rh_missing_type_hint(group->type, rh_load_suggest_type(load, group->type));
    rh_complain(load->complaints, group->place, hint, "unknown type '%s' in 'defaults'", group->type);
}

static void
check_key(struct rh_load *load, const struct rh_defaults_of_type *group, const struct rh_type *t,
          const struct rh_default *one)
{
    const struct rh_meaning *m = rh_key_meaning(load, t, one->key);

    if (m->attr && m->attr->behaviour & RH_NAMEVAR)
        rh_complain(load->complaints, one->place, "write it at the entry",
                    "'%s' is a part of the name of '%s' and cannot be a default", one->key, group->type);
    if (!m->attr && !m->keyword
        && !(load->types->owner && load->types->owner(load->types->data, group->type, one->key)))
        rh_entry_refuse_key(load, t, group->all, one->key);
}

static void
check_names(struct rh_load *load, const struct rh_defaults *d)
{
    for (const struct rh_defaults_of_type *group = d->types; group; group = group->next) {
        const char *provider = rh_value_get_str(group->all, "provider", NULL);
        const struct rh_known_type *known = rh_load_type(load, group->type, provider);

        if (!known->type) {
            if (!known->message) /* else it is said where a resource needs it */
                refuse_type(load, group);
            continue;
        }
        for (const struct rh_default *one = group->first; one; one = one->next)
            check_key(load, group, known->type, one);
    }
}

void
rh_defaults_close(struct rh_load *load, const struct rh_defaults *outer)
{
    for (const struct rh_defaults *d = load->context.defaults; d && d != outer; d = d->outer)
        check_names(load, d);
    load->context.defaults = outer;
}
