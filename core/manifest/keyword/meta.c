/* SPDX-License-Identifier: Apache-2.0 */
/* meta - the keywords that say how a resource is treated. */
#include "config.h"

#include "manifest/keyword/meta.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/load.h"
#include "manifest/load/purge-type.h"
#include "manifest/text/scalar.h"

#include <string.h>

struct rh_meta *
rh_keyword_values_meta(struct rh_load *load, struct rh_keyword_values *keywords)
{
    if (!keywords->meta)
        keywords->meta = rh_arena_alloc(load->catalog->arena, sizeof *keywords->meta);
    return keywords->meta;
}

enum { MOST_NAMES = 1000 };

/* A list of names has a few: each is compared with all, and stands once. The array has room up to the
 * next power of two. */
static void
add_name(struct rh_load *load, struct rh_names *names, const char *name)
{
    const char **v;

    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->v[i], name) == 0)
            return;
    if ((names->n & (names->n - 1)) == 0) { /* none, or full */
        v = rh_arena_alloc(load->catalog->arena, (names->n ? names->n * 2 : 1) * sizeof *v);
        if (names->n)
            memcpy(v, names->v, names->n * sizeof *v);
        names->v = v;
    }
    names->v[names->n++] = name;
}

static void
copy_names(struct rh_load *load, struct rh_names *to, const struct rh_names *from)
{
    size_t room = 1;

    if (!from->n)
        return;
    while (room < from->n)
        room *= 2;
    to->v = rh_arena_alloc(load->catalog->arena, room * sizeof *to->v);
    memcpy(to->v, from->v, from->n * sizeof *to->v);
}

struct rh_meta *
rh_meta_copy(struct rh_load *load, const struct rh_meta *meta)
{
    struct rh_meta *copy = rh_arena_alloc(load->catalog->arena, sizeof *copy);

    *copy = *meta;
    copy_names(load, &copy->tags, &meta->tags);
    copy_names(load, &copy->aliases, &meta->aliases);
    copy_names(load, &copy->audit, &meta->audit);
    copy_names(load, &copy->secrets, &meta->secrets);
    return copy;
}

static int
check_count(struct rh_load *load, const struct rh_names *names, const struct rh_value *v, const char *what)
{
    if (names->n < MOST_NAMES)
        return 0;
    rh_complain(load->complaints, rh_value_place(v), NULL, "a resource can have at most %d %s", MOST_NAMES,
                what);
    return -1;
}

void
rh_keyword_values_secret(struct rh_load *load, struct rh_keyword_values *keywords, const char *attribute)
{
    add_name(load, &rh_keyword_values_meta(load, keywords)->secrets, attribute);
}

static int
one_tag(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    char *tag = rh_arena_strndup(load->catalog->arena, v->u.string, v->count);

    if (!rh_is_tag(v->u.string, v->count)) {
        rh_complain(
            load->complaints, rh_value_place(v),
            "a tag consists of letters, digits and '_', and after the first character also ':', '.' and '-'",
            "'%s' is not a valid tag", v->u.string);
        return -1;
    }
    if (check_count(load, &rh_keyword_values_meta(load, keywords)->tags, v, "tags") < 0)
        return -1;
    for (char *p = tag; *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    add_name(load, &rh_keyword_values_meta(load, keywords)->tags, tag);
    return 0;
}

int
rh_read_tag(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, "expected a tag, or a list of tags", one_tag);
}

static int
one_alias(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    if (!v->count || strlen(v->u.string) != v->count) {
        rh_complain(load->complaints, rh_value_place(v), NULL, "an alias must be a name that is not empty");
        return -1;
    }
    if (check_count(load, &rh_keyword_values_meta(load, keywords)->aliases, v, "aliases") < 0)
        return -1;
    add_name(load, &rh_keyword_values_meta(load, keywords)->aliases, v->u.string);
    return 0;
}

int
rh_read_alias(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return rh_keyword_texts(load, keywords, v, "expected another name, or a list of names", one_alias);
}

int
rh_read_loglevel(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    static const struct {
        const char *word;
        enum rh_level level;
    } words[] = {
        { "debug", RH_DEBUG },     { "verbose", RH_INFO }, { "info", RH_INFO }, { "notice", RH_NOTICE },
        { "warning", RH_WARNING }, { "err", RH_ERR },      { "error", RH_ERR }, { "crit", RH_ERR },
        { "alert", RH_ERR },       { "emerg", RH_ERR },
    };
    struct rh_suggest near;
    rh_autofree char *hint = NULL;

    if (rh_value_is(v, RH_STRING)) {
        rh_suggest_init(&near, v->u.string);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strcmp(words[i].word, v->u.string) == 0) {
                struct rh_meta *meta = rh_keyword_values_meta(load, keywords);

                meta->level_specified = true;
                meta->level = words[i].level;
                meta->loglevel = words[i].word;
                return 0;
            }
            rh_suggest_try(&near, words[i].word);
        }
        hint = rh_did_you_mean(near.best, NULL);
    }
    rh_complain(load->complaints, rh_value_place(v),
                hint ? hint : "the levels are: debug, info, notice, warning, err",
                rh_value_is(v, RH_STRING) ? "unknown level '%s'" : "a level must be a word, not %s",
                rh_value_is(v, RH_STRING) ? v->u.string : rh_kind_name(v->kind));
    return -1;
}

