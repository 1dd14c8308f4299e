/* SPDX-License-Identifier: Apache-2.0 */
/* mysql_database - keep databases of MariaDB and MySQL servers. */

#include "../mysql_user/sql.h"

#define CHARSET "Optional[Pattern[/\\A[A-Za-z0-9_]{1,64}\\z/]]"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = SQL_NAME, .behaviour = RHOST_NAMEVAR, .desc = "The database." },
    SQL_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the database should exist." },
    { .name = "character_set",
      .type = CHARSET,
      .desc = "The character set that new tables have, such as utf8mb4." },
    { .name = "collation",
      .type = CHARSET,
      .desc = "The collation that new tables have, such as utf8mb4_unicode_ci." },
    { .name = "comment",
      .type = "Optional[String[0, 1024]]",
      .desc = "Its comment, for MariaDB 10.5 and newer; empty: none." },
    SQL_LOGIN_ATTRS,
};

static const char *const titles[] = { "\\A" SQL_TITLE_SERVER "(?<name>[^\\n]+)\\z", NULL };

static const char *const relations[] = { SQL_RELATIONS, "loses the data", NULL };

static const char *const needs[] = { SQL_NEEDS, NULL };

/* "utf8" is the alias of utf8mb3; newer servers report the latter, and all of those that are supported take
 * it as the name of a character set. */
static const char *
one_utf8(rhost_ctx *ctx, const char *text)
{
    text = sql_lower(ctx, text);
    if (strcmp(text, "utf8") == 0 || strncmp(text, "utf8_", 5) == 0)
        return rhost_fmt(ctx, "utf8mb3%s", text + 4);
    return text;
}

static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *set = rhost_str(resource, "character_set"), *collation = rhost_str(resource, "collation");

    sql_canonicalize(ctx, resource);
    if (set)
        rhost_put_str(resource, "character_set", one_utf8(ctx, set));
    if (collation)
        rhost_put_str(resource, "collation", one_utf8(ctx, collation));
    return 0;
}

static int
is_system(const char *name)
{
    return strcmp(name, "mysql") == 0 || strcmp(name, "information_schema") == 0
           || strcmp(name, "performance_schema") == 0 || strcmp(name, "sys") == 0;
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *name = rhost_str_or(resource, "name", ""), *set = rhost_str(resource, "character_set"),
               *collation = rhost_str(resource, "collation");
    size_t n = set ? strlen(set) : 0;

    if (sql_validate(ctx, resource) < 0)
        return -1;
    if (is_system(name))
        return rhost_fail_attr(ctx, "name", "the server needs the database '%s' for itself", name);
    if (name[strlen(name) - (*name != '\0')] == ' ')
        return rhost_fail_attr(ctx, "name", "the name of a database cannot end with a space");
    if (set && collation && strcmp(collation, "binary") != 0 && strncmp(collation, "uca1400_", 8) != 0
        && (strncmp(collation, set, n) != 0 || collation[n] != '_'))
        return rhost_fail_attr(ctx, "collation", "'%s' is not a collation of the character set '%s'",
                               collation, set);
    return 0;
}

enum { NAME, SET, COLLATION, COMMENT };

/* 1, 0, or -1 with a failure said: MySQL and MariaDB 10.4 have none. */
static int
has_comments(rhost_ctx *ctx, struct sql *sql)
{
    return sql_finds(ctx, sql,
                     "SELECT 1 FROM information_schema.columns WHERE table_schema = 'information_schema'"
                     " AND table_name = 'SCHEMATA' AND column_name = 'SCHEMA_COMMENT'");
}

/* A server without comments has empty ones. Names of some servers are without letters of the other case. */
static MYSQL_RES *
read_rows(rhost_ctx *ctx, struct sql *sql, const char *where)
{
    int comments = has_comments(ctx, sql);

    return comments < 0
               ? NULL
               : sql_query(ctx, sql, NULL,
                           rhost_fmt(ctx,
                                     "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME,"
                                     " %s FROM information_schema.SCHEMATA WHERE %s ORDER BY 1",
                                     comments ? "SCHEMA_COMMENT" : "''", where));
}

static void
report(rhost_ctx *ctx, MYSQL_ROW row, rhost_value *current)
{
    rhost_put_str(current, "ensure", "present");
    rhost_put_str(current, "character_set", one_utf8(ctx, row[SET]));
    rhost_put_str(current, "collation", one_utf8(ctx, row[COLLATION]));
    rhost_put_str(current, "comment", row[COMMENT]);
}

/* The server shows a database to those who may do something with it, or see all. Global privileges that
 * databases have as well are on each of them; a privilege on a database is on a pattern. */
static int32_t
check_sight(rhost_ctx *ctx, struct sql *sql, const char *name)
{
    static const char mine[] = "CAST(REPLACE(GRANTEE, '''', '') AS BINARY)"
                               " = CAST(REPLACE(CURRENT_USER(), '''', '') AS BINARY)";
    int sees = sql_finds(
        ctx, sql,
        rhost_fmt(ctx,
                  "SELECT 1 FROM information_schema.USER_PRIVILEGES WHERE %s AND PRIVILEGE_TYPE IN"
                  " ('SHOW DATABASES', 'DROP') UNION ALL SELECT 1 FROM information_schema.SCHEMA_PRIVILEGES"
                  " WHERE %s AND PRIVILEGE_TYPE <> 'USAGE' AND %s LIKE CONVERT(TABLE_SCHEMA USING utf8mb4) "
                  "COLLATE utf8mb4_bin",
                  mine, mine, sql_literal(ctx, sql, name)));

    return sees < 0 ? -1
           : sees   ? 0
                    : rhost_fail(ctx,
                                 "the login does not see whether '%s' exists: that takes the privilege"
                                   " SHOW DATABASES",
                                 name);
}

