/* SPDX-License-Identifier: Apache-2.0 */
/* entry - one entry of `resources`: a type, a title or several, attributes and keywords. */
#include "config.h"

#include "manifest/entry/entry.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "manifest/entry/defaults.h"
#include "manifest/entry/define.h"
#include "manifest/entry/long-form.h"
#include "manifest/entry/parts.h"
#include "manifest/expression/expression.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/budget.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <stdint.h>
#include <string.h>

static int
refuse_shape(const struct rh_load *load, const struct rh_value *v)
{
    rh_autofree char *hint = NULL;
    const char *space = rh_value_is(v, RH_STRING) ? strchr(v->u.string, ' ') : NULL;
    const char *colon = rh_value_is(v, RH_STRING) ? strchr(v->u.string, ':') : NULL;

    if (rh_scalar_is_null(v)) {
        rh_complain(load->complaints, rh_value_place(v), "remove the '-'", "this entry is empty");
        return -1;
    }
    if (colon && colon > v->u.string && !space && strlen(v->u.string) < 100)
        hint = rh_printf("add a space after the colon: - %.*s: %s", (int)(colon - v->u.string), v->u.string,
                         colon + 1);
    else if (space && strlen(space + 1) < 60 && space - v->u.string < 40)
        hint =
            rh_printf("write it with a ':': - %.*s: %s", (int)(space - v->u.string), v->u.string, space + 1);
    else
        hint = rh_xstrdup("an entry looks like this: - file: /etc/motd");
    rh_complain(load->complaints, rh_value_place(v), hint,
                "an entry of 'resources' must be a hash that names a type, not %s", rh_kind_name(v->kind));
    return -1;
}

static int
refuse_inner(struct rh_load *load, const struct rh_value *entry)
{
    rh_complain(load->complaints, rh_value_place(entry), "write it as an entry of its own",
                "definitions cannot be nested");
    return -1;
}

static void
substitute_key(struct rh_load *load, struct rh_value *entry, const char *key)
{
    struct rh_value *v = rh_draft_get(entry, key);

    if (!v || rh_substitute(load, v) < 0 || !rh_value_sensitive(v))
        return; /* those that were refused are marked */
    rh_complain(load->complaints, rh_value_place(v), "only values of attributes can be secret",
                "the value of '%s' appears in messages and cannot be secret", key);
    v->kind = RH_UNKNOWN;
    v->count = 0;
    v->u.deferred = NULL;
    v->marks = RH_INVALID;
}

/* The type that an entry seems to name: its first key that is no keyword. */
static void
take_provider(struct rh_reading *r)
{
    for (size_t i = 0; r->load->context.defaults && i < rh_value_count(r->entry); i++) {
        const char *key = rh_value_entry(r->entry, i)->key;

        if (rh_keyword_find(key))
            continue;
        rh_defaults_take_provider(r, r->entry, key);
        return;
    }
}

static int
read_long(struct rh_load *load, struct rh_value *entry)
{
    struct rh_place place = rh_value_place(entry);
    struct rh_reading r = { .load = load, .words = entry, .place = place };
    size_t before = rh_complaints_count(load->complaints), nowhere = SIZE_MAX;
    struct rh_value *titles;
    int rc;

    rh_defaults_take_provider(&r, entry, rh_value_get_str(entry, "type", ""));
    if (rh_entry_open_long(&r, &titles) < 0)
        return -1;
    rh_defaults_take(&r, &nowhere);
    rh_entry_read_apart(&r);
    rc = rh_entry_read_titles(&r, titles, place);
    rh_defaults_blame(&r, before, place);
    rh_keyword_values_clear(&r.keywords);
    return r.failed ? -1 : rc;
}

/* One whose condition holds, or can't be known. */
static int
read_wanted(struct rh_load *load, struct rh_value *entry)
{
    struct rh_reading r = { .load = load, .entry = entry, .place = rh_value_place(entry) };
    size_t type_at, before;
    struct rh_value *titles;
    struct rh_place key;
    int rc;

    substitute_key(load, entry, "provider"); /* what decides how the others are read */
    substitute_key(load, entry, "sensitive");
    /* What `sensitive` names, before anything else can go wrong with it. */
    rh_entry_keep_secrets(load, entry, rh_value_get(entry, "sensitive"));
    rh_entry_keep_secrets(load, rh_draft_get(entry, "attributes"), rh_value_get(entry, "sensitive"));
    if (rh_is_definition(entry))
        return load->context.container || load->context.groups ? refuse_inner(load, entry)
                                                               : 0; /* it was read before all others */
    if (rh_is_group(load, entry))
        return rh_group_read(load, entry, rh_entry_read);
    if (rh_entry_is_long(entry))
        return read_long(load, entry);
    type_at = rh_entry_word(entry);
    if (type_at != SIZE_MAX)
        return rh_entry_read_word(load, entry, type_at);
    before = rh_complaints_count(load->complaints);
    take_provider(&r);
    r.type = rh_entry_type(load, entry, &type_at);
    if (!r.type) {
        rh_defaults_blame(&r, before, r.place);
        return -1;
    }
    r.keywords.type = r.type;
    titles = rh_draft_part(entry, type_at);
    key = rh_value_key_place(entry, type_at);
    r.place = key;
    rh_entry_substitute_titles(load, titles);
    rh_defaults_take(&r, &type_at);
    rh_entry_read_keys(&r, type_at);
    rc = rh_entry_read_titles(&r, titles, key);
    rh_defaults_blame(&r, before, key);
    rh_keyword_values_clear(&r.keywords);
    return r.failed ? -1 : rc;
}

/* One of those that `for_each` makes of an entry. */
static int
read_one(struct rh_load *load, struct rh_value *entry)
{
    struct rh_place outer_undecided = load->context.undecided;
    struct rh_later_condition *conditions = load->context.conditions;
    size_t before = rh_complaints_count(load->complaints);
    enum rh_when when = rh_when(load, entry);
    int rc = when == RH_WHEN_REFUSED ? -1 : 0;

    if (when == RH_WHEN_YES || when == RH_WHEN_UNKNOWN)
        rc = read_wanted(load, entry);
    load->context.undecided = outer_undecided;
    load->context.conditions = conditions;
    return rh_complaints_agree(load->complaints, before, rc);
}

/* Whether there were any. */
static bool
drop_extensions(struct rh_value *entry)
{
    uint32_t kept = 0, n = entry->count;

    for (uint32_t i = 0; i < n; i++)
        if (!rh_is_extension_key(rh_value_entry(entry, i)->key)) {
            if (kept < i)
                rh_draft_move_entry(entry, kept, i);
            kept++;
        }
    entry->count = kept;
    return kept < n;
}

static int
read_known(struct rh_load *load, struct rh_value *entry)
{
    if (rh_budget_check(load, rh_value_place(entry)) < 0)
        return -1;
    if (entry->kind != RH_HASH)
        return refuse_shape(load, entry);
    if (drop_extensions(entry) && !entry->count)
        return 0;
    if (rh_value_get(entry, "for_each") && !rh_is_definition(entry))
        return rh_for_each(load, entry, read_one);
    return read_one(load, entry);
}

int
rh_entry_read(struct rh_load *load, struct rh_value *entry)
{
    size_t before = rh_complaints_count(load->complaints);

    if (entry->kind == RH_UNKNOWN)
        return -1; /* was complained about */
    return rh_complaints_agree(load->complaints, before, read_known(load, entry));
}
