/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql - roles and databases of PostgreSQL servers. An example for the guide: two types in one plugin, a
 * connection that both share, servers that may be down, and passwords that cannot be read back. */
#include "postgresql.h"

#include <rhost/private.h>

#define SERVER "Pattern[/\\A(\\/[^:\\s]{1,90}|[A-Za-z0-9.-]{1,253})(:[1-9][0-9]{0,4})?\\z/]"
#define NAME "Pattern[/\\A[^\\x00-\\x1f\\x7f]{1,63}\\z/]"
#define SECRET "Optional[Sensitive[String[1, 1000]]]"
#define LIMIT "Optional[Integer[-1, 2147483647]]"

enum { LONGEST = 63 }; /* bytes of a name */

/* What both types begin with. */
#define COMMON                                                                                             \
    { .name = "server", .type = SERVER, .behaviour = RHOST_NAMEVAR,                                        \
      .default_value = "\"" DEFAULT_SERVER "\"",                                                           \
      .desc = "The host, or the directory of the socket, and the port: 'db.example.com:5432'." },          \
    { .name = "name", .type = NAME, .behaviour = RHOST_NAMEVAR, .desc = "The name on that server." },      \
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",                   \
      .desc = "Whether there should be such a one." },                                                     \
    { .name = "admin", .type = NAME, .behaviour = RHOST_PARAMETER,                                         \
      .default_value = "\"" DEFAULT_ADMIN "\"", .desc = "The role that makes the changes." },              \
    { .name = "admin_password", .type = SECRET, .behaviour = RHOST_PARAMETER,        \
      .desc = "Its password, where the server asks for one." }

static const struct rhost_attr role_attrs[] = {
    COMMON,
    { .name = "can_login", .type = "Optional[Boolean]", .desc = "Whether it may connect." },
    { .name = "superuser", .type = "Optional[Boolean]", .desc = "Whether it may do everything." },
    { .name = "create_db", .type = "Optional[Boolean]", .desc = "Whether it may create databases." },
    { .name = "connection_limit", .type = LIMIT, .desc = "How many connections at once; -1: no limit." },
    { .name = "password", .type = SECRET, .desc = "Its password, which is never read." },
};

static const struct rhost_attr database_attrs[] = {
    COMMON,
    { .name = "owner", .type = "Optional[" NAME "]", .desc = "The role that owns it." },
    { .name = "connection_limit", .type = LIMIT, .desc = "How many connections at once; -1: no limit." },
    { .name = "encoding", .type = "Optional[Pattern[/\\A[A-Za-z0-9_-]{1,20}\\z/]]", .behaviour = RHOST_INIT_ONLY,
      .desc = "The encoding of its text, such as UTF8." },
    { .name = "template", .type = "Optional[" NAME "]", .behaviour = RHOST_PARAMETER, .desc = "The database to copy." },
};

/* "HOST:PORT:NAME", or the name on this machine's server. */
static const char *const titles[]
    = { "\\A(?<server>[^:\\n]+:[0-9]+):(?<name>[^\\n]+)\\z", "\\A(?<name>[^\\n]+)\\z", NULL };

/* --- Names. ------------------------------------------------------------------------------------- */

