/* SPDX-License-Identifier: Apache-2.0 */
/* key - the keys of an entry that are not its type: attributes and keywords. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "catalog/origin.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/input.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "schema/validate.h"

#include <stdint.h>
#include <string.h>

/* An attribute that another provider of the type has. */
static void
refuse_foreign(struct rh_reading *r, size_t i, const struct rh_type *owner)
{
    const struct rh_entry *e = &r->entry->u.entries[i];
    struct rh_complaints *complaints = r->load->complaints;
    rh_autofree char *hint =
        rh_printf("provider '%s' supports it; to use it, add 'provider: %s' to the entry", owner->provider,
                  owner->provider);

    if (rh_type_attr(owner, e->key)->sensitive || rh_type_attr(owner, e->key)->sensitive_within)
        rh_validate_hide(e->value, complaints);
    rh_complain(complaints, rh_value_key_place(r->entry, i), hint,
                "unknown attribute '%s' for type '%s' where provider '%s' serves it", e->key, r->type->type,
                r->type->provider);
}

static void
refuse_unknown(struct rh_reading *r, size_t i)
{
    const struct rh_entry *e = &r->entry->u.entries[i];
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
    if (meant && (meant->sensitive || meant->sensitive_within))
        rh_validate_hide(e->value, complaints);
    hint = foreign     ? rh_xstrdup(foreign)
           : near.best ? rh_did_you_mean(near.best, NULL)
                       : rh_printf("'rhost describe %s' lists its attributes", r->type->type);
    rh_complain(complaints, rh_value_key_place(r->entry, i), hint, "unknown attribute '%s' for type '%s'",
                e->key, r->type->type);
}

void
rh_entry_refuse_key(struct rh_load *load, const struct rh_type *t, struct rh_value *hash, const char *key)
{
    struct rh_reading r = { .load = load, .entry = hash, .type = t };

    for (size_t i = 0; i < rh_value_count(hash); i++)
        if (strcmp(rh_value_entry(hash, i)->key, key) == 0)
            refuse_unknown(&r, i);
}

/* What was written there; a default has said where it comes from. */
static void
note_written(struct rh_reading *r, const char *name, struct rh_place place, const struct rh_key_trace *t)
{
    if (!t->written && !t->reads)
        return;
    for (const struct rh_origin *o = r->origins; o; o = o->next)
        if (strcmp(o->name, name) == 0)
            return;
    rh_origin_add(r->load->catalog->arena, &r->origins,
                  &(struct rh_origin){ .name = name,
                                       .kind = RH_ORIGIN_ENTRY,
                                       .place = place,
                                       .written = t->written,
                                       .reads = t->reads });
}

/* Where results can be used. */
static int
substitute(struct rh_load *load, struct rh_value *v)
{
    int rc;

    load->expressions.may_use_results = true;
    rc = rh_substitute(load, v);
    load->expressions.may_use_results = false;
    return rc;
}

static void
read_attribute(struct rh_reading *r, size_t i, const struct rh_attr *attr)
{
    struct rh_place place = rh_value_key_place(r->entry, i);
    struct rh_key_trace trace;
    const char *key = rh_value_entry(r->entry, i)->key;
    struct rh_value *v = rh_draft_part(r->entry, i);
    bool secret = attr->sensitive || v->marks & RH_SENSITIVE;

    if (attr->sensitive || attr->sensitive_within)
        rh_load_hide(r->load, v);
    r->load->context.secret = secret || attr->sensitive_within;
    rh_trace_begin(r->load, v, r->load->context.secret, &trace);
    if (substitute(r->load, v) < 0)
        r->failed = true;
    rh_trace_end(r->load, &trace);
    note_written(r, attr->name, place, &trace);
    r->load->context.secret = false;
    if (secret)
        v->marks |= RH_SENSITIVE; /* whatever has become of it */
    (void)rh_scalar_read(r->load->catalog->arena, attr->type, v);
    if (rh_entry_locate_source(r->load, attr, v) < 0)
        r->failed = true;
    /* A former name stays, to be warned of. */
    rh_draft_set_entry(r->entry, i, strcmp(key, attr->name) == 0 ? attr->name : key, v);
}

