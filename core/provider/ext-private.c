/* SPDX-License-Identifier: Apache-2.0 */
/* ext-private - the extension rhost.private/1: texts that are kept for a resource in the state directory. */
#include "config.h"

#include "provider/extensions.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "provider/private-store.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <rhost/private.h>
#include <rhost/sha256.h>
#include <string.h>

static const struct rh_value *
inside(const rhost_value *v)
{
    return (const struct rh_value *)(const void *)v;
}

static int32_t
fail(rhost_ctx *ctx, const struct rh_error *err)
{
    return ctx->host->fail(ctx, 0, NULL, err->message);
}

static void
sum(const char *a, size_t an, const char *b, size_t bn, char hex[65])
{
    struct rhost_sha256 s;

    rhost_sha256_init(&s);
    rhost_sha256_add(&s, a, an);
    rhost_sha256_add(&s, b, bn);
    rhost_sha256_hex(&s, hex);
}

/* Which resource it is: the namevars of the type, whatever else the provider has in its hash. NULL after a
 * failure. */
static struct rh_value *
identity(struct rh_call *call, const rhost_value *name)
{
    const struct rh_type *t = call->rt->type;
    struct rh_value *v = rh_value_new(call->arena, RH_HASH);
    const struct rh_value *in = inside(name);

    for (size_t i = 0; i < t->n_namevars; i++)
        if (!rh_value_is(in, RH_HASH) || !rh_value_get(in, t->namevars[i]->name)) {
            rh_call_break(call, NULL, "it used rhost.private/1 without the namevar '%s'",
                          t->namevars[i]->name);
            return NULL;
        }
    rh_value_put(v, "type", rh_value_string(call->arena, t->type));
    rh_value_put(v, "provider", rh_value_string(call->arena, t->provider));
    rh_value_put(v, "name", rh_resource_name(t, call->arena, in));
    return v;
}

/* Whose directory it is in. */
static const char *
owner_of(struct rh_call *call)
{
    return rh_type_with_provider(call->rt->type, call->arena);
}

static void
file_of(const struct rh_value *id, char file[65])
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, id, false);
    sum("", 0, rh_buf_text(&text), text.n, file);
}

static bool
is_key(struct rh_call *call, const char *key)
{
    if (key && rh_is_name(key))
        return true;
    rh_call_break(call, NULL, "it used rhost.private/1 with the invalid key '%s'", key ? key : "(null)");
    return false;
}

/* What is kept for a resource, NULL when nothing is; -1 after a failure. */
static int
load(struct rh_call *call, const struct rh_value *id, const struct rh_value **texts)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v = NULL;
    char file[65];

    *texts = NULL;
    file_of(id, file);
    if (rh_private_read(call->arena, owner_of(call), file, &v, &err) < 0)
        return fail(call->ctx, &err);
    if (v && rh_value_equal(rh_value_get(v, "of"), id))
        *texts = rh_value_get(v, "texts");
    return 0;
}

static const char *
private_get(rhost_ctx *ctx, const rhost_value *name, const char *key)
{
    struct rh_call *call = rh_call_of(ctx);
    const struct rh_value *id = is_key(call, key) ? identity(call, name) : NULL, *texts;

    if (!id)
        return NULL;
    if (load(call, id, &texts) < 0) {
        call->unseen = true; /* NULL tells the provider no more than that nothing is kept */
        return NULL;
    }
    return rh_value_get_str(texts, key, NULL);
}

/* In those that change something, where the host knows of what. */
static int
check_text(struct rh_call *call, const char *text)
{
    size_t n = text ? strlen(text) : 0;

    if (n > RHOST_PRIVATE_LARGEST)
        return call->ctx->host->fail(call->ctx, 0, NULL, "the text to keep is too long");
    if (text && !rh_utf8_valid(text, n))
        return call->ctx->host->fail(call->ctx, 0, NULL, "the text to keep is not UTF-8");
    if (text && rh_secrets_has(&call->rt->secrets, text, n))
        return call->ctx->host->fail(call->ctx, 0, NULL,
                                     "the text to keep contains a secret: keep its digest");
    return 0;
}