static int
one_audit(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v)
{
    const struct rh_type *t = keywords->type;
    const struct rh_attr *attr = rh_type_attr(t, v->u.string);
    struct rh_meta *meta = rh_keyword_values_meta(load, keywords);
    const char *best;
    rh_autofree char *hint = NULL;

    if (strcmp(v->u.string, "all") == 0) {
        meta->audit_all = true;
        return 0;
    }
    if (attr && !(attr->behaviour & (RH_PARAMETER | RH_NAMEVAR))) {
        add_name(load, &meta->audit, attr->name);
        return 0;
    }
    best = attr ? NULL : rh_type_suggest(t, v->u.string);
    hint = rh_did_you_mean(best, NULL);
    if (attr)
        rh_complain(load->complaints, rh_value_place(v),
                    "'all' audits every attribute that the provider reads",
                    "'%s' of '%s' is not read from the machine and cannot be audited", attr->name, t->type);
    else
        rh_complain(load->complaints, rh_value_place(v), hint, "unknown attribute '%s' for type '%s'",
                    v->u.string, t->type);
    return -1;
}

int
rh_keyword_check_instance(struct rh_load *load, const struct rh_keyword_values *keywords,
                          const struct rh_value *v, const char *word)
{
    rh_autofree char *hint = NULL;

    if (!keywords->type->defined)
        return 0;
    hint = rh_printf("write it at the resources in the definition of '%s'", keywords->type->type);
    rh_complain(load->complaints, rh_value_place(v), hint,
                "'%s' cannot be used with an instance of a definition", word);
    return -1;
}

/* Whether its provider reads anything of it. */
static bool
can_be_read(const struct rh_type *t)
{
    if (!(t->slots & (RH_HAS_GET | RH_HAS_LOAD)))
        return false;
    for (size_t i = 0; i < t->n_attrs; i++)
        if (!(t->attrs[i].behaviour & (RH_PARAMETER | RH_NAMEVAR)))
            return true;
    return false;
}

int
rh_read_audit(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    if (!can_be_read(keywords->type)) {
        rh_complain(load->complaints, rh_value_place(v), NULL,
                    "'%s' cannot be audited: its provider cannot read the current state",
                    keywords->type->type);
        return -1;
    }
    rh_keyword_values_meta(load, keywords)->audits = true;
    return rh_keyword_texts(load, keywords, v, "expected an attribute, a list of attributes, or 'all'",
                            one_audit);
}

int
rh_read_verify(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    struct rh_meta *meta = rh_keyword_values_meta(load, keywords);

    if (rh_keyword_check_instance(load, keywords, v, "verify") < 0)
        return -1;
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (!rh_value_is(v, RH_BOOLEAN)) {
        rh_complain(load->complaints, rh_value_place(v), "write 'true' or 'false'",
                    "verify must be a boolean, not %s", rh_kind_name(v->kind));
        return -1;
    }
    /* What can be purged can be listed. */
    if (v->u.integer && !can_be_read(keywords->type) && strcmp(keywords->type->type, rh_purge_word) != 0) {
        rh_complain(load->complaints, rh_value_place(v), NULL,
                    "'%s' cannot be verified: its provider cannot read the current state",
                    keywords->type->type);
        return -1;
    }
    meta->verify = v->u.integer;
    meta->verify_specified = true;
    return 0;
}

int
rh_read_backup(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    static const char usage[] = "write 'true', 'false' or 'sensitive'";

    if (rh_keyword_check_instance(load, keywords, v, "backup") < 0)
        return -1;
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (rh_value_is(v, RH_STRING) && strcmp(v->u.string, "sensitive") == 0) {
        rh_keyword_values_meta(load, keywords)->backup = RH_BACKUP_SECRETS;
        return 0;
    }
    if (rh_value_is(v, RH_STRING)) {
        rh_complain(load->complaints, rh_value_place(v), usage, "backup must not be '%s'", v->u.string);
        return -1;
    }
    if (!rh_value_is(v, RH_BOOLEAN)) {
        rh_complain(load->complaints, rh_value_place(v), usage,
                    "backup must be a boolean or 'sensitive', not %s", rh_kind_name(v->kind));
        return -1;
    }
    rh_keyword_values_meta(load, keywords)->backup = v->u.integer ? RH_BACKUP_WITHOUT_SECRETS : RH_BACKUP_NOT;
    return 0;
}

int
rh_read_replace(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    struct rh_meta *meta = rh_keyword_values_meta(load, keywords);
    const struct rh_type *t = keywords->type;
    bool any = false;

    if (rh_keyword_check_instance(load, keywords, v, "replace") < 0)
        return -1;
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (!rh_value_is(v, RH_BOOLEAN)) {
        rh_complain(load->complaints, rh_value_place(v), "write 'true' or 'false'",
                    "replace must be a boolean, not %s", rh_kind_name(v->kind));
        return -1;
    }
    for (size_t i = 0; i < t->n_attrs; i++)
        any |= (t->attrs[i].behaviour & RH_INIT_ONLY) != 0;
    if (v->u.integer && (!any || !can_be_read(t))) {
        rh_complain(load->complaints, rh_value_place(v), NULL,
                    "'%s' cannot be replaced: all its attributes can be changed", t->type);
        return -1;
    }
    meta->replace = v->u.integer;
    return 0;
}

void
rh_audit_drop_defaults(const struct rh_type *t, struct rh_keyword_values *keywords,
                       const struct rh_value *declared, struct rh_value *should)
{
    if (!keywords->meta || !keywords->meta->audits || !t->ensure)
        return;
    for (size_t i = 0; i < rh_value_count(declared); i++) {
        const struct rh_attr *attr = rh_type_attr(t, rh_value_entry(declared, i)->key);

        if (attr && rh_attr_is_property(attr))
            return;
    }
    keywords->meta->only_audits = true;
    for (size_t i = 0; i < t->n_attrs; i++)
        if (rh_attr_is_property(&t->attrs[i]))
            rh_value_drop(should, t->attrs[i].name);
}
