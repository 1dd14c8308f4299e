/* SPDX-License-Identifier: Apache-2.0 */
/* read - privileges as the server has them, on one level and on all. */

#include "grant.h"

enum { GRANTEE, KIND, DATABASE, OBJECT, COLUMN, PRIVILEGE, GRANTABLE };

/* USAGE is no privilege, GRANT OPTION is an attribute, and PROXY is on an account. */
static int
is_privilege(const char *name)
{
    return strcmp(name, "USAGE") != 0 && strcmp(name, "GRANT OPTION") != 0 && strcmp(name, "PROXY") != 0;
}

const rhost_value *
grant_known(rhost_ctx *ctx, struct sql *sql)
{
    sql_autoresult MYSQL_RES *rows = sql_query(ctx, sql, NULL, "SHOW PRIVILEGES");
    rhost_value *known = rows ? ctx->host->new_hash(ctx) : NULL;

    for (MYSQL_ROW row; rows && (row = mysql_fetch_row(rows));) {
        const char *name = sql_upper(ctx, row[0]);

        if (is_privilege(name))
            rhost_put_bool(known, name, 1);
    }
    return known;
}

/* Those that the level could have as well. */
static void
report_lacking(const rhost_value *known, const char *kind, rhost_value *current)
{
    rhost_value *lacking = current->host->put_array(current, "lacking");
    const rhost_value *privileges = rhost_get(current, "privileges");
    const char *const *all = level_privileges(kind);
    const char *name;

    for (size_t i = 0; !all && i < rhost_count(known); i++) {
        (void)rhost_at(known, i, &name);
        if (!grant_has(privileges, name))
            rhost_put_str(lacking, NULL, name);
    }
    for (; all && *all; all++)
        if (rhost_has(known, *all) && !grant_has(privileges, *all))
            rhost_put_str(lacking, NULL, *all);
}

static int32_t
missing_object(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    const char *kind = rhost_str_or(name, "kind", ""), *column = rhost_str_or(name, "column", "");

    return sql_missing(ctx, should, *column ? "column" : "object",
                       rhost_fmt(ctx, "%s '%s.%s%s%s' does not exist", kind,
                                 rhost_str_or(name, "database", ""), rhost_str_or(name, "object", ""),
                                 *column ? "." : "", column));
}

int32_t
grant_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *user = rhost_str_or(name, "user", ""), *kind = rhost_str_or(name, "kind", "");
    struct sql *sql = sql_open(ctx, name, should);
    int found = sql ? account_exists(ctx, sql, user) : -1, grantable = 0;
    sql_autoresult MYSQL_RES *rows = NULL;
    const rhost_value *known;
    rhost_value *privileges;

    if (found <= 0)
        return found < 0
                   ? -1
                   : sql_missing(ctx, should, "user", rhost_fmt(ctx, "account '%s' does not exist", user));
    found = level_exists(ctx, sql, name);
    if (found <= 0)
        return found < 0 ? -1 : missing_object(ctx, name, should);
    rows = level_rows(ctx, sql, name);
    known = rows ? grant_known(ctx, sql) : NULL;
    if (!known)
        return -1;
    privileges = current->host->put_array(current, "privileges");
    for (MYSQL_ROW row; (row = mysql_fetch_row(rows));) {
        if (is_privilege(row[0]))
            rhost_put_str(privileges, NULL, row[0]);
        grantable |= strcmp(kind, "column") != 0 && *row[1] == 'Y';
    }
    if (!rhost_count(rhost_get(current, "privileges")) && !grantable)
        return RHOST_ABSENT;
    rhost_put_str(current, "ensure", "present");
    report_lacking(known, kind, current);
    if (strcmp(kind, "column") != 0)
        rhost_put_bool(current, "grant_option", grantable);
    return 0;
}

