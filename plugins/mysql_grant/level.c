/* SPDX-License-Identifier: Apache-2.0 */
/* level - the levels that privileges are granted on. The name of a database in GRANT is a pattern, in which
 * '_' and '%' are wildcards, unless a table or a routine follows. */

#include "grant.h"

#define OF_TABLES                                                                                            \
    "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "REFERENCES", "INDEX", "ALTER", "CREATE VIEW", \
        "SHOW VIEW", "TRIGGER"

static const char *const of_databases[] = { OF_TABLES, "CREATE TEMPORARY TABLES", "LOCK TABLES",
                                            "EXECUTE", "CREATE ROUTINE",          "ALTER ROUTINE",
                                            "EVENT",   "DELETE HISTORY",          "SHOW CREATE ROUTINE",
                                            NULL };
static const char *const of_tables[] = { OF_TABLES, "DELETE HISTORY", NULL };
static const char *const of_columns[] = { "SELECT", "INSERT", "UPDATE", "REFERENCES", NULL };
static const char *const of_routines[] = { "EXECUTE", "ALTER ROUTINE", "SHOW CREATE ROUTINE", NULL };

/* Columns: account, kind, database, object, column, privilege, grantable. */
#define ROWS(kind, database, object, column, from)                                                           \
    "SELECT GRANTEE AS g, '" kind "' AS k, " database " AS d, " object " AS o, " column                      \
    " AS c, PRIVILEGE_TYPE AS p, IS_GRANTABLE AS y FROM information_schema." from

static const char of_server_rows[] = ROWS("global", "''", "''", "''", "USER_PRIVILEGES");
static const char of_database_rows[] = ROWS("database", "TABLE_SCHEMA", "''", "''", "SCHEMA_PRIVILEGES");
static const char of_table_rows[] = ROWS("table", "TABLE_SCHEMA", "TABLE_NAME", "''", "TABLE_PRIVILEGES");
static const char of_column_rows[] =
    ROWS("column", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "COLUMN_PRIVILEGES");
static const char of_routine_rows[] =
    "SELECT CONCAT('''', User, '''@''', Host, '''') AS g, LOWER(Routine_type) AS k, Db AS d,"
    " LOWER(Routine_name) AS o, '' AS c, n AS p, IF(FIND_IN_SET('Grant', Proc_priv), 'YES', 'NO') AS y"
    " FROM mysql.procs_priv JOIN (SELECT 'EXECUTE' AS n UNION ALL SELECT 'ALTER ROUTINE'"
    " UNION ALL SELECT 'SHOW CREATE ROUTINE' UNION ALL SELECT 'USAGE') AS names"
    " ON n = 'USAGE' OR FIND_IN_SET(n, Proc_priv)";

static const struct level {
    const char *kind;
    const char *const *privileges;
    const char *rows;
} levels[] = {
    { "global", NULL, of_server_rows },
    { "database", of_databases, of_database_rows },
    { "databases", of_databases, of_database_rows },
    { "table", of_tables, of_table_rows },
    { "column", of_columns, of_column_rows },
    { "function", of_routines, of_routine_rows },
    { "procedure", of_routines, of_routine_rows },
};

static const struct level *
find(const char *kind)
{
    for (size_t i = 0; kind && i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].kind, kind) == 0)
            return &levels[i];
    return NULL;
}

int
level_is_kind(const char *kind)
{
    return find(kind) != NULL;
}

const char *const *
level_privileges(const char *kind)
{
    const struct level *level = find(kind);

    return level ? level->privileges : NULL;
}

const char *
level_escape(rhost_ctx *ctx, const char *database)
{
    char *pattern = rhost_alloc(ctx, 2 * strlen(database) + 1), *to = pattern;

    for (; *database; database++) {
        if (strchr("_%\\", *database))
            *to++ = '\\';
        *to++ = *database;
    }
    *to = '\0';
    return pattern;
}

const char *
level_unescape(rhost_ctx *ctx, const char *pattern)
{
    char *database = rhost_alloc(ctx, strlen(pattern) + 1), *to = database;

    for (const char *c = pattern; *c; c++) {
        if (*c == '_' || *c == '%')
            return NULL;
        if (*c == '\\' && c[1])
            c++;
        *to++ = *c;
    }
    *to = '\0';
    return strcmp(level_escape(ctx, database), pattern) == 0 ? database : NULL;
}

