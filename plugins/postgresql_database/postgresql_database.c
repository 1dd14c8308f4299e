/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql_database - keep databases of PostgreSQL servers. */

#include "../postgresql_role/pg.h"

#include <stdlib.h>

#define LOCALE "Optional[Pattern[/\\A[A-Za-z0-9_.@-]{1,60}\\z/]]"

/* libpq has them, and declares them no longer. */
int pg_char_to_encoding(const char *name);
const char *pg_encoding_to_char(int encoding);

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = PG_NAME, .behaviour = RHOST_NAMEVAR, .desc = "The database." },
    PG_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the database should exist." },
    { .name = "owner", .type = "Optional[" PG_NAME "]", .desc = "The role that it belongs to." },
    { .name = "encoding",
      .type = "Optional[Pattern[/\\A[A-Za-z0-9_-]{1,20}\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The encoding of its text, such as UTF8." },
    { .name = "lc_collate",
      .type = LOCALE,
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The locale by which text is ordered, such as C.UTF-8." },
    { .name = "lc_ctype",
      .type = LOCALE,
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The locale that says which characters are letters." },
    { .name = "template",
      .type = "Optional[" PG_NAME "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The database that a new one is a copy of." },
    { .name = "connection_limit",
      .type = "Optional[Integer[-1, 2147483647]]",
      .desc = "How many connections it may have at once; -1: any number." },
    { .name = "comment", .type = "Optional[String]", .desc = "Its comment; empty: none." },
    { .name = "force",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a removal ends the sessions that use it." },
    PG_LOGIN_ATTRS,
    PG_LOGIN_DATABASE_ATTR,
};

static const char *const titles[] = { "\\A" PG_TITLE_SERVER "(?<name>[^\\n]+)\\z", NULL };

static const char *const relations[] = {
    PG_RELATIONS,
    "autorequire postgresql_role[{" PG_SAME "name: $owner}]",
    "autorequire postgresql_database[{" PG_SAME "name: $template}]",
    "loses the data",
    NULL,
};

static const char *const needs[] = { PG_NEEDS, NULL };

/* "utf-8" is "UTF8", as the server reports it. */
static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *encoding = rhost_str(resource, "encoding");
    int number = encoding ? pg_char_to_encoding(encoding) : -1;

    pg_canonicalize(ctx, resource);
    if (number >= 0)
        rhost_put_str(resource, "encoding", pg_encoding_to_char(number));
    return 0;
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *encoding = rhost_str(resource, "encoding");

    if (pg_validate(ctx, resource) < 0 || pg_validate_name(ctx, resource, "name") < 0
        || pg_validate_name(ctx, resource, "owner") < 0 || pg_validate_name(ctx, resource, "template") < 0)
        return -1;
    if (encoding && pg_char_to_encoding(encoding) < 0)
        return rhost_fail_attr(ctx, "encoding", "unknown encoding '%s' of PostgreSQL", encoding);
    return 0;
}

#define DATABASES                                                                                            \
    "SELECT d.datname, pg_catalog.pg_get_userbyid(d.datdba), pg_catalog.pg_encoding_to_char(d.encoding),"    \
    " d.datcollate, d.datctype, d.datconnlimit, pg_catalog.shobj_description(d.oid, 'pg_database')"          \
    " FROM pg_catalog.pg_database d "

enum { NAME, OWNER, ENCODING, COLLATE, CTYPE, LIMIT, COMMENT };

static void
report(const PGresult *rows, int row, rhost_value *current)
{
    const char *comment = pg_field(rows, row, COMMENT);

    rhost_put_str(current, "ensure", "present");
    rhost_put_str(current, "owner", PQgetvalue(rows, row, OWNER));
    rhost_put_str(current, "encoding", PQgetvalue(rows, row, ENCODING));
    rhost_put_str(current, "lc_collate", PQgetvalue(rows, row, COLLATE));
    rhost_put_str(current, "lc_ctype", PQgetvalue(rows, row, CTYPE));
    rhost_put_int(current, "connection_limit", strtoll(PQgetvalue(rows, row, LIMIT), NULL, 10));
    rhost_put_str(current, "comment", comment ? comment : "");
}

static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *database = rhost_str(name, "name");
    struct pg *pg = pg_open_login(ctx, name, should);
    pg_autoresult PGresult *rows =
        pg ? pg_query(ctx, pg, NULL, DATABASES "WHERE d.datname = $1::text", 1, &database) : NULL;

    if (!rows)
        return -1;
    if (PQntuples(rows) == 0)
        return RHOST_ABSENT;
    report(rows, 0, current);
    return 0;
}