/* Whether the entry says that this attribute is a secret. */
static bool
is_named_secret(const struct rh_reading *r, const char *name)
{
    const struct rh_value *names = rh_value_get(r->words ? r->words : r->entry, "sensitive");

    if (strcmp(rh_value_str(names, ""), name) == 0)
        return true;
    for (size_t i = 0; i < rh_value_count(names); i++)
        if (strcmp(rh_value_str(rh_value_at(names, i), ""), name) == 0)
            return true;
    return false;
}

static struct rh_value *
render(struct rh_reading *r, struct rh_value *from, size_t i, bool secret)
{
    struct rh_key_trace trace;
    struct rh_value *v = rh_draft_part(from, i), *made;
    const struct rh_value *source = rh_value_copy_sharing(r->load->catalog->arena, v);
    struct rh_use *outer = rh_uses_begin(r->load);

    r->load->expressions.may_use_results = true;
    r->load->context.secret = secret;
    rh_trace_begin(r->load, v, secret, &trace);
    made = rh_template_render(r->load, v, secret);
    rh_trace_end(r->load, &trace);
    if (made && made->kind == RH_UNKNOWN)
        rh_later_defer(r->load, made, source, RH_LATER_TEMPLATE);
    r->load->context.secret = false;
    r->load->expressions.may_use_results = false;
    rh_uses_end(r->load, outer);
    note_written(r, "content", rh_value_key_place(from, i), &trace);
    return made;
}

/* What a template makes, which becomes `content`. */
static struct rh_value *
make_content(struct rh_reading *r, struct rh_value *from, size_t i)
{
    const struct rh_attr *attr = rh_type_attr(r->type, "content");
    struct rh_value *made = NULL;
    struct rh_complaints *complaints = r->load->complaints;
    bool secret = attr && (attr->sensitive || is_named_secret(r, attr->name));

    if (!attr)
        rh_complain(complaints, rh_value_key_place(from, i), NULL,
                    "'template' cannot be used with type '%s': it lacks the attribute 'content'",
                    r->type->type);
    else if (rh_value_get(r->entry, "content"))
        rh_complain(complaints, rh_value_key_place(from, i), "remove one of them",
                    "'template' and 'content' cannot be used together");
    else
        made = render(r, from, i, secret);
    if (!made) {
        made = rh_value_new(r->load->catalog->arena, RH_UNKNOWN);
        made->marks = RH_INVALID;
        r->failed = true;
    } else if (secret) {
        rh_load_hide(r->load, made);
    }
    return made;
}

/* The commands that are asked at its turn. */
static bool
is_guard(const struct rh_keyword *word)
{
    return strcmp(word->word, "only_if") == 0 || strcmp(word->word, "not_if") == 0;
}

/* What is evaluated when it was applied, and holds no value now. */
static bool
is_judgement(const struct rh_keyword *word)
{
    return strcmp(word->word, "success_when") == 0 || strcmp(word->word, "changed_when") == 0
           || strcmp(word->word, "until") == 0;
}

/* A guard that uses results. */
static bool
is_later(const struct rh_entry *e)
{
    return is_guard(rh_keyword_find(e->key)) && rh_value_is_later(e->value);
}

/* What a keyword says is shown in messages, and compared with what others say. */
static int
check_word(struct rh_reading *r, const struct rh_entry *e)
{
    if (e->value->kind == RH_UNKNOWN && e->value->marks & RH_INVALID)
        return -1; /* was complained about */
    if (rh_value_unknown(e->value) && !is_later(e)) {
        rh_complain(r->load->complaints, rh_value_place(e->value), NULL,
                    "the value of '%s' is not known before the run", e->key);
        return -1;
    }
    if (!rh_value_sensitive(e->value))
        return 0;
    rh_complain(r->load->complaints, rh_value_place(e->value), "only values of attributes can be secret",
                "the value of '%s' appears in messages and cannot be secret", e->key);
    return -1;
}