/* One server has one name, whoever writes it: "DB.example.com" is "db.example.com:5432". */
static int32_t
canonical_server(rhost_ctx *ctx, rhost_value *resource)
{
    char *server = rhost_strdup(ctx, rhost_str(resource, "server"));

    if (!server)
        return 0;
    for (char *c = server; *server != '/' && *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c += 'a' - 'A';
    rhost_put_str(resource, "server", strchr(server, ':') ? server : rhost_fmt(ctx, "%s:5432", server));
    return 0;
}

/* As the server reports it: "utf-8" is "UTF8". */
static int32_t
canonical_database(rhost_ctx *ctx, rhost_value *resource)
{
    const char *encoding = rhost_str(resource, "encoding");
    int number = encoding ? pg_char_to_encoding(encoding) : 0;

    if (number < 0)
        return rhost_fail_attr(ctx, "encoding", "PostgreSQL has no encoding '%s'", encoding);
    if (encoding)
        rhost_put_str(resource, "encoding", pg_encoding_to_char(number));
    return canonical_server(ctx, resource);
}

/* A longer name would be cut by the server, and be that of another one. */
static int32_t
validate_name(rhost_ctx *ctx, const rhost_value *resource, const char *attribute)
{
    const char *name = rhost_str(resource, attribute);

    if (name && strlen(name) > LONGEST)
        return rhost_fail_attr(ctx, attribute, "it has %zu bytes, and PostgreSQL takes %d", strlen(name), LONGEST);
    return 0;
}

static int32_t
validate_role(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *name = rhost_str_or(resource, "name", "");

    if (validate_name(ctx, resource, "name") < 0)
        return -1;
    if (strncmp(name, "pg_", 3) == 0 || strcmp(name, "public") == 0 || strcmp(name, "none") == 0)
        return rhost_fail_attr(ctx, "name", "PostgreSQL keeps the name '%s' for itself", name);
    if (rhost_has(resource, "password") && !rhost_bool(resource, "can_login", 1))
        return rhost_fail_attr(ctx, "password", "a role with can_login: false has no use for one");
    return 0;
}

static int32_t
validate_database(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *from = rhost_str_or(resource, "template", "template0");

    if (validate_name(ctx, resource, "name") < 0 || validate_name(ctx, resource, "owner") < 0)
        return -1;
    if (rhost_has(resource, "encoding") && strcmp(from, "template0") != 0)
        return rhost_fail_attr(ctx, "encoding", "only a copy of template0 can have one of its own");
    return 0;
}

/* --- Reading. ----------------------------------------------------------------------------------- */

typedef void row_fn(const PGresult *rows, int i, rhost_value *one);

/* Emits what a statement finds on one server. $1 is the name, or NULL for all. */
static int32_t
emit_rows(rhost_ctx *ctx, const char *server, const PGresult *rows, row_fn *fill)
{
    for (int i = 0; i < PQntuples(rows); i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "server", server);
        rhost_put_str(one, "name", PQgetvalue(rows, i, 0));
        rhost_put_str(one, "ensure", "present");
        rhost_put_int(one, "connection_limit", strtoll(PQgetvalue(rows, i, 1), NULL, 10));
        fill(rows, i, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

/* 0, or -1 with the reason in *why; what is emitted of others counts. */
static int32_t
read_one(rhost_ctx *ctx, const char *server, const rhost_value *wanted, const char *name, const char *statement,
         row_fn *fill, const char **why)
{
    PGconn *conn = reach(ctx, server, wanted);
    PGresult *rows;
    int32_t done = -1;

    if (!conn || PQstatus(conn) != CONNECTION_OK) {
        *why = unreachable(ctx, conn);
        return -1;
    }
    rows = PQexecParams(conn, statement, 1, NULL, &name, NULL, NULL, 0);
    if (PQresultStatus(rows) == PGRES_TUPLES_OK)
        done = emit_rows(ctx, server, rows, fill);
    else
        *why = refused(ctx, conn, rows);
    PQclear(rows);
    return done;
}

/* Names may be of several servers: what one of them fails with is said of its own resources only. All that
 * are there can be listed for this machine's server alone. */
static int32_t
read_names(rhost_ctx *ctx, const rhost_value *names, const char *statement, row_fn *fill)
{
    const char *why = NULL;

    forget_failed(ctx);
    if (!names && read_one(ctx, DEFAULT_SERVER, NULL, NULL, statement, fill, &why) < 0)
        return why ? rhost_fail(ctx, "%s", why) : -1;
    for (size_t i = 0; i < rhost_count(names); i++) {
        const rhost_value *name = rhost_at(names, i, NULL);

        why = NULL;
        if (read_one(ctx, rhost_str(name, "server"), rhost_asked(ctx, i), rhost_str(name, "name"), statement, fill,
                     &why)
            == 0)
            continue;
        if (!why)
            return -1;
        rhost_fail_name(ctx, name, "%s", why);
    }
    return 0;
}

static void
fill_role(const PGresult *rows, int i, rhost_value *one)
{
    rhost_put_bool(one, "can_login", *PQgetvalue(rows, i, 2) == 't');
    rhost_put_bool(one, "superuser", *PQgetvalue(rows, i, 3) == 't');
    rhost_put_bool(one, "create_db", *PQgetvalue(rows, i, 4) == 't');
}

static void
fill_database(const PGresult *rows, int i, rhost_value *one)
{
    rhost_put_str(one, "owner", PQgetvalue(rows, i, 2));
    rhost_put_str(one, "encoding", PQgetvalue(rows, i, 3));
}

/* $1::text, since a parameter of the type "name" would be cut after 63 bytes. */
static int32_t
get_roles(rhost_ctx *ctx, const rhost_value *names)
{
    return read_names(ctx, names,
                      "SELECT rolname, rolconnlimit, rolcanlogin, rolsuper, rolcreatedb FROM pg_roles"
                      " WHERE ($1::text IS NULL AND rolname !~ '^pg_') OR rolname = $1::text",
                      fill_role);
}

static int32_t
get_databases(rhost_ctx *ctx, const rhost_value *names)
{
    return read_names(ctx, names,
                      "SELECT d.datname, d.datconnlimit, pg_get_userbyid(d.datdba), pg_encoding_to_char(d.encoding)"
                      " FROM pg_database d"
                      " WHERE ($1::text IS NULL AND NOT d.datistemplate) OR d.datname = $1::text",
                      fill_database);
}

/* --- Writing roles. ----------------------------------------------------------------------------- */

/* " LOGIN", " NOLOGIN", or nothing where the manifest is silent. */
static const char *
flag(rhost_ctx *ctx, const rhost_value *should, const char *attribute, const char *word)
{
    if (!rhost_has(should, attribute))
        return "";
    return rhost_fmt(ctx, rhost_bool(should, attribute, 0) ? " %s" : " NO%s", word);
}

static const char *
limit(rhost_ctx *ctx, const rhost_value *should)
{
    return rhost_has(should, "connection_limit")
               ? rhost_fmt(ctx, " CONNECTION LIMIT %lld", (long long)rhost_int(should, "connection_limit", -1))
               : "";
}

/* " PASSWORD '...'" with what the server keeps of it, which is made here: the password itself never travels,
 * and a server that logs its statements does not log it. NULL with a failure said. */
static const char *
password(rhost_ctx *ctx, PGconn *conn, const struct rhost_change *change)
{
    const char *text = rhost_str(change->should, "password"), *verifier, *quoted;

    if (!text)
        return "";
    verifier = own(ctx, PQencryptPasswordConn(conn, text, rhost_str(change->name, "name"), "scram-sha-256"));
    quoted = verifier ? own(ctx, PQescapeLiteral(conn, verifier, strlen(verifier))) : NULL;
    if (!quoted) {
        rhost_fail_attr(ctx, "password", "%s", unreachable(ctx, conn));
        return NULL;
    }
    return rhost_fmt(ctx, " PASSWORD %s", quoted);
}

/* Serves create and update. */
static int32_t
write_role(rhost_ctx *ctx, const struct rhost_change *change)
{
    PGconn *conn = connection(ctx, change);
    const char *name = conn ? identifier(ctx, conn, rhost_str(change->name, "name")) : NULL;
    const char *secret = name ? password(ctx, conn, change) : NULL;

    if (!secret)
        return -1;
    if (run(ctx, conn,
            rhost_fmt(ctx, "%s ROLE %s WITH%s%s%s%s%s", change->is ? "ALTER" : "CREATE", name,
                      flag(ctx, change->should, "can_login", "LOGIN"),
                      flag(ctx, change->should, "superuser", "SUPERUSER"),
                      flag(ctx, change->should, "create_db", "CREATEDB"), limit(ctx, change->should), secret))
        < 0)
        return -1;
    return rhost_private_written(ctx, change, "password");
}

static int32_t
insync_role(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (strcmp(attribute, "password") == 0)
        return rhost_private_insync(ctx, change, attribute);
    return RHOST_DEFAULT_COMPARISON;
}

static int32_t
remove_with(rhost_ctx *ctx, const struct rhost_change *change, const char *what)
{
    PGconn *conn = connection(ctx, change);
    const char *name = conn ? identifier(ctx, conn, rhost_str(change->name, "name")) : NULL;

    return name ? run(ctx, conn, rhost_fmt(ctx, "DROP %s %s", what, name)) : -1;
}

static int32_t
remove_role(rhost_ctx *ctx, const struct rhost_change *change)
{
    return remove_with(ctx, change, "ROLE");
}

/* --- Writing databases. ------------------------------------------------------------------------- */

/* " WORD "name"", or nothing where the manifest is silent; NULL with a failure said. */
static const char *
clause(rhost_ctx *ctx, PGconn *conn, const char *word, const char *name)
{
    const char *quoted = name ? identifier(ctx, conn, name) : NULL;

    if (!name)
        return "";
    return quoted ? rhost_fmt(ctx, " %s %s", word, quoted) : NULL;
}

static int32_t
create_database(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *encoding = rhost_str(change->should, "encoding"), *from = rhost_str(change->should, "template");
    PGconn *conn = connection(ctx, change);
    const char *name, *owner, *template;

    if (!conn)
        return -1;
    if (encoding && !from)
        from = "template0";
    name = identifier(ctx, conn, rhost_str(change->name, "name"));
    owner = clause(ctx, conn, "OWNER", rhost_str(change->should, "owner"));
    template = clause(ctx, conn, "TEMPLATE", from);
    if (!name || !owner || !template)
        return -1;
    /* canonicalize() has let through the encodings' own names only, which need no quotes but take them. */
    return run(ctx, conn,
               rhost_fmt(ctx, "CREATE DATABASE %s%s%s%s%s", name, owner, template,
                         encoding ? rhost_fmt(ctx, " ENCODING '%s'", encoding) : "", limit(ctx, change->should)));
}

static int32_t
update_database(rhost_ctx *ctx, const struct rhost_change *change)
{
    PGconn *conn = connection(ctx, change);
    const char *name = conn ? identifier(ctx, conn, rhost_str(change->name, "name")) : NULL;
    const char *owner = name ? clause(ctx, conn, "OWNER TO", rhost_str(change->should, "owner")) : NULL;
    const char *most = limit(ctx, change->should);

    if (!owner || (*owner && run(ctx, conn, rhost_fmt(ctx, "ALTER DATABASE %s%s", name, owner)) < 0))
        return -1;
    return *most ? run(ctx, conn, rhost_fmt(ctx, "ALTER DATABASE %s WITH%s", name, most)) : 0;
}

static int32_t
remove_database(rhost_ctx *ctx, const struct rhost_change *change)
{
    return remove_with(ctx, change, "DATABASE");
}

/* --- The types. --------------------------------------------------------------------------------- */

static const char *const database_relations[] = {
    "autorequire postgresql_role[{server: $server, name: $owner}]",
    NULL,
};

static const struct rhost_provider role_provider = {
    RHOST_PROVIDER("postgresql_role", "Keep roles of PostgreSQL servers."),
    RHOST_ATTRS(role_attrs),
    .features = RHOST_SIMPLE_GET_FILTER,
    .title_patterns = titles,
    .canonicalize = canonical_server,
    .validate = validate_role,
    .insync = insync_role,
    .get = get_roles,
    .create = write_role,
    .update = write_role,
    .remove = remove_role,
};

static const struct rhost_provider database_provider = {
    RHOST_PROVIDER("postgresql_database", "Keep databases of PostgreSQL servers."),
    RHOST_ATTRS(database_attrs),
    .features = RHOST_SIMPLE_GET_FILTER,
    .title_patterns = titles,
    .relations = database_relations,
    .canonicalize = canonical_database,
    .validate = validate_database,
    .get = get_databases,
    .create = create_database,
    .update = update_database,
    .remove = remove_database,
};

RHOST_PLUGIN_WITH_ONE_WORKER(postgresql, "1.0", &role_provider, &database_provider)
