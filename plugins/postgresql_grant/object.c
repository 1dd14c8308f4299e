/* SPDX-License-Identifier: Apache-2.0 */
/* object - the objects of a database that have privileges. Access control lists are read as the server
 * explains them; one that is NULL stands for the defaults of its kind. */

#include "grant.h"

static const char *const of_tables[] = { "SELECT",   "INSERT",     "UPDATE",  "DELETE",
                                         "TRUNCATE", "REFERENCES", "TRIGGER", NULL };
static const char *const of_sequences[] = { "USAGE", "SELECT", "UPDATE", NULL };
static const char *const of_databases[] = { "CREATE", "CONNECT", "TEMPORARY", NULL };
static const char *const of_schemas[] = { "USAGE", "CREATE", NULL };
static const char *const of_functions[] = { "EXECUTE", NULL };

/* $1 is the grantee, $2 the schema, and $3 what is left of the name of the object. */
#define GRANTEE                                                                                              \
    "CASE $1::text WHEN 'public' THEN 0 ELSE (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = "          \
    "$1::text) END"
#define ROWS(name, from, acl, kind, owner, where)                                                            \
    "SELECT " name ", a.privilege_type, pg_catalog.bool_or(a.is_grantable) FROM " from                       \
    " LEFT JOIN LATERAL pg_catalog.aclexplode(coalesce(" acl ", pg_catalog.acldefault(" kind ", " owner      \
    "))) a ON a.grantee = " GRANTEE " WHERE " where " GROUP BY 1, 2 ORDER BY 1, 2"
#define RELATIONS "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
#define RELATION "pg_catalog.format('%I.%I', n.nspname, c.relname)"
#define TABLES "c.relkind IN ('r', 'p', 'v', 'm', 'f')"

static const struct kind {
    const char *name, *word; /* of the manifest, and of GRANT */
    const char *const *privileges;
    int qualified; /* with a schema */
    const char *query;
} kinds[] = {
    { "database", "DATABASE", of_databases, 0,
      ROWS("pg_catalog.quote_ident(d.datname)", "pg_catalog.pg_database d", "d.datacl", "'d'", "d.datdba",
           "d.datname = pg_catalog.current_database() AND $2::text IS NOT NULL AND $3::text IS NOT NULL") },
    { "schema", "SCHEMA", of_schemas, 0,
      ROWS("pg_catalog.quote_ident(n.nspname)", "pg_catalog.pg_namespace n", "n.nspacl", "'n'", "n.nspowner",
           "n.nspname = $2::text AND $3::text IS NOT NULL") },
    { "table", "TABLE", of_tables, 1,
      ROWS(RELATION, RELATIONS, "c.relacl", "'r'", "c.relowner",
           "n.nspname = $2::text AND c.relname = $3::text AND " TABLES) },
    { "sequence", "SEQUENCE", of_sequences, 1,
      ROWS(RELATION, RELATIONS, "c.relacl", "'s'", "c.relowner",
           "n.nspname = $2::text AND c.relname = $3::text AND c.relkind = 'S'") },
    { "function", "ROUTINE", of_functions, 1,
      ROWS("p.oid::pg_catalog.regprocedure::text", "pg_catalog.pg_proc p", "p.proacl", "'f'", "p.proowner",
           "p.oid = pg_catalog.to_regprocedure(pg_catalog.quote_ident($2::text) || '.' ||"
           " pg_catalog.quote_ident(pg_catalog.split_part($3::text, '(', 1)) ||"
           " pg_catalog.substr($3::text, pg_catalog.strpos($3::text, '(')))") },
    { "all_tables", "ALL TABLES IN SCHEMA", of_tables, 0,
      ROWS(RELATION, RELATIONS, "c.relacl", "'r'", "c.relowner",
           "n.nspname = $2::text AND $3::text IS NOT NULL AND " TABLES) },
};

static const struct kind *
find_kind(const char *name)
{
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const char *const *
object_privileges(const char *kind)
{
    const struct kind *k = find_kind(kind);

    return k ? k->privileges : NULL;
}

/* The '.' after the schema: those of the types of arguments are none. */
static const char *
dot_of(const char *object)
{
    size_t n = strcspn(object, ".(");

    return object[n] == '.' ? object + n : NULL;
}

const char *
object_canonical(rhost_ctx *ctx, const char *kind, const char *object)
{
    const struct kind *k = find_kind(kind);

    return k && k->qualified && *object && !dot_of(object) ? rhost_fmt(ctx, "public.%s", object) : NULL;
}

/* Schema and object, for $2 and $3. */
static void
take_apart(rhost_ctx *ctx, const struct kind *k, const char *object, const char *parts[2])
{
    const char *dot = k->qualified ? dot_of(object) : NULL;

    parts[0] = dot ? rhost_copy(ctx, object, (size_t)(dot - object)) : object;
    parts[1] = dot ? dot + 1 : "";
}

PGresult *
object_rows(rhost_ctx *ctx, struct pg *pg, const rhost_value *name)
{
    const struct kind *k = find_kind(rhost_str_or(name, "kind", ""));
    const char *parts[2];

    if (!k) {
        rhost_fail_attr(ctx, "kind", "unknown kind of object");
        return NULL;
    }
    take_apart(ctx, k, rhost_str_or(name, "object", ""), parts);
    return pg_query(ctx, pg, "object", k->query, 3,
                    (const char *const[]){ rhost_str(name, "role"), parts[0], parts[1] });
}

/* The name as the server quotes it. */
const char *
object_target(rhost_ctx *ctx, struct pg *pg, const rhost_value *name)
{
    const struct kind *k = find_kind(rhost_str_or(name, "kind", ""));
    pg_autoresult PGresult *rows = NULL;

    if (k && strcmp(k->name, "all_tables") == 0) {
        const char *schema = pg_name(ctx, pg, rhost_str_or(name, "object", ""));

        return schema ? rhost_fmt(ctx, "%s %s", k->word, schema) : NULL;
    }
    rows = object_rows(ctx, pg, name);
    if (rows && PQntuples(rows) == 0)
        rhost_fail_attr(ctx, "object", "the object does not exist any more");
    return rows && PQntuples(rows) ? rhost_fmt(ctx, "%s %s", k->word, PQgetvalue(rows, 0, 0)) : NULL;
}