static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct sql *sql = sql_open(ctx, name, should);
    sql_autoresult MYSQL_RES *rows =
        sql ? read_rows(ctx, sql, sql_is(ctx, sql, "SCHEMA_NAME", rhost_str(name, "name"))) : NULL;
    MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;

    if (!rows || (!row && rhost_wants_absence(should) && check_sight(ctx, sql, rhost_str(name, "name")) < 0))
        return -1;
    if (!row)
        return RHOST_ABSENT;
    report(ctx, row, current);
    return 0;
}

static int32_t
get(rhost_ctx *ctx, const rhost_value *names)
{
    sql_autoresult MYSQL_RES *rows = NULL;
    struct sql *sql = NULL;
    int32_t found = sql_open_for_list(ctx, &sql);

    (void)names;
    if (found)
        return found == RHOST_ABSENT ? 0 : -1;
    rows = read_rows(ctx, sql, "TRUE");
    for (MYSQL_ROW row; rows && (row = mysql_fetch_row(rows));) {
        rhost_value *one = ctx->host->new_hash(ctx);

        if (is_system(row[NAME]))
            continue;
        rhost_put_str(one, "name", row[NAME]);
        if (!strpbrk(row[NAME], ":\n"))
            rhost_put_str(one, "title", row[NAME]);
        sql_put_server(one);
        report(ctx, row, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}

/* Which attribute the server does not know the value of: NULL where it knows both. */
static const char *
at_fault(rhost_ctx *ctx, struct sql *sql, const rhost_value *should)
{
    const char *set = rhost_str(should, "character_set"), *collation = rhost_str(should, "collation");

    if (set
        && sql_finds(
               ctx, sql,
               rhost_fmt(ctx, "SELECT 1 FROM information_schema.CHARACTER_SETS WHERE CHARACTER_SET_NAME = %s",
                         sql_literal(ctx, sql, set)))
               == 0)
        return "character_set";
    return collation ? "collation" : NULL;
}

/* " WORD value" where the value differs from the current one, or "". */
static const char *
clause(rhost_ctx *ctx, const struct rhost_change *change, const char *word, const char *attribute,
       const char *value)
{
    const char *wanted = rhost_str(change->should, attribute);

    return wanted && strcmp(wanted, rhost_str_or(change->is, attribute, "")) != 0
               ? rhost_fmt(ctx, " %s %s", word, value)
               : "";
}

/* CREATE DATABASE and ALTER DATABASE: all that differs by one statement. A collation alone has its character
 * set; both together are stated, as a character set alone has its usual collation. */
static int32_t
write_database(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    struct sql *sql = sql_open(ctx, change->name, should);
    const char *set, *collation, *comment;
    int comments = 1;

    if (!sql)
        return -1;
    set = rhost_str_or(should, "character_set", "");
    collation = rhost_str_or(should, "collation", "");
    comment = rhost_str_or(should, "comment", "");
    set = clause(ctx, change, "CHARACTER SET", "character_set", sql_name(ctx, set));
    collation = *set && *collation ? rhost_fmt(ctx, " COLLATE %s", sql_name(ctx, collation))
                                   : clause(ctx, change, "COLLATE", "collation", sql_name(ctx, collation));
    if (*comment && (comments = has_comments(ctx, sql)) < 0)
        return -1;
    if (!comments)
        return rhost_fail_attr(ctx, "comment", "the server is %s, which has no comments on databases",
                               sql_server(ctx, sql));
    comment = clause(ctx, change, "COMMENT", "comment", sql_literal(ctx, sql, comment));
    if (!change->is && !*rhost_str_or(should, "comment", ""))
        comment = "";
    if (change->is && !*set && !*collation && !*comment)
        return 0;
    return sql_run(ctx, sql, at_fault(ctx, sql, should),
                   rhost_fmt(ctx, "%s DATABASE %s%s%s%s", change->is ? "ALTER" : "CREATE",
                             sql_name(ctx, rhost_str(change->name, "name")), set, collation, comment));
}

static int32_t
drop(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    struct sql *sql = sql_open(ctx, change->name, change->should);

    if (!sql)
        return -1;
    if (is_system(name))
        return rhost_fail(ctx, "the server needs the database '%s' for itself", name);
    return sql_run(ctx, sql, NULL, rhost_fmt(ctx, "DROP DATABASE %s", sql_name(ctx, name)));
}

static const struct rhost_provider mysql_database_provider = {
    RHOST_PROVIDER("mysql_database", "Keep databases of MariaDB and MySQL servers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .load = load,
    .get = get,
    .create = write_database,
    .update = write_database,
    .remove = drop,
    .needs = needs,
};

RHOST_PLUGIN(mysql_database, "1.0", &mysql_database_provider)
