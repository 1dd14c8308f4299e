/* SPDX-License-Identifier: Apache-2.0 */
/* known-key - the keys that a hash of a manifest may have. */
#include "config.h"

#include "manifest/load/known-key.h"

#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

bool
rh_known_key(struct rh_complaints *complaints, const struct rh_value *hash, size_t i, const char *const *keys,
             const char *what)
{
    const char *key = rh_value_entry(hash, i)->key;
    rh_autobuf struct rh_buf hint = { 0 };
    struct rh_suggest near;

    rh_suggest_init(&near, key);
    for (size_t k = 0; keys[k]; k++) {
        if (strcmp(keys[k], key) == 0)
            return true;
        rh_suggest_try(&near, keys[k]);
    }
    if (near.best)
        rh_buf_addf(&hint, "did you mean '%s'?", near.best);
    for (size_t k = 0; !near.best && keys[k]; k++)
        rh_buf_addf(&hint, "%s%s", k ? ", " : "it has: ", keys[k]);
    rh_complain(complaints, rh_value_key_place(hash, i), rh_buf_text(&hint), "unknown key '%s' in %s", key,
                what);
    return false;
}
