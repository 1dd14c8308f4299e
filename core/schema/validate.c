/* SPDX-License-Identifier: Apache-2.0 */
/* validate - a resource held against its type. */
#include "config.h"

#include "schema/validate.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/secrets.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <string.h>

const char *
rh_resource_title(struct rh_arena *a, const struct rh_type *t, const struct rh_value *name)
{
    const struct rh_value *only = t->n_namevars == 1 ? rh_value_get(name, t->namevars[0]->name) : NULL;
    rh_autobuf struct rh_buf b = { 0 };

    if (rh_value_is(only, RH_STRING))
        return only->u.string;
    rh_type_name_text(t, name, &b);
    return rh_arena_strdup(a, rh_buf_text(&b));
}

const char *
rh_resource_shown_title(struct rh_arena *a, const struct rh_type *t, const struct rh_value *item)
{
    const struct rh_value *own = rh_value_get(item, "title");

    if (!rh_type_attr(t, "title") && rh_value_is(own, RH_STRING) && own->count
        && strlen(own->u.string) == own->count)
        return own->u.string;
    return rh_resource_title(a, t, item);
}

/* A resource's own: what is done to it, like a mark, is not done to the type. Texts are the type's, which
 * lives longer. */
static const struct rh_value *
own_default(struct rh_arena *a, const struct rh_attr *attr)
{
    return rh_value_copy_sharing(a, attr->default_value);
}

int
rh_title_name(const struct rh_type *t, const char *title, struct rh_value *name, struct rh_error *err)
{
    int matched = rh_title_parse(t, title, name, err);

    for (size_t i = 0; matched > 0 && i < t->n_namevars; i++) {
        const struct rh_attr *attr = t->namevars[i];

        if (attr->default_value && !rh_value_get(name, attr->name))
            rh_value_put_ref(name, attr->name, own_default(rh_value_arena(name), attr));
    }
    return matched;
}

void
rh_validate_hide(const struct rh_value *v, struct rh_complaints *complaints)
{
    rh_sources_hide(complaints->sources, rh_value_place(v));
    for (size_t i = 0; i < rh_value_count(v); i++)
        rh_validate_hide(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i), complaints);
}

static void
complain_unknown(const struct rh_type *t, const struct rh_value *attributes, size_t i,
                 struct rh_complaints *complaints)
{
    const char *key = rh_value_entry(attributes, i)->key;
    struct rh_place place = rh_value_key_place(attributes, i);
    const char *best = rh_type_suggest(t, key);
    const struct rh_attr *meant = best ? rh_type_attr(t, best) : NULL;
    rh_autofree char *hint =
        best ? rh_did_you_mean(best, NULL) : rh_printf("see 'rhost describe %s'", t->type);

    if (meant && (meant->sensitive || meant->sensitive_within))
        rh_validate_hide(rh_value_entry(attributes, i)->value, complaints);
    rh_complain(complaints, place, hint, "unknown attribute '%s' for type '%s'", key, t->type);
}

/* What the type's author says of an attribute explains more than a pattern does. */
static char *
describe_attr(const struct rh_attr *attr)
{
    if (!*attr->desc)
        return NULL;
    return rh_printf("%s: %.*s", attr->name, (int)strcspn(attr->desc, "\n"), attr->desc);
}

/* A number where text is wanted: a manifest reads what is written as its attribute wants it, so it
 * came out of an expression, or stands in a recipe. */
static char *
hint_for_text(const struct rh_misfit *misfit, struct rh_place place, const struct rh_complaints *complaints)
{
    rh_autofree char *text = rh_misfit_text(misfit);
    const char *name = rh_sources_name(complaints->sources, place.file), *at;
    size_t n = 0, quote;

    if (!text || !name)
        return NULL;
    if (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".lua") == 0)
        return rh_printf("write text in quotes: \"%s\"", text);
    at = rh_sources_at(complaints->sources, place, &n);
    quote = at && n && (*at == '"' || *at == '\'');
    if (!at || n < quote + 2 || (memcmp(at + quote, "${", 2) != 0 && *at != '|' && *at != '>'))
        return NULL;
    return rh_printf("a value that is one ${...} keeps its type; ${tostring(...)} makes text of it");
}

/* A state of the resource, given to another attribute than the one that names states. */
static char *
hint_for_ensure(const struct rh_type *t, const struct rh_attr *attr, const struct rh_value *v)
{
    if (!t->ensure || attr == t->ensure || !rh_value_is(v, RH_STRING)
        || !rh_datatype_match(t->ensure->type, v))
        return NULL;
    return rh_printf("did you mean '%s: %s'?", t->ensure->name, v->u.string);
}

