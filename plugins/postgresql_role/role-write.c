/* SPDX-License-Identifier: Apache-2.0 */
/* role-write - a role is created or changed in one transaction: it gets all that is wanted, or nothing. */

#include "role.h"

#include "verifier.h"

static const struct {
    const char *attribute, *word;
} flags[] = {
    { "login", "LOGIN" },           { "superuser", "SUPERUSER" }, { "createdb", "CREATEDB" },
    { "createrole", "CREATEROLE" }, { "inherit", "INHERIT" },     { "replication", "REPLICATION" },
    { "bypassrls", "BYPASSRLS" },
};

int
role_is_inclusive(const struct rhost_change *change)
{
    return strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") == 0;
}

/* What CREATE ROLE and ALTER ROLE say after the name, but for the password: only what differs, as who lacks a
 * right may not even confirm it. */
static const char *
options(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change)
{
    const rhost_value *should = change->should, *is = change->is;
    const char *text = "", *until = rhost_str(should, "valid_until");

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int wanted = rhost_bool(should, flags[i].attribute, -1);

        if (wanted >= 0 && (!is || wanted != rhost_bool(is, flags[i].attribute, -1)))
            text = rhost_fmt(ctx, "%s %s%s", text, wanted ? "" : "NO", flags[i].word);
    }
    if (rhost_has(should, "connection_limit"))
        text = rhost_fmt(ctx, "%s CONNECTION LIMIT %lld", text,
                         (long long)rhost_int(should, "connection_limit", -1));
    if (until) {
        until = pg_literal(ctx, pg, until);
        text = until ? rhost_fmt(ctx, "%s VALID UNTIL %s", text, until) : NULL;
    }
    return text;
}

/* A statement of its own, that the server does not log. It has no password, only what the server keeps of it.
 */
static int32_t
write_password(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change, const char *role)
{
    const char *password = rhost_str(change->should, "password"), *literal;

    if (!password || (change->is && rhost_has(change->is, "password")))
        return 0;
    if (!verifier_is(password))
        password = verifier_make(ctx, password);
    literal = password ? pg_literal(ctx, pg, password) : NULL;
    return !literal || pg_keep_from_log(ctx, pg) < 0
               ? -1
               : pg_run(ctx, pg, "password", rhost_fmt(ctx, "ALTER ROLE %s PASSWORD %s", role, literal));
}

/* Whether an array has the text of this element. */
static int
has(const rhost_value *array, const char *text)
{
    for (size_t i = 0; i < rhost_count(array); i++)
        if (strcmp(rhost_str_at(array, i), text) == 0)
            return 1;
    return 0;
}

/* GRANT (REVOKE) of each of `groups` that `other` does not have. */
static int32_t
write_each(rhost_ctx *ctx, struct pg *pg, const char *role, const rhost_value *groups,
           const rhost_value *other, int grant)
{
    for (size_t i = 0; i < rhost_count(groups); i++) {
        const char *group = rhost_str_at(groups, i), *quoted;

        if (has(other, group))
            continue;
        quoted = pg_name(ctx, pg, group);
        if (!quoted
            || pg_run(ctx, pg, "member_of",
                      rhost_fmt(ctx, "%s %s %s %s", grant ? "GRANT" : "REVOKE", quoted, grant ? "TO" : "FROM",
                                role))
                   < 0)
            return -1;
    }
    return 0;
}

static int32_t
write_memberships(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change, const char *role)
{
    const rhost_value *wanted = rhost_get(change->should, "member_of"),
                      *is = rhost_get(change->is, "member_of");

    if (!rhost_has(change->should, "member_of"))
        return 0;
    if (write_each(ctx, pg, role, wanted, is, 1) < 0)
        return -1;
    return role_is_inclusive(change) ? write_each(ctx, pg, role, is, wanted, 0) : 0;
}

