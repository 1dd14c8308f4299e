/* SPDX-License-Identifier: Apache-2.0 */
/* list - all privileges that were granted: what owners have by themselves, and what the system and extensions
 * came with, is left out. */

#include "grant.h"

#define TYPES                                                                                                \
    "(SELECT coalesce(pg_catalog.string_agg(pg_catalog.format_type(t, NULL), ', ' ORDER BY i), '')"          \
    " FROM pg_catalog.unnest(p.proargtypes) WITH ORDINALITY AS x(t, i))"

#define ALL                                                                                                  \
    "SELECT 'database' AS kind, '' AS object, datacl AS acl, datdba AS owner, 0::oid AS space, oid"          \
    " FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()"                             \
    " UNION ALL SELECT 'schema', nspname::text, nspacl, nspowner, oid, oid FROM pg_catalog.pg_namespace"     \
    " UNION ALL SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, n.nspname || '.' || "       \
    "c.relname,"                                                                                             \
    " c.relacl, c.relowner, n.oid, c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"          \
    " ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')"                           \
    " UNION ALL SELECT 'function', n.nspname || '.' || p.proname || '(' || " TYPES " || ')', p.proacl,"      \
    " p.proowner, n.oid, p.oid FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = "         \
    "p.pronamespace"

static const char query[] =
    "SELECT coalesce(r.rolname, 'public'), o.kind, o.object, a.privilege_type, "
    "pg_catalog.bool_or(a.is_grantable)"
    " FROM (" ALL ") o CROSS JOIN LATERAL pg_catalog.aclexplode(o.acl) a"
    " LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee"
    " WHERE a.grantee <> o.owner AND (a.grantee = 0 OR r.oid IS NOT NULL)"
    " AND NOT EXISTS (SELECT FROM pg_catalog.pg_namespace s WHERE s.oid = o.space AND o.kind <> 'schema'"
    " AND (s.nspname ~ '^pg_' OR s.nspname = 'information_schema'))"
    " AND NOT (o.kind = 'schema' AND (o.object ~ '^pg_' OR o.object = 'information_schema'))"
    " AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')"
    " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4";

enum { ROLE, KIND, OBJECT, PRIVILEGE, GRANTABLE };

static int
same(const PGresult *rows, int a, int b)
{
    return strcmp(PQgetvalue(rows, a, ROLE), PQgetvalue(rows, b, ROLE)) == 0
           && strcmp(PQgetvalue(rows, a, KIND), PQgetvalue(rows, b, KIND)) == 0
           && strcmp(PQgetvalue(rows, a, OBJECT), PQgetvalue(rows, b, OBJECT)) == 0;
}

/* Those of the rows [from, to), which are of one role and object. */
static int32_t
emit(rhost_ctx *ctx, const PGresult *rows, int from, int to, const char *database)
{
    const char *role = PQgetvalue(rows, from, ROLE), *kind = PQgetvalue(rows, from, KIND);
    const char *object = PQgetvalue(rows, from, OBJECT);
    rhost_value *one = ctx->host->new_hash(ctx), *privileges, *grantable;
    int n = 0;

    rhost_put_str(one, "role", role);
    rhost_put_str(one, "database", database);
    rhost_put_str(one, "kind", kind);
    rhost_put_str(one, "object", object);
    if (!strpbrk(role, ":\n") && !strpbrk(database, ":\n") && !strchr(object, '\n')
        && strlen(role) + strlen(database) + strlen(object) < RHOST_MESSAGE_MAX - 100)
        rhost_put_fmt(one, "title", "%s: %s: %s%s%s", role, database, kind, *object ? " " : "", object);
    pg_put_server(one);
    rhost_put_str(one, "ensure", "present");
    privileges = one->host->put_array(one, "privileges");
    grantable = one->host->put_array(one, "grantable");
    for (int i = from; i < to; i++) {
        rhost_put_str(privileges, NULL, PQgetvalue(rows, i, PRIVILEGE));
        if (*PQgetvalue(rows, i, GRANTABLE) == 't') {
            rhost_put_str(grantable, NULL, PQgetvalue(rows, i, PRIVILEGE));
            n++;
        }
    }
    if (n == 0 || n == to - from)
        rhost_put_bool(one, "grant_option", n > 0);
    (void)one->host->put_array(one, "partly");
    return ctx->host->emit(ctx, one);
}

static int32_t
list_database(rhost_ctx *ctx, struct pg *pg, const char *database)
{
    pg_autoresult PGresult *rows = pg_query(ctx, pg, NULL, query, 0, NULL);

    for (int from = 0, to; rows && from < PQntuples(rows); from = to) {
        for (to = from + 1; to < PQntuples(rows) && same(rows, from, to);)
            to++;
        if (emit(ctx, rows, from, to, database) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}

int32_t
grant_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names;
    return pg_each_database(ctx, list_database);
}