/* -1 when it was complained about. */
static int
read_value(struct rh_reading *r, const struct rh_keyword *word, struct rh_value *v)
{
    size_t before = rh_complaints_count(r->load->complaints);

    return rh_complaints_agree(r->load->complaints, before, word->read(r->load, &r->keywords, v));
}

static void
read_word(struct rh_reading *r, const struct rh_keyword *word, struct rh_value *from, size_t i)
{
    struct rh_value *v = rh_draft_part(from, i);
    struct rh_key_trace trace;
    int rc;

    if (is_judgement(word)) {
        if (read_value(r, word, v) < 0)
            r->failed = true;
        return;
    }
    rh_trace_begin(r->load, v, false, &trace);
    rc = is_guard(word) ? substitute(r->load, v) : rh_substitute(r->load, v);
    rh_trace_end(r->load, &trace);
    note_written(r, word->word, rh_value_key_place(from, i), &trace);
    if (rc < 0 || check_word(r, rh_value_entry(from, i)) < 0 || read_value(r, word, v) < 0)
        r->failed = true;
}

/* One key that is not the type's. True when it stays: it is an attribute. */
static bool
read_key(struct rh_reading *r, size_t i)
{
    const struct rh_entry *e = rh_value_entry(r->entry, i);
    const struct rh_meaning *m = rh_key_meaning(r->load, r->type, e->key);

    if (m->attr) {
        read_attribute(r, i, m->attr);
        return true;
    }
    if (m->keyword && m->keyword->read == rh_read_template) {
        rh_draft_set_entry(r->entry, i, "content", make_content(r, r->entry, i));
        return true;
    }
    if (m->keyword) {
        read_word(r, m->keyword, r->entry, i);
        return false;
    }
    refuse_unknown(r, i);
    r->failed = true;
    return false;
}

static bool
read_plain_attribute(struct rh_reading *r, size_t i)
{
    const struct rh_attr *attr = rh_type_attr(r->type, rh_value_entry(r->entry, i)->key);

    if (attr) {
        read_attribute(r, i, attr);
        return true;
    }
    refuse_unknown(r, i);
    r->failed = true;
    return false;
}

/* Keeps those for which `stays` is true, but not number `left_out`. */
static void
keep_keys(struct rh_reading *r, size_t left_out, bool (*stays)(struct rh_reading *r, size_t i))
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < r->entry->count; i++) {
        if (i == left_out || !stays(r, i))
            continue;
        rh_draft_move_entry(r->entry, kept++, i);
    }
    r->entry->count = kept;
}

void
rh_entry_read_keys(struct rh_reading *r, size_t type_at)
{
    keep_keys(r, type_at, read_key);
}

/* A key of the long form that is no word. */
static void
refuse_beside(struct rh_reading *r, size_t i)
{
    const char *key = rh_value_entry(r->words, i)->key;
    const struct rh_attr *attr = rh_type_attr(r->type, key);
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    rh_suggest_init(&near, key);
    rh_keyword_suggest(&near);
    if (attr)
        hint = rh_printf("put it under 'attributes:'");
    else if (near.best)
        hint = rh_did_you_mean(near.best, NULL);
    if (attr && attr->sensitive)
        rh_validate_hide(rh_value_entry(r->words, i)->value, r->load->complaints);
    rh_complain(r->load->complaints, rh_value_key_place(r->words, i), hint,
                "unknown key '%s' beside 'attributes'", key);
    r->failed = true;
}

void
rh_entry_read_apart(struct rh_reading *r)
{
    struct rh_value *content = NULL;

    for (size_t i = 0; i < rh_value_count(r->words); i++) {
        const struct rh_entry *e = rh_value_entry(r->words, i);
        const struct rh_keyword *word = rh_keyword_find(e->key);

        if (!word)
            refuse_beside(r, i);
        else if (word->read == rh_read_template)
            content = make_content(r, r->words, i);
        else
            read_word(r, word, r->words, i);
    }
    keep_keys(r, SIZE_MAX, read_plain_attribute);
    if (content && !rh_value_get(r->entry, "content"))
        rh_value_put_ref(r->entry, "content", content);
}
