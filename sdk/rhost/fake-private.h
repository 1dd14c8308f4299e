/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-private.h - the extension rhost.private/1 for <rhost/fake-host.h>, which includes it where
 * <rhost/private.h> was included. What is kept stays until rhost_fake_clear(). A digest is none of cryptography: it
 * tells values of one test apart. */
#ifndef RHOST_FAKE_PRIVATE_H
#define RHOST_FAKE_PRIVATE_H

#include <rhost/fake-value.h>
#include <rhost/keep.h>
#include <rhost/private.h>
#include <rhost/provider.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_fake_private {
    struct rhost_fake_private *next;
    const rhost_value *name;
    char *key, *text; /* text NULL: no longer kept */
};

static inline void
rhost_fake_private_release(void *kept)
{
    struct rhost_fake_private *p = (struct rhost_fake_private *)kept;

    while (p) {
        struct rhost_fake_private *next = p->next;

        free(p->key);
        free(p->text);
        free(p);
        p = next;
    }
}

static inline struct rhost_fake_private *
rhost_fake_private_find(rhost_ctx *ctx, const rhost_value *name, const char *key)
{
    void **word = rhost_keep_word(ctx, RHOST_PRIVATE_ID, rhost_fake_private_release);
    struct rhost_fake_private *p = (struct rhost_fake_private *)*word;

    while (p && (strcmp(p->key, key) != 0 || !rhost_fake_equal(p->name, name)))
        p = p->next;
    return p;
}

RHOST_UNUSED static inline const char *
rhost_fake_private_get(rhost_ctx *ctx, const rhost_value *name, const char *key)
{
    const struct rhost_fake_private *p = rhost_fake_private_find(ctx, name, key);

    return p && p->text ? rhost_strdup(ctx, p->text) : NULL;
}

RHOST_UNUSED static inline int32_t
rhost_fake_private_put(rhost_ctx *ctx, const rhost_value *name, const char *key, const char *text)
{
    struct rhost_fake_private *p = rhost_fake_private_find(ctx, name, key);
    void **word = rhost_keep_word(ctx, RHOST_PRIVATE_ID, rhost_fake_private_release);

    if (rhost_fake_from(ctx)->noop)
        return 0;
    if (text && strlen(text) > RHOST_PRIVATE_LARGEST)
        return ctx->host->fail(ctx, 0, NULL, "the text to keep is too long");
    if (!p) {
        rhost_value *copy = ctx->host->new_hash(ctx);

        ctx->host->put_copy(copy, "name", name);
        p = (struct rhost_fake_private *)rhost_fake_memory(NULL, sizeof *p);
        p->next = (struct rhost_fake_private *)*word;
        p->name = ctx->host->get(copy, "name");
        p->key = rhost_fake_copy(key, strlen(key));
        p->text = NULL;
        *word = p;
    }
    free(p->text);
    p->text = text ? rhost_fake_copy(text, strlen(text)) : NULL;
    return 0;
}

RHOST_UNUSED static inline const char *
rhost_fake_private_digest(rhost_ctx *ctx, const rhost_value *name, const char *key, const rhost_value *value)
{
    size_t len = 0;
    const char *text = ctx->host->string(value, &len), *parts[2];
    char number[32];
    uint64_t sum = UINT64_C(14695981039346656037);

    (void)name;
    if (!text) {
        len = (size_t)snprintf(number, sizeof number, "%lld", (long long)ctx->host->integer(value, 0));
        text = number;
    }
    parts[0] = key;
    parts[1] = text;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0, n = i ? len : strlen(key); k < n; k++)
            sum = (sum ^ (unsigned char)parts[i][k]) * UINT64_C(1099511628211);
    return rhost_fmt(ctx, "%016llx%016llx%016llx%016llx", (unsigned long long)sum, (unsigned long long)~sum,
                     (unsigned long long)(sum * 3), (unsigned long long)(sum * 7));
}

static inline const struct rhost_private *
rhost_fake_private(void)
{
    static const struct rhost_private extension = { sizeof extension, rhost_fake_private_get,
                                                    rhost_fake_private_put, rhost_fake_private_digest };

    return &extension;
}

#ifdef __cplusplus
}
#endif

#endif
