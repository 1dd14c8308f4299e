/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql_role - keep roles of PostgreSQL servers. */

#include "role.h"

#include <stdlib.h>

#define FLAG "Optional[Boolean]"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = PG_NAME, .behaviour = RHOST_NAMEVAR, .desc = "The role." },
    PG_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the role should exist." },
    { .name = "login", .type = FLAG, .desc = "Whether it may log in." },
    { .name = "password",
      .type = "Optional[Sensitive[Pattern[/\\A[ -~]{1,1000}\\z/]]]",
      .desc = "Its password in ASCII, or what the server keeps of it: SCRAM-SHA-256$..." },
    { .name = "valid_until",
      .type = "Optional[Pattern[/"
              "\\A([0-9]{4,6}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?|-?infinity)\\z/]]",
      .desc = "When the password expires, in UTC: a day, or 2030-12-31T23:59:59Z; infinity: never." },
    { .name = "connection_limit",
      .type = "Optional[Integer[-1, 2147483647]]",
      .desc = "How many connections it may have at once; -1: any number." },
    { .name = "superuser", .type = FLAG, .desc = "Whether no permission is checked for it." },
    { .name = "createdb", .type = FLAG, .desc = "Whether it may create databases." },
    { .name = "createrole", .type = FLAG, .desc = "Whether it may create roles." },
    { .name = "inherit",
      .type = FLAG,
      .desc = "Whether it has the privileges of roles that it is a member of." },
    { .name = "replication", .type = FLAG, .desc = "Whether it may replicate and back up the server." },
    { .name = "bypassrls", .type = FLAG, .desc = "Whether policies of row security do not apply to it." },
    { .name = "member_of",
      .type = "Optional[Array[" PG_NAME "]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Roles that it is a member of." },
    { .name = "settings",
      .type = "Optional[Hash[Pattern[/\\A[a-z_][a-z0-9_]*(\\.[a-z_][a-z0-9_]*)?\\z/],"
              " Variant[String, Integer, Boolean, Array[String[1], 1]]]]",
      .desc = "Settings of its sessions, such as work_mem." },
    { .name = "membership",
      .type = "Enum[minimum, inclusive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"minimum\"",
      .desc = "Whether it may have other memberships and settings as well (minimum) or not (inclusive)." },
    PG_LOGIN_ATTRS,
    PG_LOGIN_DATABASE_ATTR,
};

static const char *const titles[] = { "\\A" PG_TITLE_SERVER "(?<name>[^\\n]+)\\z", NULL };

static const char *const relations[] = {
    PG_RELATIONS,
    "autorequire postgresql_role[{" PG_SAME "name: $member_of}]",
    "loses the password",
    "restores with membership=inclusive",
    NULL,
};

static const char *const needs[] = { PG_NEEDS, NULL };

static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *until = rhost_str(resource, "valid_until");

    pg_canonicalize(ctx, resource);
    if (until && *until && !strchr(until, 'T') && !strstr(until, "infinity") && strlen(until) <= 12)
        rhost_put_fmt(resource, "valid_until", "%sT00:00:00Z", until);
    return 0;
}

/* "2030-02-31T00:00:00Z" is no time. */
static int
is_time(const char *text)
{
    static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    char *at;
    long year = strtol(text, &at, 10), part[5];

    for (int i = 0; i < 5; i++) {
        if (!*at)
            return 0;
        part[i] = strtol(at + 1, &at, 10);
    }
    return part[0] >= 1 && part[0] <= 12 && part[1] >= 1 && part[1] <= days[part[0] - 1]
           && (part[0] != 2 || part[1] < 29 || (year % 4 == 0 && (year % 100 || year % 400 == 0)))
           && part[2] < 24 && part[3] < 60 && part[4] < 60 && year > 0 && year < 290000;
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *name = rhost_str_or(resource, "name", ""), *until = rhost_str(resource, "valid_until");
    const rhost_value *groups = rhost_get(resource, "member_of");

    if (pg_validate(ctx, resource) < 0 || pg_validate_name(ctx, resource, "name") < 0)
        return -1;
    if (strncmp(name, "pg_", 3) == 0 || strcmp(name, "public") == 0 || strcmp(name, "none") == 0)
        return rhost_fail_attr(ctx, "name", "PostgreSQL reserves the name '%s'", name);
    if (until && strchr(until, 'T') && !is_time(until))
        return rhost_fail_attr(ctx, "valid_until", "'%s' is not a valid time", until);
    for (size_t i = 0; i < rhost_count(groups); i++)
        if (strlen(rhost_str_at(groups, i)) > 63 || strcmp(rhost_str_at(groups, i), name) == 0)
            return rhost_fail_attr(ctx, "member_of", "a role cannot be a member of '%s'",
                                   rhost_str_at(groups, i));
    return 0;
}

/* In words, which are missing: from -> to would look as if the others were to go. */
static int32_t
compare_memberships(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "member_of"),
                      *is = rhost_get(change->is, "member_of");
    const char *missing = "";

    if (role_is_inclusive(change))
        return RHOST_DEFAULT_COMPARISON;
    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const char *group = rhost_str_at(wanted, i);
        size_t k = 0;

        while (k < rhost_count(is) && strcmp(rhost_str_at(is, k), group) != 0)
            k++;
        if (k == rhost_count(is))
            missing = rhost_fmt(ctx, "%s%s'%s'", missing, *missing ? ", " : "", group);
    }
    return *missing ? rhost_differs(ctx, "not a member of %s", missing) : 0;
}

static int32_t
compare_settings(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "settings"),
                      *is = rhost_get(change->is, "settings");
    const char *differ = "", *key;

    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const rhost_value *value = rhost_at(wanted, i, &key);

        if (!role_setting_is(ctx, value, rhost_str(is, key)))
            differ =
                rhost_fmt(ctx, "%s%s%s: %s", differ, *differ ? ", " : "", key, role_setting(ctx, value, 0));
    }
    for (size_t i = 0; role_is_inclusive(change) && i < rhost_count(is); i++) {
        (void)rhost_at(is, i, &key);
        if (!rhost_has(wanted, key))
            differ = rhost_fmt(ctx, "%s%s%s is set", differ, *differ ? ", " : "", key);
    }
    return *differ ? rhost_differs(ctx, "%s", differ) : 0;
}

static int32_t
insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (!change->is)
        return RHOST_DEFAULT_COMPARISON;
    if (strcmp(attribute, "password") == 0)
        return rhost_has(change->is, "password") ? 0 : rhost_differs(ctx, "it is another one");
    if (strcmp(attribute, "member_of") == 0)
        return compare_memberships(ctx, change);
    if (strcmp(attribute, "settings") == 0)
        return compare_settings(ctx, change);
    return RHOST_DEFAULT_COMPARISON;
}

static const struct rhost_provider postgresql_role_provider = {
    RHOST_PROVIDER("postgresql_role", "Keep roles of PostgreSQL servers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .insync = insync,
    .load = role_load,
    .get = role_get,
    .create = role_create,
    .update = role_update,
    .remove = role_remove,
    .needs = needs,
};

RHOST_PLUGIN(postgresql_role, "1.0", &postgresql_role_provider)