static const char *
part(const rhost_value *name, const char *attribute)
{
    return rhost_str_or(name, attribute, "");
}

/* The pattern that the server has; the name as it is, where it is none. */
static const char *
database_of(rhost_ctx *ctx, const rhost_value *name)
{
    const char *database = part(name, "database");

    return strcmp(part(name, "kind"), "database") == 0 ? level_escape(ctx, database) : database;
}

const char *
level_target(rhost_ctx *ctx, const rhost_value *name)
{
    const char *kind = part(name, "kind"), *database = sql_name(ctx, database_of(ctx, name));

    if (strcmp(kind, "global") == 0)
        return "*.*";
    if (strncmp(kind, "database", 8) == 0)
        return rhost_fmt(ctx, "%s.*", database);
    return rhost_fmt(ctx, "%s%s.%s",
                     strcmp(kind, "function") == 0    ? "FUNCTION "
                     : strcmp(kind, "procedure") == 0 ? "PROCEDURE "
                                                      : "TABLE ",
                     database, sql_name(ctx, part(name, "object")));
}

int
level_exists(rhost_ctx *ctx, struct sql *sql, const rhost_value *name)
{
    const char *kind = part(name, "kind"), *database = part(name, "database"), *object = part(name, "object");
    const char *from, *where;

    if (strcmp(kind, "table") == 0)
        from = "TABLES WHERE TABLE";
    else if (strcmp(kind, "column") == 0)
        from = "COLUMNS WHERE TABLE";
    else if (strcmp(kind, "function") == 0 || strcmp(kind, "procedure") == 0)
        from = "ROUTINES WHERE ROUTINE";
    else
        return 1;
    where = *from == 'R'   ? rhost_fmt(ctx, "ROUTINE_TYPE = '%s'", sql_upper(ctx, kind))
            : *from == 'C' ? rhost_fmt(ctx, "COLUMN_NAME = %s", sql_literal(ctx, sql, part(name, "column")))
                           : sql_is(ctx, sql, "TABLE_NAME", object);
    return sql_finds(ctx, sql,
                     rhost_fmt(ctx,
                               "SELECT 1 FROM information_schema.%s_SCHEMA = %s AND %.*s_NAME = %s AND %s",
                               from, sql_literal(ctx, sql, database), *from == 'R' ? 7 : 5,
                               *from == 'R' ? "ROUTINE" : "TABLE", sql_literal(ctx, sql, object), where));
}

MYSQL_RES *
level_rows(rhost_ctx *ctx, struct sql *sql, const rhost_value *name)
{
    const struct level *level = find(part(name, "kind"));

    if (!level) {
        rhost_fail_attr(ctx, "kind", "unknown kind of level");
        return NULL;
    }
    return sql_query(
        ctx, sql, NULL,
        rhost_fmt(ctx, "SELECT p, y FROM (%s) AS x WHERE %s AND %s AND %s AND %s%s ORDER BY 1", level->rows,
                  sql_is(ctx, sql, "g", account_grantee(ctx, part(name, "user"))),
                  sql_is(ctx, sql, "d", database_of(ctx, name)), sql_is(ctx, sql, "o", part(name, "object")),
                  sql_is(ctx, sql, "c", part(name, "column")),
                  level->rows == of_routine_rows ? rhost_fmt(ctx, " AND k = '%s'", level->kind) : ""));
}

MYSQL_RES *
level_all_rows(rhost_ctx *ctx, struct sql *sql)
{
    return sql_query(ctx, sql, NULL,
                     rhost_fmt(ctx,
                               "SELECT g, k, d, o, c, p, y FROM (%s UNION ALL %s UNION ALL %s UNION ALL %s"
                               " UNION ALL %s) AS x WHERE k <> 'package' AND k <> 'package body'"
                               " ORDER BY CAST(g AS BINARY), k, CAST(d AS BINARY), CAST(o AS BINARY),"
                               " CAST(c AS BINARY), p",
                               of_server_rows, of_database_rows, of_table_rows, of_column_rows,
                               of_routine_rows));
}