static void
complain_misfit(const struct rh_type *t, const char *title, const struct rh_attr *attr,
                const struct rh_value *v, struct rh_complaints *complaints)
{
    rh_autobuf struct rh_buf why = { 0 };
    rh_autofree char *subject = rh_printf("%s[%s].%s", t->type, title, attr->name);
    struct rh_misfit misfit = rh_misfit_find(attr->type, v);
    struct rh_place place = rh_value_place(misfit.part);
    rh_autofree char *hint = NULL;

    if (!place.line)
        place = rh_value_place(v);
    if (!rh_value_sensitive(v) && !rh_complaints_full(complaints))
        hint = hint_for_text(&misfit, place, complaints);
    if (!hint && !rh_value_sensitive(v) && !attr->sensitive)
        hint = hint_for_ensure(t, attr, v);
    if (!hint && !rh_value_sensitive(v))
        hint = rh_misfit_hint(&misfit);
    if (!hint)
        hint = rh_misfit_length(&misfit, rh_value_sensitive(v) || attr->sensitive);
    if (!hint)
        hint = describe_attr(attr);
    rh_datatype_explain(attr->type, subject, v, &why);
    rh_complain_code(complaints, place, hint, rh_message_code(RH_DOES_NOT_FIT), "%s", rh_buf_text(&why));
}

/* Who writes an older name, or an attribute that is to be given up, is warned; an attribute is written under
 * one name. */
static int
check_name(const struct rh_type *t, const struct rh_attr *attr, const struct rh_value *attributes, size_t i,
           const struct rh_validated *validated, struct rh_complaints *complaints)
{
    const char *key = rh_value_entry(attributes, i)->key;
    struct rh_place place = rh_value_key_place(attributes, i);

    if (t->renamed && rh_value_get(validated->should, attr->name)) {
        rh_complain(complaints, place, "write it once, by its new name",
                    "attribute '%s' of '%s' is given twice: by its name, and by a former one", attr->name,
                    t->type);
        return -1;
    }
    if (complaints->warnings && strcmp(key, attr->name) != 0)
        rh_complain(complaints->warnings, place, NULL, "attribute '%s' of '%s' is now called '%s'", key,
                    t->type, attr->name);
    if (complaints->warnings && attr->deprecated)
        rh_complain(complaints->warnings, place, NULL, "attribute '%s' of '%s' is deprecated: %s", attr->name,
                    t->type, attr->deprecated);
    return 0;
}

/* What is known of it later has no kind that the attribute takes, whatever it is. */
static bool
never_fits(const struct rh_type *t, const char *title, const struct rh_attr *attr, const struct rh_value *v,
           struct rh_complaints *complaints)
{
    rh_autoarena struct rh_arena *a = NULL;
    rh_autoerror struct rh_error ignored = { 0 };
    const struct rh_datatype *type;
    rh_autofree char *hint = NULL;

    if (v->kind != RH_UNKNOWN || !(v->marks & RH_TYPED))
        return false;
    a = rh_arena_new(NULL);
    type = rh_datatype_parse(a, NULL, v->u.string, &ignored); /* types that a plugin names are left */
    if (!type || rh_datatype_kinds(type) & rh_datatype_kinds(attr->type))
        return false;
    hint = describe_attr(attr);
    rh_complain(complaints, rh_value_place(v), hint,
                "%s[%s].%s is a value of %s, and the lookup answers one of %s", t->type, title, attr->name,
                attr->type_text, v->u.string);
    return true;
}

/* One attribute that the manifest gives. */
static int
validate_one(const struct rh_type *t, const char *title, struct rh_value *attributes, size_t i,
             struct rh_validated *validated, struct rh_complaints *complaints)
{
    const struct rh_entry *e = rh_value_entry(attributes, i);
    const struct rh_attr *attr = rh_type_attr(t, e->key);
    const struct rh_value *v = e->value, *nul;

    if (!attr) {
        complain_unknown(t, attributes, i, complaints);
        return -1;
    }
    if ((t->renamed || attr->deprecated) && check_name(t, attr, attributes, i, validated, complaints) < 0)
        return -1;
    if (attr->behaviour & RH_READ_ONLY) {
        rh_complain(complaints, rh_value_key_place(attributes, i), "the provider only reports it; remove it",
                    "attribute '%s' of '%s' is read-only", e->key, t->type);
        return -1;
    }
    if (never_fits(t, title, attr, v, complaints))
        return -1;
    if (v->kind == RH_UNDEF && rh_datatype_match(attr->type, NULL))
        return 0; /* asked for nothing: the same as leaving it out (I39) */
    if (attr->sensitive || attr->sensitive_within) {
        v = rh_attribute_marked(rh_value_arena(validated->should), attr, v);
        rh_draft_set_entry(attributes, i, e->key, v);
    }
    if (v->marks & RH_SENSITIVE || attr->sensitive_within) {
        rh_secrets_shield();
        rh_arena_keep_secret(rh_value_arena(validated->should));
        rh_validate_hide(v, complaints);
    }
    if (!rh_datatype_match(attr->type, v)) {
        complain_misfit(t, title, attr, v, complaints);
        return -1;
    }
    nul = rh_attribute_find_nul(attr, v);
    if (nul) {
        rh_complain(complaints, nul->line ? rh_value_place(nul) : rh_value_place(v), NULL,
                    "%s[%s].%s must not contain a NUL character: its type is not Binary", t->type, title,
                    attr->name);
        return -1;
    }
    rh_value_add_ref(validated->should, attr->name, v); /* each is given once */
    return 0;
}

