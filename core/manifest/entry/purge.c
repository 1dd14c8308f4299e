/* SPDX-License-Identifier: Apache-2.0 */
/* purge - `purge: TYPE`: what is there and in no manifest goes. */
#include "config.h"

#include "manifest/entry/entry.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "catalog/purge.h"
#include "datatype/datatype.h"
#include "datatype/regex.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/load.h"
#include "manifest/load/purge-type.h"

#include <stdlib.h>
#include <string.h>

static int
refuse_type(struct rh_load *load, const struct rh_resource *r, const struct rh_known_type *known)
{
    bool itself = strcmp(r->title, rh_purge_word) == 0;
    const char *best = known->message || itself ? NULL : rh_load_suggest_type(load, r->title);
    rh_autofree char *hint = NULL;

    if (!known->message)
        hint = rh_did_you_mean(best, "the title of a purge is a type; 'rhost types' lists what is "
                                     "installed");
    if (known->message)
        rh_complain_code(load->complaints, r->place, known->hint, known->code, "%s", known->message);
    else if (strcmp(r->type->provider, rh_purge_word) != 0)
        rh_complain(load->complaints, r->place, hint, "unknown provider of type '%s': '%s'", r->title,
                    r->type->provider);
    else
        rh_complain(load->complaints, r->place, hint, "unknown type '%s'", r->title);
    return -1;
}

/* Absence must be something that can be asked for, and that somebody can bring about. */
static bool
can_go(struct rh_load *load, const struct rh_type *t)
{
    uint32_t writes = t->slots & (RH_HAS_SET | RH_HAS_REMOVE | RH_HAS_CONVERGE);

    if (!t->ensure)
        return t->slots & RH_HAS_REMOVE;
    return writes && rh_datatype_match(t->ensure->type, rh_value_string(load->catalog->arena, "absent"));
}

static int
read_keep(struct rh_load *load, const struct rh_value *v, struct rh_keep *keep)
{
    rh_autoerror struct rh_error err = { 0 };

    keep->text = v->u.string;
    if (v->count < 3 || v->u.string[0] != '/' || v->u.string[v->count - 1] != '/')
        return 0;
    keep->regex = rh_regex_new(load->catalog->arena, v->u.string + 1, v->count - 2, &err);
    if (keep->regex)
        return 0;
    rh_complain(load->complaints, rh_value_place(v), NULL, "invalid regular expression '%s': %s", v->u.string,
                err.message);
    return -1;
}

static int
read_keeps(struct rh_load *load, const struct rh_value *v, struct rh_purge *p)
{
    bool list = rh_value_is(v, RH_ARRAY);
    int rc = 0;

    p->n_keep = list ? v->count : v != NULL;
    p->keep = rh_arena_alloc(load->catalog->arena, p->n_keep * sizeof *p->keep);
    for (size_t i = 0; i < p->n_keep; i++)
        if (read_keep(load, list ? rh_value_at(v, i) : v, &p->keep[i]) < 0)
            rc = -1;
    return rc;
}

static void
read_limit(const struct rh_value *v, struct rh_purge *p)
{
    const char *text = rh_value_str(v, NULL);

    p->limited = !text || strcmp(text, "none") != 0;
    p->percent = p->limited && text;
    if (p->percent)
        p->limit = strtol(text, NULL, 10); /* its type has seen to it that this is a number */
    else if (rh_value_is(v, RH_INTEGER))
        p->limit = v->u.integer;
}

/* What stays and how many may go is read now: it decides over what is lost. */
static int
check_known(struct rh_load *load, const struct rh_resource *r)
{
    for (size_t i = 0; i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);

        if (!rh_value_unknown(e->value))
            continue;
        rh_complain(load->complaints, rh_value_place(e->value), NULL,
                    "the value of '%s' is not known before the run", e->key);
        return -1;
    }
    return 0;
}

int
rh_purge_prepare(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_resource *r)
{
    const struct rh_known_type *known;
    const struct rh_value *v;
    struct rh_meta *meta;
    struct rh_purge *p;

    if (strcmp(r->type->type, rh_purge_word) != 0)
        return 0;
    known = rh_load_type(load, r->title,
                         strcmp(r->type->provider, rh_purge_word) != 0 ? r->type->provider : NULL);
    if (!known->type || strcmp(r->title, rh_purge_word) == 0)
        return refuse_type(load, r, known);
    if (!(known->type->slots & RH_HAS_GET)) {
        rh_complain(load->complaints, r->place, "remove each resource by its title, with 'ensure: absent'",
                    "'%s' cannot be purged: its provider cannot list resources", r->title);
        return -1;
    }
    if (!can_go(load, known->type)) {
        rh_complain(load->complaints, r->place, NULL,
                    "'%s' cannot be purged: its provider cannot remove resources", r->title);
        return -1;
    }
    if (check_known(load, r) < 0)
        return -1;
    p = rh_arena_alloc(load->catalog->arena, sizeof *p);
    p->type = known->type;
    v = rh_value_get(r->should, "system");
    p->system = rh_value_is(v, RH_BOOLEAN) && v->u.integer;
    if (p->system && !rh_type_attr(p->type, "system")) {
        rh_complain(load->complaints, rh_value_place(v), "remove it",
                    "'system' cannot be used with type '%s'", r->title);
        return -1;
    }
    read_limit(rh_value_get(r->should, "limit"), p);
    if (read_keeps(load, rh_value_get(r->should, "keep"), p) < 0)
        return -1;
    /* One entry may purge several types: each has its own. */
    meta = rh_arena_alloc(load->catalog->arena, sizeof *meta);
    if (keywords->meta)
        *meta = *keywords->meta;
    meta->purge = p;
    keywords->meta = meta;
    return 0;
}
