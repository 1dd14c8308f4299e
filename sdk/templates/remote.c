/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* @NAME@ - keep values in a store that is reached through a transport.
 *
 * A place to begin: the store is a directory with a file for each value. Put your protocol in the place of
 * store_list(), store_read(), store_write() and store_remove(); the rest knows nothing of it. */

#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/provider.h>

#include <dirent.h>
#include <stdlib.h>

enum { LARGEST = 1 << 20 }; /* bytes that are read of a file */

/* --- The transport: how a store is reached. --------------------------------------------------- */

/* What the transport gives to the provider: both know it by this name. */
#define STORE_ID "@NAME@.store/1"

struct store {
    char *directory, *token;
};

static const struct rhost_attr store_attrs[] = {
    { .name = "directory", .type = "Pattern[/\\A\\//]",
      .desc = "Absolute path of the directory that is the store." },
    { .name = "token", .type = "Optional[Sensitive[String[1]]]",
      .desc = "What the store asks for. Nobody sees it." },
};

/* Connects: `info` is what the target says. It is opened once for each run. */
static int32_t
store_open(rhost_ctx *ctx, const rhost_value *info)
{
    struct store *store = calloc(1, sizeof *store);

    if (!store)
        return rhost_fail(ctx, "out of memory");
    *ctx->host->state(ctx) = store;
    store->directory = strdup(rhost_str(info, "directory"));
    store->token = strdup(rhost_str_or(info, "token", ""));
    return store->directory && store->token ? 0 : rhost_fail(ctx, "out of memory");
}

static void
store_close(rhost_ctx *ctx)
{
    struct store *store = *ctx->host->state(ctx);

    if (!store)
        return;
    free(store->directory);
    free(store->token);
    free(store);
}

/* Called once, when it is open: is this the store that we want? */
static int32_t
store_verify(rhost_ctx *ctx)
{
    const struct store *store = *ctx->host->state(ctx);
    DIR *dir = opendir(store->directory);

    if (!dir)
        return rhost_fail_errno(ctx, "cannot reach the store '%s'", store->directory);
    closedir(dir);
    return 0;
}

/* What 'rhost device TARGETS TARGET' shows, and expressions read as `node`. */
static int32_t
store_facts(rhost_ctx *ctx)
{
    const struct store *store = *ctx->host->state(ctx);
    rhost_value *facts = ctx->host->new_hash(ctx);

    rhost_put_str(facts, "directory", store->directory);
    return ctx->host->emit(ctx, facts);
}

static const void *
store_api(rhost_ctx *ctx, const char *id)
{
    return strcmp(id, STORE_ID) == 0 ? *ctx->host->state(ctx) : NULL;
}

static const struct rhost_transport store_transport = {
    RHOST_TRANSPORT("@NAME@_store", "Reaches a store, which is a directory."),
    RHOST_ATTRS(store_attrs),
    .open   = store_open,
    .close  = store_close,
    .verify = store_verify,
    .facts  = store_facts,
    .api    = store_api,
};

/* --- The protocol. ---------------------------------------------------------------------------- */

/* The value under this key; NULL, with errno ENOENT where there is none. */
static char *
store_read(rhost_ctx *ctx, const struct store *store, const char *key)
{
    char *text = rhost_path_read(ctx, rhost_fmt(ctx, "%s/%s", store->directory, key), 0, LARGEST,
                                 NULL, NULL);

    if (text)
        text[strcspn(text, "\n")] = '\0';
    return text;
}

static int32_t
store_write(rhost_ctx *ctx, const struct store *store, const char *key, const char *value)
{
    const char *line = rhost_fmt(ctx, "%s\n", value);
    const struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = rhost_fmt(ctx, "%s/%s", store->directory, key),
        .content = line,
        .content_len = strlen(line),
        .mode = -1,
        .uid = -1,
        .gid = -1,
    };

    return rhost_replace_file(ctx, &file);
}

static int32_t
store_remove(rhost_ctx *ctx, const struct store *store, const char *key)
{
    if (rhost_path_unlink(ctx, rhost_fmt(ctx, "%s/%s", store->directory, key), 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s' from the store", key);
    return 0;
}

/* --- The provider: resources of a store. ------------------------------------------------------ */

static const struct rhost_attr attrs[] = {
    { .name = "key", .type = "Pattern[/\\A[a-z0-9_]{1,100}\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the value in the store." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the value should exist." },
    { .name = "value", .type = "Pattern[/\\A[^\\n]{0,1000}\\z/]", .desc = "The value." },
};

static const struct store *
store_of(rhost_ctx *ctx)
{
    return ctx->host->transport(ctx, STORE_ID);
}

/* Emits one that is there; what is not there is left out. */
static int32_t
emit_one(rhost_ctx *ctx, const char *key)
{
    char *value = store_read(ctx, store_of(ctx), key);
    rhost_value *one;

    if (!value && errno == ENOENT)
        return 0;
    if (!value)
        return rhost_fail_path(ctx, "cannot read '%s' of the store", key);
    one = ctx->host->new_hash(ctx);
    rhost_put_str(one, "key", key);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "value", value);
    return ctx->host->emit(ctx, one);
}

static int32_t
store_list(rhost_ctx *ctx)
{
    DIR *dir = opendir(store_of(ctx)->directory);
    int32_t rc = 0;

    if (!dir)
        return rhost_fail_errno(ctx, "cannot list the store");
    for (struct dirent *e = readdir(dir); e && rc == 0; e = readdir(dir))
        if (strspn(e->d_name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(e->d_name))
            rc = emit_one(ctx, e->d_name);
    closedir(dir);
    return rc;
}

/* The values that are asked for; with `names` NULL all of them. */
static int32_t
@NAME@_get(rhost_ctx *ctx, const rhost_value *names)
{
    if (!store_of(ctx))
        return rhost_fail(ctx, "the transport of this target is no store");
    if (!names)
        return store_list(ctx);
    for (size_t i = 0; i < rhost_count(names); i++)
        if (emit_one(ctx, rhost_str(rhost_at(names, i, NULL), "key")) < 0)
            return -1;
    return 0;
}

/* Serves create and update. */
static int32_t
@NAME@_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    return store_write(ctx, store_of(ctx), rhost_str(change->name, "key"),
                       rhost_str_of(change, "value"));
}

static int32_t
@NAME@_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    return store_remove(ctx, store_of(ctx), rhost_str(change->name, "key"));
}

static const struct rhost_provider @NAME@_provider = {
    RHOST_PROVIDER("@TYPE@", "Keep values in a store."),
    RHOST_ATTRS(attrs),
    .features = RHOST_REMOTE_RESOURCE | RHOST_SIMPLE_GET_FILTER,
    .get      = @NAME@_get,
    .create   = @NAME@_write,
    .update   = @NAME@_write,
    .remove   = @NAME@_remove,
};

static const struct rhost_provider *const providers[] = { &@NAME@_provider, NULL };
static const struct rhost_transport *const transports[] = { &store_transport, NULL };

RHOST_PLUGIN_WITH_TRANSPORTS(@NAME@, "0.1.0", providers, transports)
