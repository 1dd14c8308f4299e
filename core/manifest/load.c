/* SPDX-License-Identifier: Apache-2.0 */
/* load - what the files of this room share while a manifest is read. */
#include "config.h"

#include "manifest/load.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/keyword.h"
#include "manifest/manifest.h"
#include "manifest/purge.h"

#include <stdint.h>
#include <string.h>

struct rh_known_type *
rh_load_type(struct rh_load *load, const char *type, const char *provider)
{
    struct rh_arena *a = load->catalog->arena;
    rh_autofree char *pair = provider ? rh_printf("%s %s", type, provider) : NULL;
    struct rh_known_type *known = rh_map_get(&load->known, pair ? pair : type);
    rh_autoerror struct rh_error err = { 0 };

    if (known)
        return known;
    known = rh_arena_alloc(a, sizeof *known);
    if (strcmp(type, rh_purge_word) == 0)
        known->type = rh_purge_type(a, provider);
    else if (rh_is_name(type))
        known->type = load->types->find(load->types->data, type, provider, &err);
    if (!known->type && err.message) {
        known->message = rh_arena_strdup(a, err.message);
        known->unsuited = err.kind == RH_EPROVIDER;
    }
    rh_map_put(&load->known, rh_arena_strdup(a, pair ? pair : type), known);
    return known;
}

void
rh_load_complain_type(struct rh_load *load, const char *type, const struct rh_known_type *known,
                      struct rh_place place)
{
    struct rh_known_type *first;

    if (!known->unsuited) {
        rh_complain(load->complaints, place,
                    known->message ? NULL : "'rhost types' lists what is installed here", "%s",
                    known->message ? known->message : "there is no such type");
        return;
    }
    first = rh_load_type(load, type, NULL);
    if (first->told)
        return;
    first->told = true;
    rh_complain(load->complaints, place,
                "where an earlier resource makes one suit, name it: 'provider: NAME'", "%s",
                known->message);
}

const char *
rh_load_suggest_type(struct rh_load *load, const char *word)
{
    struct rh_suggest near;

    if (!load->types->suggest || rh_complaints_full(load->complaints))
        return NULL;
    rh_suggest_init(&near, word);
    load->types->suggest(load->types->data, &near);
    rh_suggest_try(&near, rh_purge_word);
    return near.best;
}

const struct rh_meaning *
rh_load_meaning(struct rh_load *load, const struct rh_type *type, const char *key)
{
    size_t slot = ((uintptr_t)key >> 3 ^ (uintptr_t)key >> 11 ^ (uintptr_t)type >> 5) % RH_MEANINGS;
    struct rh_meaning *m = &load->meanings[slot];

    if (m->key == key && m->type == type)
        return m;
    *m = (struct rh_meaning){ .key = key, .type = type };
    m->attr = type ? rh_type_attr(type, key) : NULL;
    if (!m->attr)
        m->keyword = rh_keyword_find(key);
    return m;
}

void
rh_load_clear(struct rh_load *load)
{
    rh_map_clear(&load->known);
    rh_map_clear(&load->schedules);
}

/* "$${" is "${"; true when there is a "${" that is not. Shortens in place: the text is the value's
 * own, and only gets shorter. */
static bool
unescape(struct rh_value *v)
{
    rh_autobuf struct rh_buf out = { 0 };
    const char *s = v->u.string, *end = s + v->count;
    const char *brace = memmem(s, v->count, "${", 2);

    if (!brace)
        return false;
    while (brace) {
        if (brace == s || brace[-1] != '$')
            return true;
        rh_buf_addn(&out, s, (size_t)(brace - 1 - s));
        rh_buf_add(&out, "${");
        s = brace + 2;
        brace = memmem(s, (size_t)(end - s), "${", 2);
    }
    rh_buf_addn(&out, s, (size_t)(end - s));
    memcpy((char *)v->u.string, rh_buf_text(&out), out.n + 1);
    v->count = (uint32_t)out.n;
    return false;
}

int
rh_load_literals(struct rh_load *load, struct rh_value *v)
{
    int rc = 0;

    if (v->kind == RH_STRING && memchr(v->u.string, '$', v->count) && unescape(v)) {
        rh_complain(load->complaints, rh_value_place(v), "a literal '${' is written '$${'",
                    "'${...}' is not supported by this version of rhost");
        return -1;
    }
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_load_literals(load, v->kind == RH_HASH ? v->u.entries->e[i].value : v->u.items->v[i])
            < 0)
            rc = -1;
    return rc;
}
