/* SPDX-License-Identifier: Apache-2.0 */
/* texts - hashes of texts that an engine keeps: labels and options. */
#ifndef CONTAINER_IMAGE_TEXTS_H
#define CONTAINER_IMAGE_TEXTS_H

#include "../json_setting/tree.h"

#define TEXTS_TYPE "Optional[Hash[Pattern[/\\A[^\\x00]+\\z/], Pattern[/\\A[^\\x00]*\\z/]]]"

/* Puts the texts of a mapping into `current`; an empty one where `should` has it. */
static inline void
texts_put(const struct tree *mapping, const char *key, const rhost_value *should, rhost_value *current)
{
    rhost_value *to = rhost_has(should, key) ? current->host->put_hash(current, key) : NULL;

    for (const struct tree *c = mapping ? mapping->first : NULL; c; c = c->next) {
        if (!c->key || c->kind != TREE_STRING)
            continue;
        to = to ? to : current->host->put_hash(current, key);
        rhost_put_str(to, c->key, c->text);
    }
}

#endif