static int32_t
private_put(rhost_ctx *ctx, const rhost_value *name, const char *key, const char *text)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_value *id = is_key(call, key) ? identity(call, name) : NULL, *kept, *all;
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *texts;
    char file[65];

    if (!id)
        return -1;
    if (!rh_call_changes(call)) {
        rh_call_break(call, NULL, "it called put() of rhost.private/1 outside of the callbacks that write");
        return -1;
    }
    if (check_text(call, text) < 0 || load(call, id, &texts) < 0)
        return -1;
    if (call->noop)
        return 0;
    kept = rh_value_new(call->arena, RH_HASH);
    for (size_t i = 0; i < rh_value_count(texts); i++)
        rh_value_put(kept, rh_value_entry(texts, i)->key, rh_value_entry(texts, i)->value);
    if (text)
        rh_value_put(kept, key, rh_value_string(call->arena, text));
    else
        rh_value_drop(kept, key);
    if (rh_value_count(kept) > RHOST_PRIVATE_KEYS)
        return ctx->host->fail(ctx, 0, NULL, "too many texts are kept for one resource");
    file_of(id, file);
    all = rh_value_new(call->arena, RH_HASH);
    rh_value_put(all, "of", id);
    rh_value_put(all, "texts", kept);
    if ((rh_value_count(kept) ? rh_private_write(owner_of(call), file, all, &err)
                              : rh_private_remove(owner_of(call), file, &err))
        < 0)
        return fail(ctx, &err);
    return 0;
}

/* As HMAC does, over hexadecimal digits: what is inside is not known by the outer sum. */
static const char *
private_digest(rhost_ctx *ctx, const rhost_value *name, const char *key, const rhost_value *value)
{
    struct rh_call *call = rh_call_of(ctx);
    struct rh_value *id = is_key(call, key) ? identity(call, name) : NULL;
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf text = { 0 };
    unsigned char secret[RH_PRIVATE_KEY_BYTES];
    char pad[64], hex[65];

    if (!id)
        return NULL;
    if (rh_private_key(owner_of(call), secret, !call->noop, &err) < 0) {
        (void)fail(ctx, &err);
        return NULL;
    }
    rh_value_put(id, "key", rh_value_string(call->arena, key));
    rh_value_to_json(&text, id, false);
    rh_buf_addc(&text, '\0');
    rh_value_to_json(&text, inside(value), true);
    for (size_t i = 0; i < sizeof pad; i++)
        pad[i] = (char)((i < sizeof secret ? secret[i] : 0) ^ 0x36);
    sum(pad, sizeof pad, rh_buf_text(&text), text.n, hex);
    for (size_t i = 0; i < sizeof pad; i++)
        pad[i] = (char)((i < sizeof secret ? secret[i] : 0) ^ 0x5c);
    sum(pad, sizeof pad, hex, 64, hex);
    explicit_bzero(text.s, text.n);
    explicit_bzero(secret, sizeof secret);
    explicit_bzero(pad, sizeof pad);
    return rh_arena_strdup(call->arena, hex);
}

const struct rhost_private *
rh_ext_private(void)
{
    static const struct rhost_private extension = {
        .struct_size = sizeof extension,
        .get = private_get,
        .put = private_put,
        .digest = private_digest,
    };

    return &extension;
}

void
rh_ext_private_drop(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *name)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_call call = { .rt = rt, .arena = a };
    const struct rh_value *id;
    char file[65];

    if (!rh_private_exists())
        return;
    id = identity(&call, rh_outside(name));
    if (!id)
        return;
    file_of(id, file);
    if (rh_private_remove(owner_of(&call), file, &err) < 0)
        rh_provider_log_code(rt, RH_WARNING, RH_NOBODY, NULL, rh_error_code(&err), "%s", err.message);
}
