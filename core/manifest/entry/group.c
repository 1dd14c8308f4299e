/* SPDX-License-Identifier: Apache-2.0 */
/* group - entries that share a condition, a loop, defaults or other words, and what follows when one of them
 * has failed, or in any case. */
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
#include "manifest/entry/defaults.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <string.h>

enum { DEEPEST = 20 };

static const char key_defaults[] = "defaults";

const char *const rh_group_lists[RH_GROUP_LISTS] = { "resources", "on_failure", "always" };

static bool
is_list(const char *key)
{
    for (size_t i = 0; i < RH_GROUP_LISTS; i++)
        if (strcmp(key, rh_group_lists[i]) == 0)
            return true;
    return false;
}

bool
rh_is_group(struct rh_load *load, const struct rh_value *entry)
{
    for (size_t i = 0; rh_value_get(entry, rh_group_lists[0]) && i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;
        const struct rh_known_type *known;

        if (strcmp(key, rh_group_lists[0]) == 0)
            return true;
        if (strcmp(key, key_defaults) == 0 || is_list(key) || rh_keyword_find(key)
            || rh_is_extension_key(key))
            continue;
        /* A type, which has an attribute of that name; or a word of the group that is misspelt, since who
         * means a type writes it first. */
        known = i ? rh_load_type(load, key, NULL) : NULL;
        return known && !known->type && !known->message;
    }
    return false;
}

static int
refuse_key(struct rh_load *load, const struct rh_value *entry, size_t i)
{
    enum { MOST = 64 };
    const char *keys[MOST + 1] = { "for_each",        "when",           key_defaults, rh_group_lists[0],
                                   rh_group_lists[1], rh_group_lists[2] };
    const char *key = rh_value_entry(entry, i)->key;
    const struct rh_keyword *keyword;
    rh_autofree char *hint = NULL;
    size_t n = 6;

    if (rh_keyword_is_common(key))
        return 0;
    for (size_t k = 0; n < MOST && (keyword = rh_keyword_at(k)); k++)
        if (rh_keyword_is_common(keyword->word))
            keys[n++] = keyword->word;
    keys[n] = NULL;
    if (!rh_keyword_find(key))
        return rh_known_key(load->complaints, entry, i, keys, "a group") ? 0 : -1;
    hint = strcmp(key, "alias") == 0
               ? rh_xstrdup("write it at the entry")
               : rh_printf("write it under 'defaults', for each type that it is meant for: "
                           "defaults: {file: {%s: ...}}",
                           key);
    rh_complain(load->complaints, rh_value_key_place(entry, i), hint, "'%s' cannot be used with a group",
                key);
    return -1;
}

/* The list under this key of the group, NULL when it has none; or after a complaint, with `bad`. */
static struct rh_value *
entries_of(struct rh_load *load, struct rh_value *entry, const char *key, bool *bad)
{
    struct rh_value *list = rh_draft_get(entry, key);

    if (!list || list->kind == RH_ARRAY || rh_scalar_is_null(list))
        return list;
    *bad = true;
    if (list->kind != RH_UNKNOWN)
        rh_complain(load->complaints, rh_value_place(list), "each entry starts with '- '",
                    "'%s' must be a list of entries, not %s", key, rh_kind_name(list->kind));
    return NULL;
}

/* The entries of the group; -1 after a complaint. */
static int
open_group(struct rh_load *load, struct rh_value *entry, struct rh_value *lists[RH_GROUP_LISTS])
{
    bool bad = false;

    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;

        if (strcmp(key, key_defaults) != 0 && !is_list(key) && refuse_key(load, entry, i) < 0)
            return -1;
    }
    for (size_t i = 0; i < RH_GROUP_LISTS; i++)
        lists[i] = entries_of(load, entry, rh_group_lists[i], &bad);
    if (bad)
        return -1;
    if (load->context.groups < DEEPEST)
        return 0;
    rh_complain(load->complaints, rh_value_place(entry), NULL, "groups are nested more than %d deep",
                DEEPEST);
    return -1;
}

static void
read_list(struct rh_load *load, struct rh_value *list,
          int (*one)(struct rh_load *load, struct rh_value *entry))
{
    load->context.groups++;
    for (size_t i = 0; list && i < rh_value_count(list) && !load->spent.exceeded; i++)
        (void)one(load, rh_draft_part(list, i)); /* the complaints are counted */
    load->context.groups--;
}

/* Those that were declared since, without the parts of instances, which end when these do. */
static const struct rh_watched *
watch_since(const struct rh_load *load, size_t first, bool always)
{
    const struct rh_catalog *c = load->catalog;
    struct rh_watched *w = rh_arena_alloc(c->arena, sizeof *w);
    const struct rh_resource **v = rh_arena_alloc(c->arena, (c->n_resources - first + 1) * sizeof *v);

    *w = (struct rh_watched){ .resources = v, .always = always };
    for (size_t i = first; i < c->n_resources; i++)
        if (c->resources[i]->container == load->context.container)
            v[w->n++] = c->resources[i];
    return w;
}

/* The entries of `on_failure` or `always`: they wait for what stands before them in the group. */
static void
read_following(struct rh_load *load, struct rh_value *list, bool always, size_t first,
               int (*one)(struct rh_load *load, struct rh_value *entry))
{
    struct rh_later_condition *condition = rh_arena_alloc(load->catalog->arena, sizeof *condition);

    *condition = (struct rh_later_condition){ .outer = load->context.conditions,
                                              .watched = watch_since(load, first, always),
                                              .place = rh_value_place(list) };
    load->context.conditions = condition;
    read_list(load, list, one);
    load->context.conditions = condition->outer;
}

int
rh_group_read(struct rh_load *load, struct rh_value *entry,
              int (*one)(struct rh_load *load, struct rh_value *entry))
{
    const struct rh_defaults *around = load->context.defaults;
    size_t before = rh_complaints_count(load->complaints), first = load->catalog->n_resources;
    struct rh_value *lists[RH_GROUP_LISTS];

    if (open_group(load, entry, lists) < 0) {
        rh_catalog_note_refused(load->catalog, NULL, NULL); /* what it would have declared is unknown */
        return -1;
    }
    rh_defaults_open_group(load, entry);
    read_list(load, lists[0], one);
    for (size_t i = 1; i < RH_GROUP_LISTS; i++)
        if (rh_value_count(lists[i]))
            read_following(load, lists[i], i == 2, first, one);
    rh_defaults_close(load, around);
    return rh_complaints_count(load->complaints) > before ? -1 : 0;
}
