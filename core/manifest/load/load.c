/* SPDX-License-Identifier: Apache-2.0 */
/* load - what the files of this room share while a manifest is read. */
#include "config.h"

#include "manifest/load/load.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/secrets.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/input.h"
#include "manifest/load/purge-type.h"
#include "schema/validate.h"
#include "script/script.h"

#include <string.h>

/* "acme::site" may be a definition of module "acme". */
static void
find_in_module(struct rh_load *load, const char *type, struct rh_known_type *known, struct rh_error *err)
{
    const struct rh_known_type *defined;

    if (!strstr(type, "::") || !load->module || load->module(load, type, err) < 0)
        return;
    defined = rh_map_get(&load->known.types, type);
    if (defined)
        known->type = defined->type;
}

struct rh_known_type *
rh_load_type(struct rh_load *load, const char *type, const char *provider)
{
    struct rh_arena *a = load->catalog->arena;
    rh_autofree char *pair = provider ? rh_printf("%s %s", type, provider) : NULL;
    struct rh_known_type *known = rh_map_get(&load->known.types, pair ? pair : type);
    rh_autoerror struct rh_error err = { 0 };

    if (known)
        return known;
    known = rh_arena_alloc(a, sizeof *known);
    if (strcmp(type, rh_purge_word) == 0)
        known->type = rh_purge_type(a, provider);
    else if (rh_is_type_name(type))
        known->type = load->types->find(load->types->data, type, provider, &err);
    if (!known->type && !err.message && !provider)
        find_in_module(load, type, known, &err);
    if (!known->type && err.message) {
        known->message = rh_arena_strdup(a, err.message);
        known->hint = err.hint ? rh_arena_strdup(a, err.hint) : NULL;
        known->code = rh_error_code(&err);
        known->unsuited = err.kind == RH_EPROVIDER;
    }
    rh_map_put(&load->known.types, rh_arena_strdup(a, pair ? pair : type), known);
    return known;
}

void
rh_load_complain_type(struct rh_load *load, const char *type, const struct rh_known_type *known,
                      struct rh_place place)
{
    struct rh_known_type *first;

    if (!known->unsuited) {
        rh_complain_code(load->complaints, place,
                         known->message ? known->hint : "'rhost types' lists what is installed here",
                         known->code, "%s", known->message ? known->message : "unknown type");
        return;
    }
    first = rh_load_type(load, type, NULL);
    if (first->reported)
        return;
    first->reported = true;
    rh_complain_code(load->complaints, place,
                     "where an earlier resource makes one suit, name it: 'provider: NAME'", known->code, "%s",
                     known->message);
}

void
rh_load_suggest_definition(const struct rh_load *load, struct rh_suggest *near)
{
    for (size_t i = 0; i < rh_map_slots(&load->known.definitions); i++) {
        const struct rh_definition *d = rh_map_slot(&load->known.definitions, i);

        if (d)
            rh_suggest_try(near, d->type->type);
    }
}

const char *
rh_load_suggest_type(struct rh_load *load, const char *word)
{
    struct rh_suggest near;

    if (!load->types->suggest || rh_complaints_full(load->complaints))
        return NULL;
    rh_suggest_init(&near, word);
    load->types->suggest(load->types->data, &near);
    rh_load_suggest_definition(load, &near);
    rh_suggest_try(&near, rh_purge_word);
    return near.best;
}

void
rh_load_hide(struct rh_load *load, struct rh_value *v)
{
    v->marks |= RH_SENSITIVE;
    rh_secrets_shield();
    rh_arena_keep_secret(load->catalog->arena);
    rh_validate_hide(v, load->complaints);
}

void
rh_load_clear(struct rh_load *load)
{
    rh_map_clear(&load->known.types);
    rh_map_clear(&load->known.definitions);
    rh_map_clear(&load->known.modules);
    rh_map_clear(&load->schedules);
    rh_roots_clear(&load->roots);
    rh_map_clear(&load->expressions.states);
    rh_map_clear(&load->expressions.templates);
    if (load->expressions.script && load->types->secrets)
        rh_script_add_secrets(load->expressions.script, load->types->secrets);
    rh_script_free(load->expressions.script);
    rh_files_clear(&load->files);
}

void
rh_load_define(struct rh_load *load, const struct rh_type *type)
{
    struct rh_known_type *known = rh_arena_alloc(load->catalog->arena, sizeof *known);

    known->type = type;
    rh_map_replace(&load->known.types, type->type, known);
    memset(load->known.meanings, 0, sizeof load->known.meanings);
}