/* The title says nothing, and the attributes don't say all. */
static void
complain_title(const struct rh_type *t, const char *title, struct rh_place place,
               struct rh_complaints *complaints)
{
    rh_autobuf struct rh_buf names = { 0 };
    rh_autofree char *hint = NULL;

    if (t->n_patterns) {
        rh_complain(complaints, place, NULL, "no title pattern of '%s' matches the title '%s'", t->type,
                    title);
        return;
    }
    for (size_t i = 0; i < t->n_namevars; i++)
        rh_buf_addf(&names, "%s%s", i ? ", " : "", t->namevars[i]->name);
    hint = rh_printf("write all namevars as attributes: %s", rh_buf_text(&names));
    rh_complain(complaints, place, hint,
                "the title '%s' is not enough for type '%s', which has several namevars and no title pattern",
                title, t->type);
}

/* The title fills the namevars that are not given; an explicit one wins over it (I22, I28). */
static int
validate_name(const struct rh_type *t, const char *title, struct rh_place place,
              struct rh_validated *validated, struct rh_complaints *complaints)
{
    rh_autoerror struct rh_error err = { 0 };
    int rc = 0, matched = rh_title_parse(t, title, validated->name, &err);

    if (matched < 0) {
        rh_complain_error(complaints, place, NULL, &err);
        return -1;
    }
    if (!matched) {
        bool all = true;

        for (size_t i = 0; i < t->n_namevars; i++)
            all &= t->namevars[i]->default_value
                   || rh_value_get(validated->should, t->namevars[i]->name) != NULL;
        if (!all) {
            complain_title(t, title, place, complaints);
            return -1;
        }
    }
    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_attr *attr = t->namevars[i];
        const struct rh_value *attributes = rh_value_get(validated->should, attr->name);
        struct rh_value *from_title = rh_draft_get(validated->name, attr->name);

        if (!attributes && !from_title && attr->default_value)
            attributes = own_default(rh_value_arena(validated->name), attr);
        if (attributes) {
            rh_value_put_ref(validated->name, attr->name, attributes);
            continue;
        }
        if (!from_title && !rh_datatype_match(attr->type, NULL)) {
            rh_complain(complaints, place, "write it as an attribute",
                        "the title of %s[%s] does not contain '%s', which is part of the name", t->type,
                        title, attr->name);
            rc = -1;
        }
        if (!from_title)
            continue;
        rh_value_set_place(from_title, place);
        if (!rh_datatype_match(attr->type, from_title)) {
            rh_autobuf struct rh_buf why = { 0 };
            rh_autofree char *subject = rh_printf("the title of %s[%s]", t->type, title);
            rh_autofree char *hint = strstr(title, "{{")
                                         ? rh_xstrdup("an expression is written ${...}, not {{...}}")
                                         : describe_attr(attr);

            rh_datatype_explain(attr->type, subject, from_title, &why);
            rh_complain_code(complaints, place, hint, rh_message_code(RH_DOES_NOT_FIT), "%s",
                             rh_buf_text(&why));
            rc = -1;
            continue;
        }
        rh_value_add_ref(validated->should, attr->name, from_title);
    }
    return rc;
}

static size_t
defaults(const struct rh_type *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_attrs; i++)
        n += t->attrs[i].default_value != NULL;
    return n;
}

int
rh_validate(struct rh_arena *a, const struct rh_type *t, const char *title, struct rh_place place,
            struct rh_value *attributes, struct rh_validated *validated, struct rh_complaints *complaints)
{
    int rc = 0;

    validated->name = rh_value_hash(a, t->n_namevars);
    validated->should = rh_value_hash(a, rh_value_count(attributes) + t->n_namevars + defaults(t));
    for (size_t i = 0; i < rh_value_count(attributes); i++)
        if (validate_one(t, title, attributes, i, validated, complaints) < 0)
            rc = -1;
    if (validate_name(t, title, place, validated, complaints) < 0)
        rc = -1;
    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];

        if (attr->default_value && !(attr->behaviour & RH_READ_ONLY)
            && !rh_value_get(validated->should, attr->name))
            rh_value_add_ref(validated->should, attr->name, own_default(a, attr));
    }
    return rc;
}
