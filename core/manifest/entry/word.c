/* SPDX-License-Identifier: Apache-2.0 */
/* word - entries that do something with a resource: declare it without doing anything, edit
 * what was declared, trigger an action of it (CHEF-3694's primitives); or include a file. */
#include "config.h"

#include "manifest/entry/entry.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "manifest/entry/defaults.h"
#include "manifest/entry/long-form.h"
#include "manifest/entry/parts.h"
#include "manifest/expression/expression.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/load/missing.h"

#include <stdint.h>
#include <string.h>

size_t
rh_entry_word(const struct rh_value *entry)
{
    static const char *const words[] = { "declare", "edit", "include", "trigger" };

    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;

        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            if (strcmp(key, words[k]) == 0)
                return i;
        if (!rh_keyword_find(key) && !rh_is_extension_key(key) && strcmp(key, "defaults") != 0)
            break;
    }
    return SIZE_MAX;
}

/* References. */

static const char wanted[] = "expected a reference, like service[nginx], or a list of them";

static int
one_reference(struct rh_load *load, const struct rh_value *v, struct rh_reference *ref)
{
    if (v->kind == RH_UNKNOWN && v->marks & RH_INVALID)
        return -1; /* was complained about */
    if (v->marks & RH_SENSITIVE) {
        rh_complain(load->complaints, rh_value_place(v), NULL, "a reference cannot be secret");
        return -1;
    }
    if (rh_value_is(v, RH_STRING) && v->count)
        return rh_keyword_reference(load, v, ref);
    rh_complain(load->complaints, rh_value_place(v), NULL, "%s", wanted);
    return -1;
}

/* Calls `one` for each reference of a text or list. */
static int
each_reference(struct rh_load *load, struct rh_value *entry, size_t at,
               int (*one)(struct rh_load *, struct rh_value *, size_t, const struct rh_reference *))
{
    struct rh_value *v = rh_draft_part(entry, at);
    int rc = rh_substitute(load, v);
    bool list = v->kind == RH_ARRAY;
    size_t n = list ? v->count : 1;

    if (!n)
        rh_complain(load->complaints, rh_value_place(v), NULL, "%s", wanted);
    for (size_t i = 0; i < n; i++) {
        /* Each reads the entry in place, by its own type. */
        struct rh_value *own = n == 1 ? entry : rh_value_copy_sharing(load->catalog->arena, entry);
        struct rh_reference ref;

        if (one_reference(load, list ? rh_value_at(v, i) : v, &ref) < 0 || one(load, own, at, &ref) < 0)
            rc = -1;
    }
    return rc;
}

/* declare: the set gets it, the list does not. */

static void
read_keys(struct rh_reading *r, size_t at)
{
    size_t nowhere = SIZE_MAX;

    rh_defaults_take(r, r->words ? &nowhere : &at);
    if (r->words)
        rh_entry_read_apart(r);
    else
        rh_entry_read_keys(r, at);
}

static int
declare(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    const struct rh_known_type *known;
    struct rh_reading r = { .load = load, .entry = entry, .place = ref->place };
    size_t before = rh_complaints_count(load->complaints);
    struct rh_value *title;
    const char *best;
    rh_autofree char *hint = NULL;
    int rc = -1;

    rh_defaults_take_provider(&r, entry, ref->type);
    known = rh_load_type(load, ref->type, rh_value_get_str(entry, "provider", NULL));
    r.type = known->type;
    if (!known->type) {
        best = rh_load_suggest_type(load, ref->type);
        hint = rh_missing_type_hint(ref->type, best);
        if (known->message)
            rh_complain_code(load->complaints, ref->place, known->hint, known->code, "%s", known->message);
        else
            rh_complain(load->complaints, ref->place, hint, "unknown type '%s'", ref->type);
        rh_catalog_note_refused(load->catalog, ref->type, ref->title);
        return -1;
    }
    r.keywords.type = r.type;
    if (rh_entry_take_apart(&r, "declare") < 0)
        r.failed = true;
    else
        read_keys(&r, at);
    r.keywords.nothing = true;
    if (r.keywords.n_actions) {
        rh_complain(load->complaints, ref->place, "use 'trigger' to run actions, or remove 'declare'",
                    "'declare' cannot be used with actions");
        r.failed = true;
    }
    title = rh_value_string(load->catalog->arena, ref->title);
    rh_value_set_place(title, ref->place);
    rc = rh_entry_read_titles(&r, title, ref->place);
    rh_defaults_blame(&r, before, ref->place);
    rh_keyword_values_clear(&r.keywords);
    return r.failed ? -1 : rc;
}

/* trigger: the list gets an action, and nothing else is said. */

static int
trigger(struct rh_load *load, struct rh_value *entry, size_t at, const struct rh_reference *ref)
{
    static const char *const words[] = { "action", "insert_before", "insert_after" };
    struct rh_resource *to = rh_catalog_find(load->catalog, ref->type, ref->title);
    struct rh_reading r = { .load = load, .entry = entry, .type = to ? to->type : NULL };

    if (!to)
        return rh_entry_refuse_undeclared(load, ref, "declare it above: '- declare: service[nginx]'");
    for (size_t i = 0; i < rh_value_count(entry); i++) {
        bool known = i == at;

        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            known |= strcmp(rh_value_entry(entry, i)->key, words[k]) == 0;
        if (known)
            continue;
        rh_complain(load->complaints, rh_value_key_place(entry, i),
                    "known keys: action, insert_before, insert_after; 'edit' changes attributes",
                    "unknown key '%s' beside 'trigger'", rh_value_entry(entry, i)->key);
        return -1;
    }
    r.keywords.type = r.type;
    rh_entry_read_keys(&r, at);
    if (!r.failed)
        rh_keyword_values_trigger(load, &r.keywords, to);
    if (load->context.undecided.line)
        (void)rh_entry_note_undecided(load, to); /* its name is known */
    rh_keyword_values_clear(&r.keywords);
    return r.failed ? -1 : 0;
}

int
rh_entry_read_word(struct rh_load *load, struct rh_value *entry, size_t at)
{
    const char *word = rh_value_entry(entry, at)->key, *around = rh_defaults_word(load);

    if (around && *word != 'd') {
        rh_autofree char *hint =
            rh_printf("write it outside of the group, or '%s' at the entries that it is meant for", around);

        rh_complain(load->complaints, rh_value_key_place(entry, at), hint,
                    "'%s' cannot stand in a group with '%s', which it does not pass on", word, around);
        rh_catalog_note_refused(load->catalog, NULL, NULL);
        return -1;
    }
    if (*word == 'i')
        return load->include(load, entry, at);
    if (*word == 'd')
        return each_reference(load, entry, at, declare);
    if (load->context.conditions) {
        if (load->context.conditions->watched)
            rh_complain(load->complaints, rh_value_key_place(entry, at), "declare a resource there",
                        "'%s' cannot stand under '%s' of a group", word,
                        load->context.conditions->watched->always ? "always" : "on_failure");
        else
            rh_complain(load->complaints, load->context.conditions->place,
                        "write the condition at the resource itself",
                        "the 'when' of '%s' must be known before the run, and it uses a result", word);
        return -1;
    }
    return each_reference(load, entry, at, *word == 'e' ? rh_entry_edit : trigger);
}
