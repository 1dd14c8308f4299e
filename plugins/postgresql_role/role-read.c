/* SPDX-License-Identifier: Apache-2.0 */
/* role-read - roles as the server has them. */

#include "role.h"

#include "verifier.h"

#include <stdlib.h>

#define ROLES                                                                                                \
    "SELECT r.rolname, r.oid, r.rolcanlogin, r.rolsuper, r.rolcreatedb, r.rolcreaterole, r.rolinherit,"      \
    " r.rolreplication, r.rolbypassrls, r.rolconnlimit,"                                                     \
    " CASE WHEN r.rolvaliduntil IS NULL THEN 'infinity' WHEN pg_catalog.isfinite(r.rolvaliduntil) THEN"      \
    " pg_catalog.to_char(r.rolvaliduntil AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"              \
    " ELSE r.rolvaliduntil::text END FROM pg_catalog.pg_roles r "

static const char *const flags[] = { "login",   "superuser",   "createdb", "createrole",
                                     "inherit", "replication", "bypassrls" };

enum { FIRST_FLAG = 2, N_FLAGS = sizeof flags / sizeof *flags, LIMIT = FIRST_FLAG + N_FLAGS, UNTIL };

const char *
role_setting(rhost_ctx *ctx, const rhost_value *value, int quoted)
{
    int32_t kind = value->host->kind(value);
    const char *text = value->host->string(value, NULL);
    char *copy, *to;

    if (kind == RHOST_ARRAY) {
        text = "";
        for (size_t i = 0; i < rhost_count(value); i++)
            text = rhost_fmt(ctx, "%s%s%s", text, i ? ", " : "",
                             role_setting(ctx, rhost_at(value, i, NULL), quoted));
        return text;
    }
    if (kind == RHOST_BOOLEAN)
        text = value->host->boolean(value, 0) ? "on" : "off";
    else if (kind == RHOST_INTEGER)
        text = rhost_fmt(ctx, "%lld", (long long)value->host->integer(value, 0));
    else if (!text)
        text = "";
    if (!quoted || (*text && strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(text)))
        return text;
    copy = to = rhost_alloc(ctx, 2 * strlen(text) + 3);
    *to++ = '"';
    for (; *text; text++) {
        if (*text == '"')
            *to++ = '"';
        *to++ = *text;
    }
    *to = '"';
    return copy;
}

int
role_setting_is(rhost_ctx *ctx, const rhost_value *wanted, const char *is)
{
    return is
           && (strcmp(role_setting(ctx, wanted, 0), is) == 0
               || strcmp(role_setting(ctx, wanted, 1), is) == 0);
}

/* Roles that it is a member of, and its settings for all databases. */
static int32_t
report_rest(rhost_ctx *ctx, struct pg *pg, const char *oid, rhost_value *current)
{
    rhost_value *groups = current->host->put_array(current, "member_of");
    rhost_value *settings = current->host->put_hash(current, "settings");
    pg_autoresult PGresult *members =
        pg_query(ctx, pg, NULL,
                 "SELECT DISTINCT g.rolname FROM pg_catalog.pg_auth_members m"
                 " JOIN pg_catalog.pg_roles g ON g.oid = m.roleid WHERE m.member = $1::oid ORDER BY 1",
                 1, &oid);
    pg_autoresult PGresult *set =
        members ? pg_query(
            ctx, pg, NULL,
            "SELECT pg_catalog.split_part(s, '=', 1), pg_catalog.substr(s, pg_catalog.strpos(s, '=') + 1)"
            " FROM pg_catalog.pg_db_role_setting, pg_catalog.unnest(setconfig) s"
            " WHERE setrole = $1::oid AND setdatabase = 0 ORDER BY 1",
            1, &oid)
                : NULL;

    if (!set)
        return -1;
    for (int i = 0; i < PQntuples(members); i++)
        rhost_put_str(groups, NULL, PQgetvalue(members, i, 0));
    for (int i = 0; i < PQntuples(set); i++)
        rhost_put_str(settings, PQgetvalue(set, i, 0), PQgetvalue(set, i, 1));
    return 0;
}

static int32_t
report(rhost_ctx *ctx, struct pg *pg, const PGresult *rows, int row, rhost_value *current)
{
    rhost_put_str(current, "ensure", "present");
    for (int i = 0; i < N_FLAGS; i++)
        rhost_put_bool(current, flags[i], *PQgetvalue(rows, row, FIRST_FLAG + i) == 't');
    rhost_put_int(current, "connection_limit", strtoll(PQgetvalue(rows, row, LIMIT), NULL, 10));
    rhost_put_str(current, "valid_until", PQgetvalue(rows, row, UNTIL));
    return report_rest(ctx, pg, PQgetvalue(rows, row, 1), current);
}

/* What the server keeps of the password is compared here, and goes no further. */
static int32_t
report_password(rhost_ctx *ctx, struct pg *pg, const char *role, const rhost_value *should,
                rhost_value *current)
{
    const char *password = rhost_str(should, "password"), *verifier;
    pg_autoresult PGresult *rows = NULL;
    int matches;

    if (!password || rhost_wants_absence(should))
        return 0;
    rows = pg_query(ctx, pg, "password",
                    "SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = $1::text", 1, &role);
    if (!rows)
        return -1;
    verifier = PQntuples(rows) ? pg_field(rows, 0, 0) : NULL;
    matches = verifier ? verifier_matches(ctx, verifier, password) : 0;
    if (matches > 0)
        rhost_put_copy(current, "password", rhost_get(should, "password"));
    return matches < 0 ? -1 : 0;
}

/* $1::text, as a parameter of the type "name" would be cut after 63 bytes. */
int32_t
role_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *role = rhost_str(name, "name");
    struct pg *pg = pg_open_login(ctx, name, should);
    pg_autoresult PGresult *rows =
        pg ? pg_query(ctx, pg, NULL, ROLES "WHERE r.rolname = $1::text", 1, &role) : NULL;

    if (!rows)
        return -1;
    if (PQntuples(rows) == 0)
        return RHOST_ABSENT;
    return report(ctx, pg, rows, 0, current) < 0 || report_password(ctx, pg, role, should, current) < 0 ? -1
                                                                                                        : 0;
}

int32_t
role_get(rhost_ctx *ctx, const rhost_value *names)
{
    pg_autoresult PGresult *rows = NULL;
    struct pg *pg = NULL;
    int32_t found = pg_open_for_list(ctx, PG_LOGIN_DATABASE, &pg);

    (void)names;
    if (found)
        return found == RHOST_ABSENT ? 0 : -1;
    rows = pg_query(ctx, pg, NULL, ROLES "WHERE r.rolname !~ '^pg_' ORDER BY 1", 0, NULL);
    for (int i = 0; rows && i < PQntuples(rows); i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "name", PQgetvalue(rows, i, 0));
        pg_put_title(one, PQgetvalue(rows, i, 0));
        pg_put_server(one);
        if (report(ctx, pg, rows, i, one) < 0 || ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}
