/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql_extension - keep extensions of databases of PostgreSQL servers. */

#include "../postgresql_role/pg.h"

#define VERSION "Optional[Pattern[/\\A[A-Za-z0-9_.+~-]{1,60}\\z/]]"

static const struct rhost_attr attrs[] = {
    { .name = "database", .type = PG_NAME, .behaviour = RHOST_NAMEVAR, .desc = "The database." },
    { .name = "name", .type = PG_NAME, .behaviour = RHOST_NAMEVAR, .desc = "The extension." },
    PG_SERVER_ATTRS,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the database should have the extension." },
    { .name = "schema", .type = "Optional[" PG_NAME "]", .desc = "The schema that its objects are in." },
    { .name = "version",
      .type = VERSION,
      .desc = "Its version; latest: the one that the server installs without a version." },
    { .name = "cascade",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether extensions that it needs are created, and objects that need it removed, as well." },
    PG_LOGIN_ATTRS,
};

static const char *const titles[] = { "\\A" PG_TITLE_SERVER "(?<database>[^:\\n]+): (?<name>[^\\n]+)\\z",
                                      NULL };

static const char *const relations[] = {
    PG_RELATIONS,
    "autorequire postgresql_database[{" PG_SAME "name: $database}]",
    "loses the objects of the extension",
    NULL,
};

static const char *const needs[] = { PG_NEEDS, NULL };

static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    pg_canonicalize(ctx, resource);
    return 0;
}

static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    return pg_validate(ctx, resource) < 0 || pg_validate_name(ctx, resource, "database") < 0
                   || pg_validate_name(ctx, resource, "name") < 0
                   || pg_validate_name(ctx, resource, "schema") < 0
               ? -1
               : 0;
}

#define EXTENSIONS                                                                                           \
    "SELECT e.extname, n.nspname, e.extversion FROM pg_catalog.pg_extension e"                               \
    " JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace "

static void
report(const PGresult *rows, int row, rhost_value *current)
{
    rhost_put_str(current, "ensure", "present");
    rhost_put_str(current, "schema", PQgetvalue(rows, row, 1));
    rhost_put_str(current, "version", PQgetvalue(rows, row, 2));
}

/* Under noop: what the server could not create. 0; -1 with a failure said. */
static int32_t
foresee(rhost_ctx *ctx, struct pg *pg, const char *name, const rhost_value *should)
{
    int available;

    if (!should || !rhost_noop(ctx) || rhost_wants_absence(should))
        return 0;
    available =
        pg_finds(ctx, pg, "SELECT 1 FROM pg_catalog.pg_available_extensions WHERE name = $1::text", name);
    return available ? available < 0 ? -1 : 0
                     : ctx->host->fail(ctx, RHOST_MISSING, NULL,
                                       rhost_fmt(ctx, "extension '%s' is not installed on the server", name));
}

/* A database that does not exist has no extension. */
static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *extension = rhost_str(name, "name");
    pg_autoclose struct pg *pg = NULL;
    pg_autoresult PGresult *rows = NULL;
    int32_t found = pg_open_database(ctx, name, should, &pg);

    if (found)
        return found;
    rows = pg_query(ctx, pg, NULL, EXTENSIONS "WHERE e.extname = $1::text", 1, &extension);
    if (!rows)
        return -1;
    if (PQntuples(rows) == 0)
        return foresee(ctx, pg, extension, should) < 0 ? -1 : RHOST_ABSENT;
    report(rows, 0, current);
    return 0;
}

static int32_t
list_database(rhost_ctx *ctx, struct pg *pg, const char *database)
{
    pg_autoresult PGresult *rows = pg_query(ctx, pg, NULL, EXTENSIONS "ORDER BY 1", 0, NULL);

    for (int i = 0; rows && i < PQntuples(rows); i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "database", database);
        rhost_put_str(one, "name", PQgetvalue(rows, i, 0));
        if (!strpbrk(database, ":\n") && !strpbrk(PQgetvalue(rows, i, 0), ":\n"))
            rhost_put_fmt(one, "title", "%s: %s", database, PQgetvalue(rows, i, 0));
        pg_put_server(one);
        report(rows, i, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return rows ? 0 : -1;
}

static int32_t
get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names;
    return pg_each_database(ctx, list_database);
}

static struct pg *
open_for_change(rhost_ctx *ctx, const struct rhost_change *change)
{
    return pg_connect(ctx, change->name, change->should, rhost_str(change->name, "database"));
}

/* What `latest` means for this extension, in memory of the call; NULL with a failure said. */
static const char *
latest(rhost_ctx *ctx, struct pg *pg, const char *name)
{
    pg_autoresult PGresult *rows = pg_query(
        ctx, pg, "version",
        "SELECT default_version FROM pg_catalog.pg_available_extensions WHERE name = $1::text", 1, &name);

    if (rows && PQntuples(rows) == 0)
        rhost_fail_attr(ctx, "version", "extension '%s' is not installed on the server", name);
    return rows && PQntuples(rows) ? rhost_strdup(ctx, PQgetvalue(rows, 0, 0)) : NULL;
}

