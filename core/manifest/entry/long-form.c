/* SPDX-License-Identifier: Apache-2.0 */
/* long-form - the long form of an entry: type, title and attributes apart. */
#include "config.h"

#include "manifest/entry/long-form.h"

#include "base/complaint.h"
#include "base/draft.h"
#include "base/value.h"
#include "manifest/entry/parts.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <string.h>

static const char key_type[] = "type", key_title[] = "title", key_attributes[] = "attributes";

bool
rh_entry_is_long(const struct rh_value *entry)
{
    return rh_value_get(entry, key_type) && rh_value_get(entry, key_title);
}

bool
rh_entry_needs_long(const char *type, const char *attribute)
{
    static const char *const words[] = { "declare", "define", "edit", "include", "trigger" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(type, words[i]) == 0)
            return true;
    return rh_keyword_find(type) || strcmp(type, attribute) == 0 || rh_keyword_leads(attribute)
           || (strcmp(type, key_title) == 0 && strcmp(attribute, key_type) == 0);
}

/* The hash of attributes: an empty one where nothing was written. */
static int
take_attributes(struct rh_reading *r, struct rh_value *attributes)
{
    struct rh_arena *a = r->load->catalog->arena;

    if (!attributes || rh_scalar_is_null(attributes)) {
        r->entry = rh_value_hash(a, 1);
        return 0;
    }
    r->entry = attributes;
    if (attributes->kind == RH_HASH)
        return 0;
    if (!(attributes->kind == RH_UNKNOWN && attributes->marks & RH_INVALID))
        rh_complain(r->load->complaints, rh_value_place(attributes),
                    "write it like this: attributes: {mode: 0644}", "'attributes' must be a hash, not %s",
                    rh_kind_name(attributes->kind));
    return -1;
}

int
rh_entry_take_apart(struct rh_reading *r, const char *word)
{
    struct rh_value *entry = r->entry;
    struct rh_value *attributes = rh_draft_get(entry, key_attributes);

    if (!attributes)
        return 0;
    if (take_attributes(r, attributes) < 0)
        return -1;
    rh_value_drop(entry, word);
    rh_value_drop(entry, key_attributes);
    r->words = entry;
    return 0;
}

int
rh_entry_open_long(struct rh_reading *r, struct rh_value **titles)
{
    struct rh_load *load = r->load;
    struct rh_value *entry = r->words;

    *titles = rh_draft_get(entry, key_title);
    rh_entry_substitute_titles(load, *titles);
    r->type = rh_entry_type_named(load, entry, rh_draft_get(entry, key_type), *titles);
    if (!r->type)
        return -1;
    if (take_attributes(r, rh_draft_get(entry, key_attributes)) < 0) {
        rh_entry_note_refused(load, r->type->type, *titles);
        return -1;
    }
    r->keywords.type = r->type;
    rh_value_drop(entry, key_type);
    rh_value_drop(entry, key_title);
    rh_value_drop(entry, key_attributes);
    return 0;
}
