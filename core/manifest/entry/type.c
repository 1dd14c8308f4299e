/* SPDX-License-Identifier: Apache-2.0 */
/* type - which key of an entry names the type. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/load/missing.h"

#include <string.h>

static const size_t NONE = (size_t)-1;

static const char *
key_of(const struct rh_value *entry, size_t i)
{
    return rh_value_entry(entry, i)->key;
}

/* An entry whose type is looked for. */
struct search {
    struct rh_load *load;
    const struct rh_value *entry;
    const char *provider; /* that it asks for, or NULL: others are not looked up then */
};

static const struct rh_known_type *
candidate(const struct search *s, size_t i)
{
    return rh_load_type(s->load, key_of(s->entry, i), s->provider);
}

static bool
is_type(const struct search *s, size_t i)
{
    const struct rh_known_type *known = candidate(s, i);

    return known->type || known->message;
}

static bool
means_something(struct rh_load *load, const struct rh_type *t, const char *key)
{
    const struct rh_meaning *m = rh_key_meaning(load, t, key);

    return m->attr || m->keyword;
}

/* Whether a key may be meant for an attribute of the type. */
static bool
is_near_attribute(const struct rh_type *t, const char *key)
{
    struct rh_suggest s;

    rh_suggest_init(&s, key);
    for (size_t i = 0; i < t->n_attrs; i++)
        rh_suggest_try(&s, t->attrs[i].name);
    return s.best;
}

void
rh_entry_note_refused(struct rh_load *load, const char *type, const struct rh_value *titles)
{
    if (rh_value_is(titles, RH_STRING))
        rh_catalog_note_refused(load->catalog, type, titles->u.string);
    for (size_t i = 0; i < rh_value_count(titles); i++)
        if (rh_value_is(rh_value_at(titles, i), RH_STRING))
            rh_catalog_note_refused(load->catalog, type, rh_value_at(titles, i)->u.string);
}

static size_t
first_word(struct rh_load *load, const struct rh_value *entry)
{
    for (size_t i = 0; i < rh_value_count(entry); i++)
        if (!rh_key_meaning(load, NULL, key_of(entry, i))->keyword)
            return i;
    return NONE;
}

/* Whether all keys of the entry have a meaning beside this type: nothing is left to be a type. */
static bool
explains_all(struct rh_load *load, const struct rh_value *entry, const struct rh_type *t, size_t at)
{
    for (size_t i = 0; i < rh_value_count(entry); i++)
        if (i != at && !means_something(load, t, key_of(entry, i)))
            return false;
    return true;
}

/* The key that is a type and has no attribute for key `at`; NONE when all other types are
 * attributes of it. */
static size_t
rival(const struct search *s, size_t at)
{
    const struct rh_type *t = candidate(s, at)->type;

    for (size_t i = 0; i < rh_value_count(s->entry); i++) {
        const char *key = key_of(s->entry, i);

        if (i == at || (t && means_something(s->load, t, key)) || rh_key_meaning(s->load, NULL, key)->keyword)
            continue;
        if (is_type(s, i))
            return i;
    }
    return NONE;
}

static void
refuse_two(struct rh_load *load, const struct rh_value *entry, size_t one, size_t other)
{
    const char *type = key_of(entry, one), *second = key_of(entry, other);
    rh_autofree char *hint = rh_printf(
        "start another entry with '- %s: ...'; 'rhost describe %s' lists the attributes", second, type);

    rh_complain(load->complaints, rh_value_key_place(entry, other), hint,
                "two types in one entry: '%s' is not an attribute of '%s'", second, type);
    rh_entry_note_refused(load, type, rh_value_entry(entry, one)->value);
    rh_entry_note_refused(load, second, rh_value_entry(entry, other)->value);
}

/* Where a type is mistyped, and what was meant; NONE when no word is near to one. Not the first word is that
 * only of a type that has the first for an attribute: else the first is a type that nobody has. */
static size_t
find_slip(struct rh_load *load, const struct rh_value *entry, size_t first, const char **best)
{
    for (size_t i = first; i < rh_value_count(entry) && !rh_missing_type_own(key_of(entry, first)); i++) {
        const struct rh_type *t;

        *best = rh_load_suggest_type(load, key_of(entry, i));
        if (*best && i == first)
            return i;
        t = *best ? rh_load_type(load, *best, NULL)->type : NULL;
        if (t && means_something(load, t, key_of(entry, first)))
            return i;
    }
    *best = NULL;
    return NONE;
}

/* The type of another program, as which the entry was written; NONE when there is none. */
static size_t
find_foreign(const struct rh_value *entry)
{
    for (size_t i = 0; i < rh_value_count(entry); i++) {
        rh_autofree char *hint = rh_foreign_type(key_of(entry, i));

        if (hint)
            return i;
    }
    return NONE;
}