/* A list is given by its elements; anything else as one text. */
static const char *
setting_value(rhost_ctx *ctx, struct pg *pg, const rhost_value *value)
{
    const char *text = "";

    if (value->host->kind(value) != RHOST_ARRAY)
        return pg_literal(ctx, pg, role_setting(ctx, value, 0));
    for (size_t i = 0; text && i < rhost_count(value); i++) {
        const char *one = pg_literal(ctx, pg, role_setting(ctx, rhost_at(value, i, NULL), 0));

        text = one ? rhost_fmt(ctx, "%s%s%s", text, i ? ", " : "", one) : NULL;
    }
    return text;
}

static int32_t
write_settings(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change, const char *role)
{
    const rhost_value *wanted = rhost_get(change->should, "settings"),
                      *is = rhost_get(change->is, "settings");

    if (!rhost_has(change->should, "settings"))
        return 0;
    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const char *key, *name, *text;
        const rhost_value *value = rhost_at(wanted, i, &key);

        if (role_setting_is(ctx, value, rhost_str(is, key)))
            continue;
        name = pg_name(ctx, pg, key);
        text = name ? setting_value(ctx, pg, value) : NULL;
        if (!text
            || pg_run(ctx, pg, rhost_fmt(ctx, "settings.%s", key),
                      rhost_fmt(ctx, "ALTER ROLE %s SET %s TO %s", role, name, text))
                   < 0)
            return -1;
    }
    for (size_t i = 0; role_is_inclusive(change) && i < rhost_count(is); i++) {
        const char *key, *name;

        (void)rhost_at(is, i, &key);
        if (rhost_has(wanted, key))
            continue;
        name = pg_name(ctx, pg, key);
        if (!name || pg_run(ctx, pg, "settings", rhost_fmt(ctx, "ALTER ROLE %s RESET %s", role, name)) < 0)
            return -1;
    }
    return 0;
}

static int32_t
write_all(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change)
{
    const char *role = pg_name(ctx, pg, rhost_str(change->name, "name"));
    const char *rest = role ? options(ctx, pg, change) : NULL;

    if (!rest)
        return -1;
    if ((!change->is || *rest)
        && pg_run(ctx, pg, NULL, rhost_fmt(ctx, "%s ROLE %s%s", change->is ? "ALTER" : "CREATE", role, rest))
               < 0)
        return -1;
    return write_password(ctx, pg, change, role) < 0 || write_memberships(ctx, pg, change, role) < 0
                   || write_settings(ctx, pg, change, role) < 0
               ? -1
               : 0;
}

int32_t
role_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pg *pg = pg_open_login(ctx, change->name, change->should);

    return !pg || pg_begin(ctx, pg) < 0 ? -1 : pg_end(ctx, pg, write_all(ctx, pg, change));
}

int32_t
role_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return role_create(ctx, change);
}

/* The server refuses to drop what objects depend on, and would drop a role whose sessions go on. */
static int32_t
drop_unused(rhost_ctx *ctx, struct pg *pg, const char *name)
{
    const char *role = pg_name(ctx, pg, name);
    pg_autoresult PGresult *rows =
        role ? pg_query(ctx, pg, NULL,
                        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity WHERE usename = $1::text"
                        " AND pid <> pg_catalog.pg_backend_pid()",
                        1, &name)
             : NULL;

    if (!rows)
        return -1;
    if (strcmp(PQgetvalue(rows, 0, 0), "0") != 0)
        return rhost_fail(ctx, "role '%s' is in use: sessions of it: %s", name, PQgetvalue(rows, 0, 0));
    return pg_run(ctx, pg, NULL, rhost_fmt(ctx, "DROP ROLE %s", role));
}

int32_t
role_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pg *pg = pg_open_login(ctx, change->name, change->should);

    return !pg || pg_begin(ctx, pg) < 0
               ? -1
               : pg_end(ctx, pg, drop_unused(ctx, pg, rhost_str(change->name, "name")));
}