static int32_t
insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "version"), *newest;
    pg_autoclose struct pg *pg = NULL;

    if (strcmp(attribute, "version") != 0 || !is
        || strcmp(rhost_str_or(change->should, "version", ""), "latest") != 0)
        return RHOST_DEFAULT_COMPARISON;
    pg = open_for_change(ctx, change);
    newest = pg ? latest(ctx, pg, rhost_str(change->name, "name")) : NULL;
    if (!newest)
        return -1;
    return strcmp(newest, is) == 0 ? 0 : rhost_differs(ctx, "%s → %s", is, newest);
}

/* Without a schema it is that of the extension, or public: the server takes the first one of search_path,
 * which is empty otherwise. */
static int32_t
create_in_transaction(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change)
{
    const char *version = rhost_str(change->should, "version"), *schema = rhost_str(change->should, "schema");
    const char *name = pg_name(ctx, pg, rhost_str(change->name, "name"));

    if (version && strcmp(version, "latest") == 0)
        version = NULL;
    if (!name || (version && !(version = pg_literal(ctx, pg, version))))
        return -1;
    if (schema
        && pg_finds(ctx, pg, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1::text", schema) == 0)
        return rhost_fail_attr(ctx, "schema", "schema '%s' does not exist", schema);
    if (schema && !(schema = pg_name(ctx, pg, schema)))
        return -1;
    if (!schema && pg_run(ctx, pg, NULL, "SET LOCAL search_path TO public") < 0)
        return -1;
    return pg_run(ctx, pg, version ? "version" : NULL,
                  rhost_fmt(ctx, "CREATE EXTENSION %s%s%s%s%s%s", name, schema ? " SCHEMA " : "",
                            schema ? schema : "", version ? " VERSION " : "", version ? version : "",
                            rhost_bool(change->should, "cascade", 0) ? " CASCADE" : ""));
}

static int32_t
create(rhost_ctx *ctx, const struct rhost_change *change)
{
    pg_autoclose struct pg *pg = open_for_change(ctx, change);

    return !pg || pg_begin(ctx, pg) < 0 ? -1 : pg_end(ctx, pg, create_in_transaction(ctx, pg, change));
}

static int32_t
write_all(rhost_ctx *ctx, struct pg *pg, const struct rhost_change *change)
{
    const char *version = rhost_str(change->should, "version"), *schema = rhost_str(change->should, "schema");
    const char *plain = rhost_str(change->name, "name"), *name = pg_name(ctx, pg, plain);

    if (!name)
        return -1;
    if (schema && strcmp(schema, rhost_str_or(change->is, "schema", "")) != 0) {
        schema = pg_name(ctx, pg, schema);
        if (!schema
            || pg_run(ctx, pg, "schema", rhost_fmt(ctx, "ALTER EXTENSION %s SET SCHEMA %s", name, schema))
                   < 0)
            return -1;
    }
    if (version && strcmp(version, "latest") == 0 && !(version = latest(ctx, pg, plain)))
        return -1;
    if (version && strcmp(version, rhost_str_or(change->is, "version", "")) != 0) {
        version = pg_literal(ctx, pg, version);
        if (!version
            || pg_run(ctx, pg, "version", rhost_fmt(ctx, "ALTER EXTENSION %s UPDATE TO %s", name, version))
                   < 0)
            return -1;
    }
    return 0;
}

static int32_t
update(rhost_ctx *ctx, const struct rhost_change *change)
{
    pg_autoclose struct pg *pg = open_for_change(ctx, change);

    return !pg || pg_begin(ctx, pg) < 0 ? -1 : pg_end(ctx, pg, write_all(ctx, pg, change));
}

static int32_t
drop(rhost_ctx *ctx, const struct rhost_change *change)
{
    pg_autoclose struct pg *pg = open_for_change(ctx, change);
    const char *name = pg ? pg_name(ctx, pg, rhost_str(change->name, "name")) : NULL;

    return name ? pg_run(ctx, pg, NULL,
                         rhost_fmt(ctx, "DROP EXTENSION %s%s", name,
                                   rhost_bool(change->should, "cascade", 0) ? " CASCADE" : ""))
                : -1;
}

static const struct rhost_provider postgresql_extension_provider = {
    RHOST_PROVIDER("postgresql_extension", "Keep extensions of databases of PostgreSQL servers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .title_patterns = titles,
    .relations = relations,
    .canonicalize = canonicalize,
    .validate = validate,
    .insync = insync,
    .load = load,
    .get = get,
    .create = create,
    .update = update,
    .remove = drop,
    .needs = needs,
};

RHOST_PLUGIN(postgresql_extension, "1.0", &postgresql_extension_provider)
