/* SPDX-License-Identifier: Apache-2.0 */
/* vault - a lookup of secrets that a Vault server keeps, in its engines KV 1 and KV 2. */

#include "client.h"
#include "login.h"

#include "../http/secret.h"

#include <rhost/posix.h>

#define TYPE_PATH "Pattern[/\\A[^\\x00-\\x1f\\x7f\\/]+(\\/[^\\x00-\\x1f\\x7f\\/]+)+\\z/]"
#define TYPE_MOUNT "Pattern[/\\A[^\\x00-\\x1f\\x7f\\/]+(\\/[^\\x00-\\x1f\\x7f\\/]+)*\\z/]"

static const struct rhost_attr parameters[] = {
    { .name = "path", .type = TYPE_PATH, .desc = "The mount and the path of the secret: secret/app/db." },
    { .name = "field",
      .type = "Optional[String[1]]",
      .desc = "The entry of the secret that is the answer; without it all of them." },
    { .name = "address",
      .type = "Pattern[/\\A[Hh][Tt][Tt][Pp][Ss]?:\\/\\/[^\\s\\/?#@]+\\/?\\z/]",
      .default_value = "\"https://127.0.0.1:8200\"",
      .desc = "The URL of the server." },
    { .name = "token_file", .type = "Optional[" RHOST_TYPE_PATH "]", .desc = "A file with the token." },
    { .name = "role_id_file",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file with the RoleID, to log in by AppRole." },
    { .name = "secret_id_file",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file with the SecretID, where the role needs one." },
    { .name = "role_mount",
      .type = TYPE_MOUNT,
      .default_value = "\"approle\"",
      .desc = "Where AppRole is mounted, below 'auth/'." },
    { .name = "kv", .type = "Integer[1, 2]", .default_value = "2", .desc = "The version of the engine KV." },
    { .name = "mount",
      .type = "Optional[" TYPE_MOUNT "]",
      .desc =
          "Where the engine is mounted, when that has a '/' in it; default: the first part of the path." },
    { .name = "version",
      .type = "Optional[Integer[1]]",
      .desc = "The version of the secret, with KV 2; default: the latest." },
    { .name = "namespace",
      .type = "Optional[Pattern[/\\A[!-~]+\\z/]]",
      .desc = "The namespace, where the server has some." },
    { .name = "ca",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file with the certificates that sign the server's; default: those of the system." },
    { .name = "timeout",
      .type = "Integer[1, 600]",
      .default_value = "30",
      .desc = "Seconds after which a request is given up." },
};

/* "." and ".." would lead a request elsewhere. */
static int
has_dots(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        size_t n;

        at += at > path || *at == '/';
        n = strcspn(at, "/");
        if ((n == 1 && *at == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
            return 1;
    }
    return 0;
}

/* The path of the request; NULL with the reason given. */
static const char *
request_of(rhost_ctx *ctx, const rhost_value *p)
{
    const char *path = rhost_str(p, "path"), *mount = rhost_str(p, "mount"),
               *role = rhost_str(p, "role_mount");
    size_t n = mount ? strlen(mount) : strcspn(path, "/");
    int64_t version = rhost_int(p, "version", 0);

    if (has_dots(path) || (mount && has_dots(mount)) || (role && has_dots(role))) {
        (void)rhost_fail(ctx, "'.' and '..' cannot be parts of a path");
        return NULL;
    }
    if (mount && (strncmp(path, mount, n) != 0 || path[n] != '/')) {
        (void)rhost_fail(ctx, "the path '%s' must begin with the mount, '%s/'", path, mount);
        return NULL;
    }
    if (version && rhost_int(p, "kv", 2) == 1) {
        (void)rhost_fail(ctx, "'version' needs KV 2");
        return NULL;
    }
    mount = client_encode(ctx, rhost_copy(ctx, path, n));
    path = client_encode(ctx, path + n + 1);
    if (rhost_int(p, "kv", 2) == 1)
        return rhost_fmt(ctx, "%s/%s", mount, path);
    return version ? rhost_fmt(ctx, "%s/data/%s?version=%lld", mount, path, (long long)version)
                   : rhost_fmt(ctx, "%s/data/%s", mount, path);
}

static const struct tree *
hash_in(const struct tree *t, const char *key)
{
    const struct tree *found = t ? tree_child(t, key) : NULL;

    return found && found->kind == TREE_MAPPING ? found : NULL;
}

/* A secret that is not there, or whose version was deleted or destroyed: nil. What else a status of 404 means
 * has errors or warnings. */
static int32_t
judge_missing(const struct client *c, const char *path, const struct reply *reply, int64_t kv)
{
    const char *words = client_words(c, reply, "warnings");

    if (!reply->body)
        return rhost_fail(c->ctx, "'%s' answers as no Vault server does (status 404)", c->address);
    if (*words)
        return rhost_fail(c->ctx, "'%s' has nothing at '%s' (status 404): %s%s", c->address, path, words,
                          kv == 1 && strstr(words, "versioned") ? ": use 'kv: 2'" : "");
    return *client_words(c, reply, "errors") ? client_refuse(c, path, reply) : RHOST_ABSENT;
}

static int32_t
put_answer(const struct client *c, const rhost_value *p, const struct reply *reply, rhost_value *answer)
{
    const char *field = rhost_str(p, "field"), *path = rhost_str(p, "path");
    const struct tree *data = hash_in(reply->body, "data");

    if (rhost_int(p, "kv", 2) == 2) {
        if (data && !hash_in(data, "metadata"))
            return rhost_fail(c->ctx, "'%s' is not of KV 2: its answer has no metadata: use 'kv: 1'", path);
        data = hash_in(data, "data");
    }
    if (!data)
        return rhost_fail(c->ctx, "the answer of '%s' for '%s' has no data: it is not that of KV %d",
                          c->address, path, (int)rhost_int(p, "kv", 2));
    if (field) {
        data = tree_child(data, field);
        if (!data)
            return rhost_fail(c->ctx, "the secret '%s' has no field '%s'", path, field);
    }
    if (!tree_put(answer, "value", data))
        return rhost_fail(c->ctx, "the secret '%s' has a number that is too large", path);
    return 0;
}

static int32_t
ask(struct client *c, const rhost_value *p, rhost_value *answer)
{
    const char *path = request_of(c->ctx, p);
    struct reply reply;

    if (!path || login(c, p) < 0 || client_send(c, "GET", path, NULL, &reply) < 0)
        return -1;
    if (reply.status == 200)
        return put_answer(c, p, &reply, answer);
    path = rhost_str(p, "path");
    return reply.status == 404 ? judge_missing(c, path, &reply, rhost_int(p, "kv", 2))
                               : client_refuse(c, path, &reply);
}

static int32_t
find(rhost_ctx *ctx, const rhost_value *p, rhost_value *answer)
{
    POOL(pool, ctx);
    const char *address = rhost_str(p, "address");
    size_t n = strlen(address);
    struct client c = {
        .ctx = ctx,
        .pool = &pool,
        .address = rhost_copy(ctx, address, n - (address[n - 1] == '/')),
        .name_space = rhost_str(p, "namespace"),
        .ca = rhost_str(p, "ca"),
        .timeout = (long)rhost_int(p, "timeout", 30),
    };

    if (secret_would_be_seen(address))
        return rhost_fail(
            ctx,
            "'%s' would show the token to whoever is on the way: use 'https'; 'http' is for this "
            "machine alone",
            address);
    return ask(&c, p, answer);
}

static const char *const needs[] = {
    "network[tcp]",
    "network[udp]",
    "read[/etc/resolv.conf]",
    "read[/etc/hosts]",
    "read[/etc/host.conf]",
    "read[/etc/gai.conf]",
    "read[/etc/nsswitch.conf]",
    "read[/etc/ssl]",
    "read[/etc/pki]",
    "read[/usr/share/ca-certificates]",
    "read[/usr/local/share/ca-certificates]",
    "read[$ca]",
    "read[$token_file]",
    "read[$role_id_file]",
    "read[$secret_id_file]",
    NULL,
};

static const struct rhost_lookup vault = {
    .struct_size = sizeof vault,
    .attr_stride = sizeof parameters[0],
    .n_attrs = sizeof parameters / sizeof parameters[0],
    .attrs = parameters,
    .name = "vault",
    .desc = "A secret that a Vault server keeps.",
    .type = "Sensitive[Data]",
    .find = find,
    .needs = needs,
};

static const struct rhost_lookup *const lookups[] = { &vault, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(vault, "1.0", NULL, lookups, NULL)
