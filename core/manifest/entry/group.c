/* SPDX-License-Identifier: Apache-2.0 */
/* group - entries that share a condition, a loop, defaults or other words. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry/defaults.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <string.h>

enum { DEEPEST = 20 };

static const char word[] = "resources", key_defaults[] = "defaults";

bool
rh_is_group(struct rh_load *load, const struct rh_value *entry)
{
    for (size_t i = 0; rh_value_get(entry, word) && i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;
        const struct rh_known_type *known;

        if (strcmp(key, word) == 0)
            return true;
        if (strcmp(key, key_defaults) == 0 || rh_keyword_find(key) || rh_is_extension_key(key))
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
    const char *keys[MOST + 1] = { "for_each", "when", key_defaults, word };
    const char *key = rh_value_entry(entry, i)->key;
    const struct rh_keyword *keyword;
    rh_autofree char *hint = NULL;
    size_t n = 4;

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

/* The entries of the group; NULL after a complaint. */
static struct rh_value *
open_group(struct rh_load *load, struct rh_value *entry)
{
    struct rh_value *resources = rh_draft_get(entry, word);

    for (size_t i = 0; i < rh_value_count(entry); i++) {
        const char *key = rh_value_entry(entry, i)->key;

        if (strcmp(key, word) != 0 && strcmp(key, key_defaults) != 0 && refuse_key(load, entry, i) < 0)
            return NULL;
    }
    if (resources->kind != RH_ARRAY && !rh_scalar_is_null(resources)) {
        if (resources->kind != RH_UNKNOWN)
            rh_complain(load->complaints, rh_value_place(resources), "each entry starts with '- '",
                        "'resources' must be a list of entries, not %s", rh_kind_name(resources->kind));
        return NULL;
    }
    if (load->context.groups < DEEPEST)
        return resources;
    rh_complain(load->complaints, rh_value_place(entry), NULL, "groups are nested more than %d deep",
                DEEPEST);
    return NULL;
}

int
rh_group_read(struct rh_load *load, struct rh_value *entry,
              int (*one)(struct rh_load *load, struct rh_value *entry))
{
    const struct rh_defaults *around = load->context.defaults;
    size_t before = rh_complaints_count(load->complaints);
    struct rh_value *resources = open_group(load, entry);

    if (!resources) {
        rh_catalog_note_refused(load->catalog, NULL, NULL); /* what it would have declared is unknown */
        return -1;
    }
    rh_defaults_open_group(load, entry);
    load->context.groups++;
    for (size_t i = 0; i < rh_value_count(resources) && !load->spent.exceeded; i++)
        (void)one(load, rh_draft_part(resources, i)); /* the complaints are counted */
    load->context.groups--;
    rh_defaults_close(load, around);
    return rh_complaints_count(load->complaints) > before ? -1 : 0;
}
