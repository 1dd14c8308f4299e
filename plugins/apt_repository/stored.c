/* SPDX-License-Identifier: Apache-2.0 */
/* stored - the key of one repository where it is stored: compared, brought there, and removed. */

#include "stored.h"

#include "key.h"
#include "others.h"
#include "place.h"
#include "stanza.h"

#include <rhost/path.h>

/* Where the key is stored that a resource gives. */
static const char *
stored_path(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct key *key)
{
    const char *signed_by = rhost_str(should, "signed_by");

    return signed_by && *signed_by == '/'
               ? signed_by
               : place_of(ctx, rhost_str_or(should, "root", PLACE_ROOT), "keyrings", name, key->suffix);
}

const char *
stored_differs(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct rhost_lines *l)
{
    struct stanza_field field;
    struct key key;
    const char *path, *why;

    why = key_of(ctx, rhost_get(should, "key"), &key);
    if (why)
        return why;
    path = stored_path(ctx, name, should, &key);
    why = key_difference(ctx, path, &key);
    if (why || (stanza_find(ctx, l, "Signed-By", &field) && strcmp(field.value, path) == 0))
        return why;
    return rhost_fmt(ctx, "it is not signed by '%s'", path);
}

int
stored_is_specified(const rhost_value *should)
{
    size_t len = 0;

    return rhost_bytes(should, "key", &len) && len;
}

int
stored_remove(rhost_ctx *ctx, const char *root, const char *name, const char *kept)
{
    static const char *const suffixes[] = { ".asc", ".gpg" };
    const char *sources = place_of_sources(ctx, root, name);

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const char *path = place_of(ctx, root, "keyrings", name, suffixes[i]);

        struct stat st;

        if ((kept && strstr(kept, path)) || (rhost_path_stat(ctx, path, 0, &st) < 0 && errno == ENOENT))
            continue;
        if (others_mention(ctx, root, sources, path)) {
            rhost_info(ctx, "keeping '%s', which another repository uses", path);
            continue;
        }
        if (rhost_path_unlink(ctx, path, 0) < 0 && errno != ENOENT)
            return rhost_fail_path(ctx, "cannot remove '%s'", path);
        rhost_touched(ctx, path);
    }
    return 0;
}

int
stored_bring(rhost_ctx *ctx, const char *name, const rhost_value *should, const char **path)
{
    struct key key;
    const char *why = key_of(ctx, rhost_get(should, "key"), &key);
    size_t len;

    if (why)
        return rhost_fail_attr(ctx, "key", "%s", why);
    *path = stored_path(ctx, name, should, &key);
    len = strlen(*path);
    if (len < 5 || strcmp(*path + len - 4, key.suffix) != 0)
        return rhost_fail_attr(ctx, "signed_by",
                               "apt reads this key only from a file that ends with '%s', which '%s' "
                               "does not",
                               key.suffix, *path);
    return key_difference(ctx, *path, &key) ? key_store(ctx, *path, &key) : 0;
}
