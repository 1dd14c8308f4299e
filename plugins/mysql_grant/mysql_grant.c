/* SPDX-License-Identifier: Apache-2.0 */
/* mysql_grant - keep the privileges that accounts have on levels of MariaDB and MySQL servers. */

#include "grant.h"

#define PART(n) "Pattern[/\\A[^\\x00-\\x1f\\x7f]{0," n "}\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "user",
      .type = ACCOUNT_NAME,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The account that has the privileges: app@localhost; app is app@%." },
    { .name = "kind",
      .type = "Enum[global, database, databases, table, column, function, procedure]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What they are on; global: the server; databases: all that a pattern matches." },
    { .name = "database",
      .type = PART("64"),
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc =
          "The database; with databases a pattern, in which _ and % are wildcards and \\ takes that away." },
    { .name = "object",
      .type = PART("64"),
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "The table (or view), function or procedure." },
    { .name = "column",
      .type = PART("64"),
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "The column of the table." },
    SQL_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the account should have privileges on it; absent: it has none." },
    { .name = "privileges",
      .type = "Optional[Array[Pattern[/\\A[A-Za-z][A-Za-z_ ]{1,62}[A-Za-z]\\z/]]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "The privileges, such as SELECT; ALL: all that there are; none: only the grant option." },
    { .name = "grant_option",
      .type = "Optional[Boolean]",
      .desc = "Whether the account may grant what it has there to others." },
    { .name = "membership",
      .type = "Enum[minimum, inclusive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"minimum\"",
      .desc = "Whether it may have other privileges there as well (minimum) or not (inclusive)." },
    { .name = "lacking",
      .type = "Array[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Privileges that there are, and that it does not have." },
    SQL_LOGIN_ATTRS,
};

#define USER "\\A" SQL_TITLE_SERVER "(?<user>[^\\n]+?): "

static const char *const titles[] = {
    USER "(?<kind>global)\\z", USER "(?<kind>databases?) (?<database>[^\\n]+)\\z",
    USER "(?<kind>table|function|procedure) (?<database>[^.\\n]+)\\.(?<object>[^\\n]+)\\z",
    USER "(?<kind>column) (?<database>[^.\\n]+)\\.(?<object>[^.\\n]+)\\.(?<column>[^\\n]+)\\z", NULL
};

static const char *const relations[] = {
    SQL_RELATIONS,
    "autorequire mysql_user[{" SQL_SAME "name: $user}]",
    "autorequire mysql_database[{" SQL_SAME "name: $database}]",
    "restores with membership=inclusive",
    NULL,
};

static const char *const needs[] = { SQL_NEEDS, NULL };

int
grant_has(const rhost_value *array, const char *text)
{
    for (size_t i = 0; i < rhost_count(array); i++)
        if (strcmp(rhost_str_at(array, i), text) == 0)
            return 1;
    return 0;
}

const char *
grant_without(rhost_ctx *ctx, const rhost_value *a, const rhost_value *b, const char *suffix)
{
    const char *text = "";

    for (size_t i = 0; i < rhost_count(a); i++)
        if (!grant_has(b, rhost_str_at(a, i)))
            text = rhost_fmt(ctx, "%s%s%s%s", text, *text ? ", " : "", rhost_str_at(a, i), suffix);
    return text;
}

int
grant_is_inclusive(const struct rhost_change *change)
{
    return strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") == 0;
}

static int
is_routine(const char *kind)
{
    return strcmp(kind, "function") == 0 || strcmp(kind, "procedure") == 0;
}

/* Privileges in capital letters; ALL stands alone. */
static void
canonicalize_privileges(rhost_ctx *ctx, rhost_value *resource, const char *kind)
{
    const rhost_value *given = rhost_get(resource, "privileges");
    size_t n = rhost_count(given);
    const char **names = rhost_alloc(ctx, (n + 1) * sizeof *names);
    rhost_value *privileges;
    int all = 0;

    if (!given)
        return;
    for (size_t i = 0; i < n; i++) {
        names[i] = sql_upper(ctx, rhost_str_at(given, i));
        all |= strcmp(names[i], "ALL") == 0 || strcmp(names[i], "ALL PRIVILEGES") == 0;
    }
    privileges = resource->host->put_array(resource, "privileges");
    if (all && strcmp(kind, "column") == 0)
        for (const char *const *one = level_privileges(kind); *one; one++)
            rhost_put_str(privileges, NULL, *one);
    else if (all)
        rhost_put_str(privileges, NULL, "ALL");
    for (size_t i = 0; !all && i < n; i++)
        rhost_put_str(privileges, NULL, names[i]);
}

