/* SPDX-License-Identifier: Apache-2.0 */
/* when - whether an entry is there at all. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "manifest/entry/long-form.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "script/script.h"

#include <stdint.h>
#include <string.h>

/* What was left out. */

/* Where the key is that says what an entry is about: the first that is not a keyword. */
static size_t
subject_of(const struct rh_value *entry)
{
    for (size_t i = 0; i < rh_value_count(entry); i++)
        if (!rh_keyword_find(rh_value_entry(entry, i)->key))
            return i;
    return SIZE_MAX;
}

static void
leave_out_one(struct rh_load *load, const char *key, const struct rh_value *title, struct rh_place when)
{
    struct rh_reference ref;

    if (!rh_value_is(title, RH_STRING) || strlen(title->u.string) != title->count
        || title->marks & RH_SENSITIVE)
        return;
    if (strcmp(key, "declare") != 0)
        rh_catalog_leave_out(load->catalog, key, title->u.string, when);
    else if (rh_reference_parse(load->catalog->arena, title->u.string, &ref))
        rh_catalog_leave_out(load->catalog, ref.type, ref.title, when);
}

static int leave_out_element(struct rh_load *load, struct rh_value *entry);

static void
leave_out_list(struct rh_load *load, struct rh_value *list)
{
    for (size_t i = 0; rh_value_is(list, RH_ARRAY) && i < list->count; i++) {
        struct rh_value *inner = rh_draft_part(list, i);

        if (inner->kind != RH_HASH || rh_value_get(inner, "define"))
            continue;
        if (rh_value_get(inner, "for_each"))
            (void)rh_for_each(load, inner, leave_out_element);
        else
            (void)leave_out_element(load, inner);
    }
}

/* The entries of a group, in which there may be loops. */
static void
leave_out_group(struct rh_load *load, struct rh_value *entry, struct rh_place when)
{
    struct rh_complaints *complaints = load->complaints, unheard = { .sources = complaints->sources };
    bool exceeded = load->spent.exceeded;

    load->complaints = &unheard;
    load->context.excluded = when;
    for (size_t i = 0; i < RH_GROUP_LISTS; i++)
        leave_out_list(load, rh_draft_get(entry, rh_group_lists[i]));
    load->complaints = complaints;
    load->spent.exceeded = exceeded; /* who goes on to read says so */
    rh_complaints_clear(&unheard);
}

/* Titles may be expressions that mean something only where the condition holds: what is wrong with
 * them is nobody's concern. */
static void
leave_out(struct rh_load *load, struct rh_value *entry, struct rh_place when)
{
    bool apart = rh_entry_is_long(entry);
    size_t subject = subject_of(entry);
    struct rh_complaints *complaints = load->complaints, unheard = { .sources = complaints->sources };
    struct rh_value *titles;
    const char *key;

    if (rh_is_group(load, entry)) {
        leave_out_group(load, entry, when);
        return;
    }
    key = subject == SIZE_MAX ? NULL : rh_value_entry(entry, subject)->key;
    if (!key || strcmp(key, "edit") == 0 || strcmp(key, "trigger") == 0)
        return;
    titles = apart ? rh_draft_get(entry, "title") : rh_draft_part(entry, subject);
    if (apart)
        key = rh_value_get_str(entry, "type", "");
    load->complaints = &unheard;
    (void)rh_substitute(load, titles);
    load->complaints = complaints;
    rh_complaints_clear(&unheard);
    leave_out_one(load, key, titles, when);
    for (size_t i = 0; titles->kind == RH_ARRAY && i < titles->count; i++)
        leave_out_one(load, key, rh_value_at(titles, i), when);
}

static int
leave_out_element(struct rh_load *load, struct rh_value *entry)
{
    leave_out(load, entry, load->context.excluded);
    return 0;
}

/* The condition. */

static enum rh_when
refuse(struct rh_load *load, const struct rh_value *v, const struct rh_value *found)
{
    rh_autofree char *hint = NULL;
    const char *cut = NULL;

    if (found == v || found->kind == RH_UNDEF)
        cut = rh_cut_hint(load, v);
    if (cut)
        hint = rh_xstrdup(cut);
    else if (found->kind == RH_UNDEF)
        hint = rh_xstrdup("compare nil with something, for example x ~= nil");
    else if (found->kind == RH_ARRAY)
        hint = rh_xstrdup("conditions are joined by 'and' or 'or' in one expression");
    else if (found->kind == RH_STRING && found == v && found->marks & RH_PLAIN)
        hint = rh_xstrdup("write 'true' or 'false', or an expression");
    else
        hint = rh_xstrdup("compare it with something, as in x == 1");
    rh_complain(load->complaints, rh_value_place(v), hint, "'when' must be a boolean, not %s",
                found->kind == RH_UNDEF ? "nil" : rh_kind_name(found->kind));
    return RH_WHEN_REFUSED;
}

/* Which is asked again at its turn, or can't be known at all in this run. */
static enum rh_when
note_unknown(struct rh_load *load, const struct rh_value *v, const struct rh_value *found)
{
    struct rh_later_condition *condition;

    if (!rh_value_deferred(found)) {
        load->context.undecided = rh_value_place(v);
        return RH_WHEN_UNKNOWN;
    }
    condition = rh_arena_alloc(load->catalog->arena, sizeof *condition);
    *condition = (struct rh_later_condition){ .outer = load->context.conditions,
                                              .place = rh_value_place(v),
                                              .value = found };
    load->context.conditions = condition;
    return RH_WHEN_UNKNOWN;
}

static enum rh_when
decide(struct rh_load *load, struct rh_value *v)
{
    const struct rh_value *found = v;
    struct rh_value core = *v;

    if (rh_value_deferred(v))
        return note_unknown(load, v, v);
    if (v->kind == RH_UNKNOWN)
        return RH_WHEN_REFUSED; /* was complained about */
    if (v->kind == RH_STRING && v->marks & RH_PLAIN) {
        (void)rh_scalar_read(load->catalog->arena, NULL, &core);
        if (core.kind != RH_STRING)
            found = &core;
    }
    if (found->kind == RH_STRING) {
        if (!rh_is_one_expression(v) && rh_has_expression(v)) {
            rh_complain(load->complaints, rh_value_place(v),
                        "the whole value is an expression: remove '${' and '}'",
                        "'when' must be one expression, not text that contains expressions");
            return RH_WHEN_REFUSED;
        }
        found = rh_later_expression(load, v, load->context.scope);
        if (!found)
            return RH_WHEN_REFUSED;
    }
    if (found->kind == RH_UNKNOWN)
        return note_unknown(load, v, found);
    if (found->kind != RH_BOOLEAN)
        return refuse(load, v, found);
    return found->u.integer ? RH_WHEN_YES : RH_WHEN_NO;
}

enum rh_when
rh_when(struct rh_load *load, struct rh_value *entry)
{
    struct rh_value *v = rh_draft_get(entry, "when");
    enum rh_when decision;

    if (!v)
        return RH_WHEN_YES;
    decision = decide(load, v);
    rh_value_drop(entry, "when");
    if (decision == RH_WHEN_NO)
        leave_out(load, entry, rh_value_place(v));
    return decision;
}
