/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql_grant - keep the privileges that roles have on objects of PostgreSQL databases. What a role has
 * is read from the access control lists, and only what differs is granted or revoked. */

#include "grant.h"

#define PRIVILEGE                                                                                            \
    "Enum['ALL', 'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'USAGE',"      \
    " 'CREATE', 'CONNECT', 'TEMPORARY', 'EXECUTE', 'MAINTAIN']"

static const struct rhost_attr attrs[] = {
    { .name = "role",
      .type = PG_NAME,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Who has the privileges; public: all roles." },
    { .name = "database",
      .type = PG_NAME,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The database of the object." },
    { .name = "kind",
      .type = "Enum[database, schema, table, sequence, function, all_tables]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What the object is; all_tables: all tables and views of a schema." },
    { .name = "object",
      .type = "Pattern[/\\A[^\\x00-\\x1f\\x7f]{0,1000}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "The object, with its schema (otherwise public); a function with the types of its arguments." },
    PG_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the role should have privileges; absent: it has none." },
    { .name = "privileges",
      .type = "Optional[Array[" PRIVILEGE "]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "The privileges; ALL: all that the kind of object has." },
    { .name = "grant_option",
      .type = "Optional[Boolean]",
      .desc = "Whether the role may grant these privileges to others." },
    { .name = "membership",
      .type = "Enum[minimum, inclusive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"minimum\"",
      .desc = "Whether it may have other privileges on the object as well (minimum) or not (inclusive)." },
    { .name = "grantable",
      .type = "Array[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Privileges that it may grant to others." },
    { .name = "partly",
      .type = "Array[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Privileges that it has on some of the tables only." },
    PG_LOGIN_ATTRS,
};

static const char *const titles[] = {
    "\\A" PG_TITLE_SERVER "(?<role>[^:\\n]+): (?<database>[^:\\n]+): "
    "(?<kind>database|schema|table|sequence|function|all_tables)( (?<object>[^\\n]+))?\\z",
    NULL
};

static const char *const relations[] = {
    PG_RELATIONS,
    "autorequire postgresql_role[{" PG_SAME "name: $role}]",
    "autorequire postgresql_database[{" PG_SAME "name: $database}]",
    "restores with membership=inclusive",
    NULL,
};

static const char *const needs[] = { PG_NEEDS, NULL };

int
grant_has(const rhost_value *array, const char *text)
{
    for (size_t i = 0; i < rhost_count(array); i++)
        if (strcmp(rhost_str_at(array, i), text) == 0)
            return 1;
    return 0;
}

int
grant_is_public(const char *role)
{
    return strcmp(role, "public") == 0;
}

static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *kind = rhost_str_or(resource, "kind", ""), *object = rhost_str(resource, "object");
    const char *const *all = object_privileges(kind);

    pg_canonicalize(ctx, resource);
    object = object ? object_canonical(ctx, kind, object) : NULL;
    if (object)
        rhost_put_str(resource, "object", object);
    if (all && grant_has(rhost_get(resource, "privileges"), "ALL")) {
        rhost_value *privileges = resource->host->put_array(resource, "privileges");

        while (*all)
            rhost_put_str(privileges, NULL, *all++);
    }
    return 0;
}

static int32_t
validate_privileges(rhost_ctx *ctx, const rhost_value *resource, const char *kind)
{
    const rhost_value *wanted = rhost_get(resource, "privileges");
    const char *const *all = object_privileges(kind);
    int table = strcmp(kind, "table") == 0 || strcmp(kind, "all_tables") == 0;

    if (!rhost_count(wanted))
        return rhost_fail_attr(ctx, "privileges", "'privileges' is required; 'ensure: absent' revokes all");
    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const char *one = rhost_str_at(wanted, i);
        int found = table && strcmp(one, "MAINTAIN") == 0;

        for (size_t k = 0; all[k]; k++)
            found |= strcmp(all[k], one) == 0;
        if (!found)
            return rhost_fail_attr(ctx, "privileges", "a %s has no privilege '%s'", table ? "table" : kind,
                                   one);
    }
    return 0;
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *kind = rhost_str(resource, "kind"), *object = rhost_str_or(resource, "object", "");

    if (pg_validate(ctx, resource) < 0 || pg_validate_name(ctx, resource, "role") < 0
        || pg_validate_name(ctx, resource, "database") < 0)
        return -1;
    if (!kind || !object_privileges(kind))
        return 0;
    if (strcmp(kind, "database") == 0 && *object)
        return rhost_fail_attr(ctx, "object", "with 'kind: database' the object is the database itself");
    if (strcmp(kind, "database") != 0 && !*object)
        return rhost_fail_attr(ctx, "object", "'object' is required with 'kind: %s'", kind);
    if (strcmp(kind, "function") == 0 && (!strchr(object, '(') || object[strlen(object) - 1] != ')'))
        return rhost_fail_attr(ctx, "object",
                               "'%s' lacks the types of its arguments: 'public.f(integer, text)'", object);
    if (rhost_bool(resource, "grant_option", 0) && grant_is_public(rhost_str_or(resource, "role", "")))
        return rhost_fail_attr(ctx, "grant_option", "PostgreSQL has no grant option for 'public'");
    return validate_privileges(ctx, resource, kind);
}

static int
is_inclusive(const struct rhost_change *change)
{
    return strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") == 0;
}

/* Elements of `a` that `b` does not have, separated by commas. */
static const char *
without(rhost_ctx *ctx, const rhost_value *a, const rhost_value *b)
{
    const char *text = "";

    for (size_t i = 0; i < rhost_count(a); i++)
        if (!grant_has(b, rhost_str_at(a, i)) && !strchr(rhost_str_at(a, i), ' '))
            text = rhost_fmt(ctx, "%s%s%s", text, *text ? ", " : "", rhost_str_at(a, i));
    return text;
}

static const char *
joined(rhost_ctx *ctx, const char *a, const char *b)
{
    return *a && *b ? rhost_fmt(ctx, "%s, %s", a, b) : *a ? a : b;
}

/* Those of `wanted` that somebody may grant further, on one of the objects at least. */
static const char *
still_grantable(rhost_ctx *ctx, const struct rhost_change *change, const rhost_value *wanted)
{
    const rhost_value *grantable = rhost_get(change->is, "grantable"),
                      *partly = rhost_get(change->is, "partly");
    const char *text = "";

    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const char *one = rhost_str_at(wanted, i);

        if (grant_has(grantable, one) || grant_has(partly, rhost_fmt(ctx, "%s" GRANT_WITH_OPTION, one)))
            text = joined(ctx, text, one);
    }
    return text;
}

static int32_t
insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, "privileges"),
                      *is = rhost_get(change->is, "privileges");
    const char *lacking, *extra, *differ;

    if (!change->is)
        return RHOST_DEFAULT_COMPARISON;
    if (strcmp(attribute, "privileges") == 0) {
        lacking = without(ctx, wanted, is);
        extra = is_inclusive(change) ? joined(ctx, without(ctx, is, wanted),
                                              without(ctx, rhost_get(change->is, "partly"), wanted))
                                     : "";
        if (!*lacking && !*extra)
            return 0;
        return rhost_differs(ctx, "%s%s%s%s%s", *lacking ? "lacks " : "", lacking,
                             *lacking && *extra ? "; " : "", *extra ? "has " : "", extra);
    }
    if (strcmp(attribute, "grant_option") == 0 && rhost_count(wanted)) {
        differ = rhost_bool(change->should, "grant_option", 0)
                     ? without(ctx, wanted, rhost_get(change->is, "grantable"))
                     : still_grantable(ctx, change, wanted);
        return *differ
                   ? rhost_differs(ctx, "%s of %s",
                                   rhost_bool(change->should, "grant_option", 0) ? "lacks that" : "has that",
                                   differ)
                   : 0;
    }
    return RHOST_DEFAULT_COMPARISON;
}