static int32_t
get(rhost_ctx *ctx, const rhost_value *names)
{
    pg_autoresult PGresult *rows = NULL;
    struct pg *pg = NULL;
    int32_t found = pg_open_for_list(ctx, PG_LOGIN_DATABASE, &pg);

    (void)names;
    if (found)
        return found == RHOST_ABSENT ? 0 : -1;
    rows = pg_query(ctx, pg, NULL, DATABASES "WHERE NOT d.datistemplate ORDER BY 1", 0, NULL);
    for (int i = 0; rows && i < PQntuples(rows); i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "name", PQgetvalue(rows, i, NAME));
        pg_put_title(one, PQgetvalue(rows, i, NAME));
        pg_put_server(one);
        report(rows, i, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}

/* " WORD 'text'", or " WORD \"name\"", or "" where `text` is NULL; NULL with a failure said. */
static const char *
clause(rhost_ctx *ctx, struct pg *pg, const char *word, const char *text, int literal)
{
    const char *quoted = !text ? "" : literal ? pg_literal(ctx, pg, text) : pg_name(ctx, pg, text);

    return text && quoted ? rhost_fmt(ctx, " %s %s", word, quoted) : quoted;
}

static const char *
limit(rhost_ctx *ctx, const rhost_value *should)
{
    return rhost_has(should, "connection_limit") ? rhost_fmt(
               ctx, " CONNECTION LIMIT %lld", (long long)rhost_int(should, "connection_limit", -1))
                                                 : "";
}

static int32_t
write_comment(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change, const char *name)
{
    const char *comment = rhost_str(change->should, "comment"), *literal;

    if (!comment || strcmp(comment, rhost_str_or(change->is, "comment", "")) == 0)
        return 0;
    literal = pg_literal(ctx, pg, comment);
    return literal ? pg_run(ctx, pg, "comment", rhost_fmt(ctx, "COMMENT ON DATABASE %s IS %s", name, literal))
                   : -1;
}

/* What a role or a database lacks is told with the attribute that names it. */
static const char *
at_fault(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change, const char *from)
{
    const char *owner = rhost_str(change->should, "owner");

    if (owner && pg_finds(ctx, pg, "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1::text", owner) == 0)
        return "owner";
    if (from && pg_finds(ctx, pg, "SELECT 1 FROM pg_catalog.pg_database WHERE datname = $1::text", from) == 0)
        return "template";
    return NULL;
}

/* PostgreSQL creates a database outside of transactions. What has an encoding or a locale of its own can only
 * be a copy of template0, unless the manifest knows better. */
static int32_t
create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    struct pg *pg = pg_open_login(ctx, change->name, should);
    const char *from = rhost_str(should, "template"), *name, *owner, *template, *encoding, *collate, *ctype;

    if (!pg)
        return -1;
    if (!from
        && (rhost_has(should, "encoding") || rhost_has(should, "lc_collate")
            || rhost_has(should, "lc_ctype")))
        from = "template0";
    name = pg_name(ctx, pg, rhost_str(change->name, "name"));
    owner = clause(ctx, pg, "OWNER", rhost_str(should, "owner"), 0);
    template = clause(ctx, pg, "TEMPLATE", from, 0);
    encoding = clause(ctx, pg, "ENCODING", rhost_str(should, "encoding"), 1);
    collate = clause(ctx, pg, "LC_COLLATE", rhost_str(should, "lc_collate"), 1);
    ctype = clause(ctx, pg, "LC_CTYPE", rhost_str(should, "lc_ctype"), 1);
    if (!name || !owner || !template || !encoding || !collate || !ctype)
        return -1;
    if (pg_run(ctx, pg, at_fault(ctx, pg, change, from),
               rhost_fmt(ctx, "CREATE DATABASE %s%s%s%s%s%s%s", name, owner, template, encoding, collate,
                         ctype, limit(ctx, should)))
        < 0)
        return -1;
    return write_comment(ctx, pg, change, name);
}

static int32_t
write_all(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change)
{
    const char *name = pg_name(ctx, pg, rhost_str(change->name, "name")),
               *owner = rhost_str(change->should, "owner");

    if (!name)
        return -1;
    if (owner && strcmp(owner, rhost_str_or(change->is, "owner", "")) != 0) {
        owner = pg_name(ctx, pg, owner);
        if (!owner
            || pg_run(ctx, pg, "owner", rhost_fmt(ctx, "ALTER DATABASE %s OWNER TO %s", name, owner)) < 0)
            return -1;
    }
    if (rhost_has(change->should, "connection_limit")
        && pg_run(ctx, pg, "connection_limit",
                  rhost_fmt(ctx, "ALTER DATABASE %s%s", name, limit(ctx, change->should)))
               < 0)
        return -1;
    return write_comment(ctx, pg, change, name);
}

static int32_t
update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pg *pg = pg_open_login(ctx, change->name, change->should);

    return !pg || pg_begin(ctx, pg) < 0 ? -1 : pg_end(ctx, pg, write_all(ctx, pg, change));
}

/* The server refuses it while sessions use the database; it looks a while whether they end by themselves. */
static int32_t
drop(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct pg *pg = pg_open_login(ctx, change->name, change->should);
    const char *name = pg ? pg_name(ctx, pg, rhost_str(change->name, "name")) : NULL;
    int force = rhost_bool(change->should, "force", 0);

    if (!name)
        return -1;
    if (force && pg_version(pg) < 130000)
        return rhost_fail_attr(ctx, "force", "'force' needs PostgreSQL 13 or newer, and the server is %d",
                               pg_version(pg) / 10000);
    return pg_run(ctx, pg, NULL, rhost_fmt(ctx, "DROP DATABASE %s%s", name, force ? " WITH (FORCE)" : ""));
}

static const struct rhost_provider postgresql_database_provider = {
    RHOST_PROVIDER("postgresql_database", "Keep databases of PostgreSQL servers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .load = load,
    .get = get,
    .create = create,
    .update = update,
    .remove = drop,
    .needs = needs,
};

RHOST_PLUGIN(postgresql_database, "1.0", &postgresql_database_provider)
