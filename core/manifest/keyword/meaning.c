/* SPDX-License-Identifier: Apache-2.0 */
/* meaning - whether a key of an entry is an attribute or a keyword. */
#include "config.h"

#include "manifest/keyword/keyword.h"

#include "manifest/load/load.h"
#include "schema/type.h"

#include <stdint.h>

const struct rh_meaning *
rh_key_meaning(struct rh_load *load, const struct rh_type *type, const char *key)
{
    size_t slot = ((uintptr_t)key >> 3 ^ (uintptr_t)key >> 11 ^ (uintptr_t)type >> 5) % RH_MEANINGS;
    struct rh_meaning *m = &load->known.meanings[slot];

    if (m->key == key && m->type == type)
        return m;
    *m = (struct rh_meaning){ .key = key, .type = type };
    m->keyword = rh_keyword_find(key);
    if (type && !(m->keyword && rh_keyword_leads(key)))
        m->attr = rh_type_attr(type, key);
    if (m->attr)
        m->keyword = NULL;
    return m;
}