/* "'app'@'localhost'" as "app@localhost"; NULL: it is a role. */
static const char *
account_of(rhost_ctx *ctx, const char *grantee)
{
    size_t n = strlen(grantee);
    const char *at = NULL, *user;

    for (const char *c = grantee; (c = strstr(c, "'@'")); c++)
        at = c;
    if (!at || n < 5 || at + 3 == grantee + n - 1)
        return NULL;
    user = rhost_copy(ctx, grantee + 1, (size_t)(at - grantee - 1));
    return account_is_reserved(user)
               ? NULL
               : rhost_fmt(ctx, "%s@%s", user, rhost_copy(ctx, at + 3, (size_t)(grantee + n - 1 - at - 3)));
}

/* The title that the patterns take apart so; none where they could not. */
static void
put_title(rhost_value *one, const char *user, const char *kind, const char *database, MYSQL_ROW row)
{
    const char *object = row[OBJECT], *column = row[COLUMN];

    if (strstr(user, ": ") || strpbrk(database, "\n") || strpbrk(object, "\n") || strchr(column, '\n')
        || (*object && strchr(database, '.')) || (*column && strchr(object, '.')))
        return;
    rhost_put_fmt(one, "title", "%s: %s%s%s%s%s%s%s", user, kind, *database ? " " : "", database,
                  *object ? "." : "", object, *column ? "." : "", column);
}

static int
same(MYSQL_ROW a, MYSQL_ROW b)
{
    for (int i = GRANTEE; i < PRIVILEGE; i++)
        if (strcmp(a[i], b[i]) != 0)
            return 0;
    return 1;
}

/* The rows from `first` on that are of one account and level; *next: the one after those, or NULL. */
static int32_t
emit(rhost_ctx *ctx, MYSQL_RES *rows, const rhost_value *known, MYSQL_ROW first, MYSQL_ROW *next)
{
    const char *user = account_of(ctx, first[GRANTEE]), *kind = first[KIND], *database = first[DATABASE];
    rhost_value *one = ctx->host->new_hash(ctx), *privileges;
    int grantable = 0, column = strcmp(kind, "column") == 0;

    if (strcmp(kind, "database") == 0) {
        const char *plain = level_unescape(ctx, database);

        kind = plain ? kind : "databases";
        database = plain ? plain : database;
    }
    privileges = one->host->put_array(one, "privileges");
    for (*next = first; *next && same(first, *next); *next = mysql_fetch_row(rows)) {
        if (is_privilege((*next)[PRIVILEGE]))
            rhost_put_str(privileges, NULL, (*next)[PRIVILEGE]);
        grantable |= !column && *(*next)[GRANTABLE] == 'Y';
    }
    if (!user || (!rhost_count(rhost_get(one, "privileges")) && !grantable))
        return 0;
    rhost_put_str(one, "user", user);
    rhost_put_str(one, "kind", kind);
    rhost_put_str(one, "database", database);
    rhost_put_str(one, "object", first[OBJECT]);
    rhost_put_str(one, "column", first[COLUMN]);
    put_title(one, user, kind, database, first);
    sql_put_server(one);
    rhost_put_str(one, "ensure", "present");
    report_lacking(known, kind, one);
    if (!column)
        rhost_put_bool(one, "grant_option", grantable);
    return ctx->host->emit(ctx, one);
}

int32_t
grant_get(rhost_ctx *ctx, const rhost_value *names)
{
    sql_autoresult MYSQL_RES *rows = NULL;
    struct sql *sql = NULL;
    int32_t found = sql_open_for_list(ctx, &sql);
    const rhost_value *known;
    MYSQL_ROW row;

    (void)names;
    if (found)
        return found == RHOST_ABSENT ? 0 : -1;
    rows = level_all_rows(ctx, sql);
    known = rows ? grant_known(ctx, sql) : NULL;
    if (!known)
        return -1;
    for (row = mysql_fetch_row(rows); row;)
        if (emit(ctx, rows, known, row, &row) < 0)
            return -1;
    return 0;
}
