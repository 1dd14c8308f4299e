/* SPDX-License-Identifier: Apache-2.0 */
/* declared - the keys of a host as a manifest says them, brought into the form that files have. */

#include "declared.h"

#include "../ssh_authorized_key/keys.h"

#include <rhost/posix.h>

#include <ctype.h>

/* ssh writes names in small letters, and port 22 as none. */
static void
tidy_name(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name");
    char *tidy = rhost_strdup(ctx, name);
    size_t len = name ? strlen(name) : 0;

    if (!name || *name == '|')
        return;
    for (char *p = tidy; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    if (len > 5 && *tidy == '[' && strcmp(tidy + len - 4, "]:22") == 0) {
        tidy[len - 4] = '\0';
        tidy++;
    }
    if (strcmp(tidy, name) != 0)
        rhost_put_str(resource, "name", tidy);
}

/* "TYPE KEY", of a line of known_hosts, of a .pub file, or as ssh-keyscan prints it. */
static const char *
tidy_key(rhost_ctx *ctx, const char *text, size_t i)
{
    char own[64], why[160], path[40];
    struct key k;

    (void)snprintf(path, sizeof path, "keys[%zu]", i);
    if (strpbrk(text, "\r\n")) {
        rhost_fail_attr(ctx, path, "a key is one line");
        return NULL;
    }
    if (!key_parse(text, strlen(text), &k)) {
        rhost_fail_attr(ctx, path, "'%s' is not a type and a key in base64", text);
        return NULL;
    }
    if (key_check_blob(k.blob.at, k.blob.len, rhost_copy(ctx, k.type.at, k.type.len), own, why, sizeof why)
        < 0) {
        rhost_fail_attr(ctx, path, "%s", why);
        return NULL;
    }
    return rhost_fmt(ctx, "%s %.*s", own, (int)k.blob.len, k.blob.at);
}

static int
has_before(rhost_value *keys, const char *key)
{
    for (size_t i = 0; i < rhost_count(keys); i++)
        if (strcmp(rhost_str_at(keys, i), key) == 0)
            return 1;
    return 0;
}

int32_t
declared_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *keys = rhost_get(resource, "keys");
    rhost_value *all = ctx->host->new_hash(ctx), *tidy = all->host->put_array(all, "keys");
    int differs = 0;

    tidy_name(ctx, resource);
    rhost_tidy_path(ctx, resource, "target");
    for (size_t i = 0; i < rhost_count(keys); i++) {
        const char *text = rhost_str_at(keys, i), *key = text ? tidy_key(ctx, text, i) : NULL;

        if (text && !key)
            return -1;
        differs |= !key || strcmp(key, text) != 0 || has_before(tidy, key);
        if (key && !has_before(tidy, key))
            rhost_put_str(tidy, NULL, key);
    }
    if (differs)
        rhost_put_copy(resource, "keys", tidy);
    return 0;
}