static int32_t
write_all(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "privileges"),
                      *is = rhost_get(change->is, "privileges");
    const char *target = object_target(ctx, pg, change->name), *role = rhost_str(change->name, "role");
    int option = rhost_bool(change->should, "grant_option", -1);
    const char *grant, *extra, *keep;

    role = !target ? NULL : grant_is_public(role) ? "PUBLIC" : pg_name(ctx, pg, role);
    if (!role)
        return -1;
    grant = without(ctx, wanted, option > 0 ? rhost_get(change->is, "grantable") : is);
    if (*grant
        && pg_run(ctx, pg, "privileges",
                  rhost_fmt(ctx, "GRANT %s ON %s TO %s%s", grant, target, role,
                            option > 0 ? GRANT_WITH_OPTION : ""))
               < 0)
        return -1;
    keep = option == 0 ? still_grantable(ctx, change, wanted) : "";
    if (*keep
        && pg_run(ctx, pg, "grant_option",
                  rhost_fmt(ctx, "REVOKE GRANT OPTION FOR %s ON %s FROM %s", keep, target, role))
               < 0)
        return -1;
    extra = is_inclusive(change)
                ? joined(ctx, without(ctx, is, wanted), without(ctx, rhost_get(change->is, "partly"), wanted))
                : "";
    return *extra
               ? pg_run(ctx, pg, "privileges", rhost_fmt(ctx, "REVOKE %s ON %s FROM %s", extra, target, role))
               : 0;
}

static int32_t
write_grant(rhost_ctx *ctx, const struct rhost_change *change)
{
    pg_autoclose struct pg *pg =
        pg_connect(ctx, change->name, change->should, rhost_str(change->name, "database"));

    return !pg || pg_begin(ctx, pg) < 0 ? -1 : pg_end(ctx, pg, write_all(ctx, pg, change));
}

static int32_t
revoke_all(rhost_ctx *ctx, const struct rhost_change *change)
{
    pg_autoclose struct pg *pg =
        pg_connect(ctx, change->name, change->should, rhost_str(change->name, "database"));
    const char *target = pg ? object_target(ctx, pg, change->name) : NULL,
               *role = rhost_str(change->name, "role");

    role = !target ? NULL : grant_is_public(role) ? "PUBLIC" : pg_name(ctx, pg, role);
    return role ? pg_run(ctx, pg, NULL, rhost_fmt(ctx, "REVOKE ALL PRIVILEGES ON %s FROM %s", target, role))
                : -1;
}

static const struct rhost_provider postgresql_grant_provider = {
    RHOST_PROVIDER("postgresql_grant", "Keep privileges of roles on objects of PostgreSQL databases."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .insync = insync,
    .load = grant_load,
    .get = grant_get,
    .create = write_grant,
    .update = write_grant,
    .remove = revoke_all,
    .needs = needs,
};

RHOST_PLUGIN(postgresql_grant, "1.0", &postgresql_grant_provider)
