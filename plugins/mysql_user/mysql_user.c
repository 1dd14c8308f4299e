/* SPDX-License-Identifier: Apache-2.0 */
/* mysql_user - keep accounts of MariaDB and MySQL servers. */

#include "user.h"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = ACCOUNT_NAME,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The account, with the hosts that it connects from: app@localhost; app is app@%." },
    SQL_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the account should exist." },
    { .name = "password",
      .type = "Optional[Sensitive[Pattern[/\\A[ -~]{1,1000}\\z/]]]",
      .desc = "Its password in ASCII, or what the server keeps of it." },
    { .name = "plugins",
      .type = "Optional[Array[Pattern[/\\A[a-z][a-z0-9_]{0,63}\\z/], 1, 6]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "The ways to authenticate, each of which is enough, such as unix_socket." },
    { .name = "locked", .type = "Optional[Boolean]", .desc = "Whether nobody may log in with it." },
    { .name = "tls",
      .type = "Optional[Enum[none, any, x509]]",
      .desc = "What its connections must have: TLS (any), or a certificate of the client as well (x509)." },
    { .name = "connection_limit",
      .type = "Optional[Integer[0, 2147483647]]",
      .desc = "How many connections it may have at once; 0: as many as the server allows." },
    SQL_LOGIN_ATTRS,
};

static const char *const titles[] = { "\\A" SQL_TITLE_SERVER "(?<name>[^\\n]+)\\z", NULL };

static const char *const relations[] = {
    SQL_RELATIONS,
    "loses the password and the privileges",
    "loses the former password if $password",
    "loses the passwords of former plugins if $plugins",
    NULL,
};

static const char *const needs[] = { SQL_NEEDS, NULL };

static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    sql_canonicalize(ctx, resource);
    account_canonicalize(ctx, resource, "name");
    return 0;
}

/* A password is for one of the plugins that are stated. */
static int32_t
validate_password(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *plugins = rhost_get(resource, "plugins");
    const char *password = rhost_str(resource, "password"), *kept = NULL;

    if (!password || !rhost_count(plugins))
        return 0;
    for (size_t i = 0; i < rhost_count(plugins); i++) {
        const char *plugin = rhost_str_at(plugins, i);

        if (auth_has_password(plugin) && auth_takes(plugin, password))
            return 0;
        if (auth_has_password(plugin))
            kept = plugin;
    }
    if (kept)
        return rhost_fail_attr(ctx, "password",
                               "with '%s', 'password' is what the server keeps: authentication_string of"
                               " mysql.user",
                               kept);
    return rhost_fail_attr(ctx, "plugins", "none of these authenticates by a password");
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *name = rhost_str_or(resource, "name", "");
    const rhost_value *plugins = rhost_get(resource, "plugins");

    if (sql_validate(ctx, resource) < 0 || account_validate(ctx, resource, "name") < 0)
        return -1;
    if (account_is_reserved(account_user(ctx, name)))
        return rhost_fail_attr(ctx, "name", "the server needs the account '%s' for itself", name);
    for (size_t i = 0; i < rhost_count(plugins); i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(rhost_str_at(plugins, i), rhost_str_at(plugins, k)) == 0)
                return rhost_fail_attr(ctx, "plugins", "duplicate plugin '%s'", rhost_str_at(plugins, i));
    return validate_password(ctx, resource);
}

static int32_t
insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (change->is && strcmp(attribute, "password") == 0)
        return rhost_has(change->is, "password") ? 0 : rhost_differs(ctx, "it is another one");
    return RHOST_DEFAULT_COMPARISON;
}

static const struct rhost_provider mysql_user_provider = {
    RHOST_PROVIDER("mysql_user", "Keep accounts of MariaDB and MySQL servers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .insync = insync,
    .load = user_load,
    .get = user_get,
    .create = user_create,
    .update = user_update,
    .remove = user_remove,
    .needs = needs,
};

RHOST_PLUGIN(mysql_user, "1.0", &mysql_user_provider)
