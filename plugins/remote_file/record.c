/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was downloaded to a path, kept in the state directory. */

#include "record.h"

#include <rhost/lines.h>
#include <rhost/private.h>

enum { PARTS = 7, LONGEST_HEADER = 1000 };

const char *
record_stamp(rhost_ctx *ctx, const struct stat *st)
{
    return rhost_fmt(ctx, "%llu %llu %lld %lld.%09ld %lld.%09ld", (unsigned long long)st->st_dev,
                     (unsigned long long)st->st_ino, (long long)st->st_size, (long long)st->st_mtim.tv_sec,
                     st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

int
record_read(rhost_ctx *ctx, const rhost_value *name, struct record *r)
{
    const char *at = rhost_private_get(ctx, name, "file"), *parts[PARTS];

    *r = (struct record){ 0 };
    for (int i = 0; i < PARTS; i++) {
        size_t len = at ? strcspn(at, "\n") : 0;

        if (!at && i < PARTS - 1) /* what there was first had one less */
            return 0;
        parts[i] = len ? rhost_copy(ctx, at, len) : NULL;
        at = at[len] ? at + len + 1 : NULL;
    }
    if (!parts[0] || !parts[1] || !parts[4])
        return 0;
    *r = (struct record){ parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6] };
    return 1;
}

/* A header that makes sense to be sent again. */
static const char *
sane(const char *header)
{
    size_t n = header ? strlen(header) : 0;

    return n && n <= LONGEST_HEADER && !strpbrk(header, "\r\n") && rhost_is_utf8(header, n) ? header : "";
}

int32_t
record_write(rhost_ctx *ctx, const rhost_value *name, const struct record *r)
{
    return rhost_private_put(ctx, name, "file",
                             rhost_fmt(ctx, "%s\n%s\n%s\n%s\n%s\n%s\n%s", r->sum, r->stamp, sane(r->etag),
                                       sane(r->modified), r->url_digest, r->url ? r->url : "",
                                       r->fetched ? r->fetched : ""));
}

const char *
record_url_digest(rhost_ctx *ctx, const rhost_value *name, const rhost_value *url)
{
    const struct rhost_private *ext = rhost_private_extension(ctx);

    if (ext)
        return ext->digest(ctx, name, "url", url);
    (void)rhost_fail(ctx, "this host keeps nothing for resources");
    return NULL;
}

const char *
record_beside(rhost_ctx *ctx, const rhost_value *name, const char *key)
{
    return rhost_private_get(ctx, name, key);
}

int32_t
record_put_beside(rhost_ctx *ctx, const rhost_value *name, const char *key, const char *beside)
{
    return rhost_private_put(ctx, name, key, beside);
}

const char *
record_signature(rhost_ctx *ctx, const rhost_value *name)
{
    return rhost_private_get(ctx, name, "signature");
}

int32_t
record_put_signature(rhost_ctx *ctx, const rhost_value *name, const char *signature)
{
    return rhost_private_put(ctx, name, "signature", signature);
}