/* The server compares names of routines without regard to case. */
static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *kind = rhost_str_or(resource, "kind", ""), *object = rhost_str(resource, "object");

    sql_canonicalize(ctx, resource);
    account_canonicalize(ctx, resource, "user");
    if (object && is_routine(kind))
        rhost_put_str(resource, "object", sql_lower(ctx, object));
    canonicalize_privileges(ctx, resource, kind);
    return 0;
}

/* None are for a level that has only the grant option, which an undo may not state. */
static int
may_be_empty(const rhost_value *resource)
{
    return rhost_bool(resource, "grant_option",
                      strcmp(rhost_str_or(resource, "membership", ""), "inclusive") == 0);
}

static int32_t
validate_privileges(rhost_ctx *ctx, const rhost_value *resource, const char *kind)
{
    const rhost_value *wanted = rhost_get(resource, "privileges");
    const char *const *all = level_privileges(kind);

    if (!rhost_count(wanted) && !(wanted && may_be_empty(resource)))
        return rhost_fail_attr(ctx, "privileges", "'privileges' is required; 'ensure: absent' revokes all");
    if (grant_has(wanted, "GRANT OPTION"))
        return rhost_fail_attr(ctx, "privileges", "'GRANT OPTION' is the attribute 'grant_option'");
    if (grant_has(wanted, "USAGE") || grant_has(wanted, "PROXY"))
        return rhost_fail_attr(ctx, "privileges", "'%s' cannot be stated here",
                               grant_has(wanted, "USAGE") ? "USAGE" : "PROXY");
    for (size_t i = 0; all && i < rhost_count(wanted); i++) {
        const char *one = rhost_str_at(wanted, i);
        size_t k = 0;

        while (all[k] && strcmp(all[k], one) != 0)
            k++;
        if (!all[k] && strcmp(one, "ALL") != 0)
            return rhost_fail_attr(ctx, "privileges", "a %s has no privilege '%s'",
                                   strcmp(kind, "databases") == 0 ? "database" : kind, one);
    }
    return 0;
}

/* Which parts of the name the kind has. */
static int32_t
validate_parts(rhost_ctx *ctx, const rhost_value *resource, const char *kind)
{
    static const char *const parts[] = { "database", "object", "column" };
    const char *database = rhost_str_or(resource, "database", "");
    size_t n = strcmp(kind, "global") == 0         ? 0
               : strncmp(kind, "database", 8) == 0 ? 1
               : strcmp(kind, "column") == 0       ? 3
                                                   : 2;

    for (size_t i = 0; i < 3; i++) {
        int has = *rhost_str_or(resource, parts[i], "") != '\0';

        if (i < n && !has)
            return rhost_fail_attr(ctx, parts[i], "'%s' is required with 'kind: %s'", parts[i], kind);
        if (i >= n && has)
            return rhost_fail_attr(ctx, parts[i], "'%s' does not go with 'kind: %s'", parts[i], kind);
    }
    if (strcmp(kind, "databases") == 0 && level_unescape(ctx, database))
        return rhost_fail_attr(ctx, "database",
                               "the pattern '%s' has no wildcard: use 'kind: database' with '%s'", database,
                               level_unescape(ctx, database));
    return 0;
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *kind = rhost_str(resource, "kind");

    if (sql_validate(ctx, resource) < 0 || account_validate(ctx, resource, "user") < 0)
        return -1;
    if (!level_is_kind(kind))
        return 0;
    if (validate_parts(ctx, resource, kind) < 0)
        return -1;
    if (strcmp(kind, "column") == 0 && rhost_has(resource, "grant_option"))
        return rhost_fail_attr(ctx, "grant_option", "the grant option is on the table, not on a column");
    return validate_privileges(ctx, resource, kind);
}

static int32_t
insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, "privileges"),
                      *is = rhost_get(change->is, "privileges");
    int all = grant_has(wanted, "ALL");
    const char *lacking, *extra;

    if (!change->is || strcmp(attribute, "privileges") != 0)
        return RHOST_DEFAULT_COMPARISON;
    lacking = all ? grant_without(ctx, rhost_get(change->is, "lacking"), NULL, "")
                  : grant_without(ctx, wanted, is, "");
    extra = grant_is_inclusive(change) && !all ? grant_without(ctx, is, wanted, "") : "";
    if (!*lacking && !*extra)
        return 0;
    return rhost_differs(ctx, "%s%s%s%s%s", *lacking ? "lacks " : "", lacking, *lacking && *extra ? "; " : "",
                         *extra ? "has " : "", extra);
}

static const struct rhost_provider mysql_grant_provider = {
    RHOST_PROVIDER("mysql_grant", "Keep privileges of accounts of MariaDB and MySQL servers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .insync = insync,
    .load = grant_load,
    .get = grant_get,
    .create = grant_write,
    .update = grant_write,
    .remove = grant_revoke,
    .needs = needs,
};

RHOST_PLUGIN(mysql_grant, "1.0", &mysql_grant_provider)