static void
refuse_unknown(struct rh_load *load, const struct rh_value *entry, size_t at)
{
    const struct rh_value *titles;
    const struct rh_reference ref = { .type = at == NONE ? "" : key_of(entry, at), .title = "" };
    const struct rh_reference any = { .type = "", .title = "" }; /* excused when all types are */
    const char *best = NULL;
    rh_autofree char *hint = NULL;
    size_t slip = NONE, foreign;

    if (at == NONE) {
        rh_complain(load->complaints, rh_value_place(entry), "an entry looks like this: - file: /etc/motd",
                    "missing type in an entry");
        return;
    }
    if (rh_catalog_is_refused(load->catalog, &ref) && !rh_catalog_is_refused(load->catalog, &any))
        return; /* its definition was complained about */
    foreign = find_foreign(entry);
    if (foreign != NONE)
        at = foreign;
    else
        slip = find_slip(load, entry, at, &best);
    if (!best && rh_catalog_is_refused(load->catalog, &any))
        return; /* the file that defines it may be the one that can't be read */
    if (best)
        at = slip;
    titles = rh_value_entry(entry, at)->value;
    if (!best && rh_value_get(entry, "type") && rh_value_get(entry, "attributes"))
        hint = rh_xstrdup("the long form of an entry has 'type', 'title' and 'attributes'");
    else if (!best && foreign == NONE && rh_key_meaning(load, NULL, key_of(entry, 0))->keyword)
        hint = rh_printf("'%s' is a keyword; an entry also needs a type, for example: - file: /etc/motd",
                         key_of(entry, 0));
    else
        hint = rh_missing_type_hint(key_of(entry, at), best);
    rh_complain(load->complaints, rh_value_key_place(entry, at), hint, "unknown type '%s'",
                key_of(entry, at));
    rh_entry_note_refused(load, key_of(entry, at), titles);
    if (best)
        rh_entry_note_refused(load, best, titles);
}

static size_t
find(const struct search *s)
{
    struct rh_load *load = s->load;
    const struct rh_value *entry = s->entry;
    size_t first = first_word(load, entry), found = NONE, types = 0;
    size_t one = NONE, other = NONE;
    const struct rh_type *t;

    if (first != NONE) {
        t = candidate(s, first)->type;
        if (t && explains_all(load, entry, t, first))
            return first;
    }
    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = key_of(entry, i);
        size_t against;

        if (rh_key_meaning(load, NULL, key)->keyword || !is_type(s, i))
            continue;
        types++;
        against = rival(s, i);
        if (against == NONE && found == NONE)
            found = i;
        if (against != NONE && one == NONE) {
            one = i;
            other = against;
        }
    }
    if (types && found == NONE) {
        refuse_two(load, entry, one, other);
        return NONE;
    }
    /* A slip in the type's name, or one that is not installed, must not make a type of what was meant as
     * an attribute. */
    if (found != NONE && found != first) {
        const char *key = key_of(entry, first);

        t = candidate(s, found)->type;
        if (t && !means_something(load, t, key)
            && (rh_missing_type_own(key) || rh_load_suggest_type(load, key) || !is_near_attribute(t, key)))
            found = NONE;
    }
    if (found == NONE)
        refuse_unknown(load, entry, first);
    return found;
}

/* The provider that the entry asks for, or NULL; false after a complaint. */
static bool
take_provider(struct rh_load *load, const struct rh_value *entry, const struct rh_value **provider)
{
    const struct rh_value *v = rh_value_get(entry, "provider");

    *provider = rh_value_is(v, RH_UNKNOWN) ? NULL : v;
    if (!*provider || (rh_value_is(v, RH_STRING) && v->count))
        return true;
    rh_complain(load->complaints, rh_value_place(v), NULL, "expected the name of a provider");
    return false;
}

const struct rh_type *
rh_entry_type(struct rh_load *load, const struct rh_value *entry, size_t *at)
{
    const struct search s = { load, entry, rh_value_get_str(entry, "provider", NULL) };
    size_t found = find(&s);
    const struct rh_value *provider, *titles;
    const struct rh_known_type *known;

    if (found == NONE)
        return NULL;
    titles = rh_value_entry(entry, found)->value;
    if (!take_provider(load, entry, &provider)) {
        rh_entry_note_refused(load, key_of(entry, found), titles);
        return NULL;
    }
    known = candidate(&s, found);
    if (known->type) {
        *at = found;
        return known->type;
    }
    rh_load_complain_type(load, key_of(entry, found), known,
                          provider ? rh_value_place(provider) : rh_value_key_place(entry, found));
    rh_entry_note_refused(load, key_of(entry, found), titles);
    return NULL;
}

const struct rh_type *
rh_entry_type_named(struct rh_load *load, const struct rh_value *entry, struct rh_value *name,
                    const struct rh_value *titles)
{
    const struct rh_value *provider;
    const struct rh_known_type *known;
    rh_autofree char *hint = NULL;
    const char *type, *best;

    if (rh_substitute(load, name) < 0)
        return NULL;
    if (!rh_value_is(name, RH_STRING) || !name->count || strlen(name->u.string) != name->count
        || name->marks & RH_SENSITIVE) {
        rh_complain(load->complaints, rh_value_place(name), "write it like this: type: file",
                    "'type' must be the name of a type");
        return NULL;
    }
    type = name->u.string;
    if (!take_provider(load, entry, &provider)) {
        rh_entry_note_refused(load, type, titles);
        return NULL;
    }
    known = rh_load_type(load, type, provider ? provider->u.string : NULL);
    if (known->type)
        return known->type;
    if (known->message) {
        rh_load_complain_type(load, type, known, rh_value_place(provider ? provider : name));
    } else {
        best = rh_load_suggest_type(load, type);
        hint = rh_missing_type_hint(type, best);
        rh_complain(load->complaints, rh_value_place(name), hint, "unknown type '%s'", type);
    }
    rh_entry_note_refused(load, type, titles);
    return NULL;
}
