/* SPDX-License-Identifier: Apache-2.0 */
/* read - the privileges of a role, added up over the objects that are meant. */

#include "grant.h"

enum { MOST = 16 };

/* Of one privilege: on how many objects it is there, and with the grant option. */
struct count {
    const char *privilege;
    int has, may_grant;
};

/* Adds up the rows; the number of objects. */
static int
add_up(const PGresult *rows, struct count counts[MOST], size_t *n)
{
    int objects = 0;

    *n = 0;
    for (int i = 0; i < PQntuples(rows); i++) {
        const char *privilege = pg_field(rows, i, 1);
        size_t k = 0;

        objects += i == 0 || strcmp(PQgetvalue(rows, i, 0), PQgetvalue(rows, i - 1, 0)) != 0;
        if (!privilege)
            continue;
        while (k < *n && strcmp(counts[k].privilege, privilege) != 0)
            k++;
        if (k == MOST)
            continue;
        if (k == *n)
            counts[(*n)++] = (struct count){ .privilege = privilege };
        counts[k].has++;
        counts[k].may_grant += *PQgetvalue(rows, i, 2) == 't';
    }
    return objects;
}

static void
report(rhost_ctx *ctx, const PGresult *rows, rhost_value *current)
{
    rhost_value *privileges = current->host->put_array(current, "privileges");
    rhost_value *grantable = current->host->put_array(current, "grantable");
    rhost_value *partly = current->host->put_array(current, "partly");
    struct count counts[MOST];
    int objects, all = 1, none = 1;
    size_t n;

    objects = add_up(rows, counts, &n);
    for (size_t i = 0; i < n; i++) {
        rhost_put_str(counts[i].has == objects ? privileges : partly, NULL, counts[i].privilege);
        if (counts[i].may_grant == objects)
            rhost_put_str(grantable, NULL, counts[i].privilege);
        else if (counts[i].may_grant)
            rhost_put_str(partly, NULL, rhost_fmt(ctx, "%s" GRANT_WITH_OPTION, counts[i].privilege));
        all &= counts[i].may_grant == counts[i].has;
        none &= counts[i].may_grant == 0;
    }
    if (all || none)
        rhost_put_bool(current, "grant_option", !none);
    rhost_put_str(current, "ensure", "present");
}

static int
has_any(const PGresult *rows)
{
    for (int i = 0; i < PQntuples(rows); i++)
        if (pg_field(rows, i, 1))
            return 1;
    return 0;
}

/* Of what does not exist, nobody has privileges. */
static int32_t
missing(rhost_ctx *ctx, const rhost_value *should, const char *attribute, const char *message)
{
    return !should || rhost_wants_absence(should) ? RHOST_ABSENT
                                                  : ctx->host->fail(ctx, RHOST_MISSING, attribute, message);
}

/* In a schema without tables, all that is wanted is so. */
static int32_t
load_no_table(rhost_ctx *ctx, struct pg *pg, const rhost_value *name, const rhost_value *should,
              rhost_value *current)
{
    const char *schema = rhost_str(name, "object");
    int found = pg_finds(ctx, pg, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1::text", schema);

    if (found == 0)
        return missing(ctx, should, "object", rhost_fmt(ctx, "schema '%s' does not exist", schema));
    if (found < 0 || !should || rhost_wants_absence(should))
        return found < 0 ? -1 : RHOST_ABSENT;
    rhost_put_str(current, "ensure", "present");
    rhost_put_copy(current, "privileges", rhost_get(should, "privileges"));
    rhost_put_copy(current, "grantable", rhost_get(should, "privileges"));
    rhost_put_copy(current, "grant_option", rhost_get(should, "grant_option"));
    return 0;
}

int32_t
grant_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *role = rhost_str(name, "role"), *kind = rhost_str(name, "kind");
    pg_autoclose struct pg *pg = NULL;
    pg_autoresult PGresult *rows = NULL;
    int32_t found = pg_open_database(ctx, name, should, &pg);

    if (found)
        return found;
    if (!grant_is_public(role)) {
        int exists = pg_finds(ctx, pg, "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1::text", role);

        if (exists <= 0)
            return exists < 0
                       ? -1
                       : missing(ctx, should, "role", rhost_fmt(ctx, "role '%s' does not exist", role));
    }
    rows = object_rows(ctx, pg, name);
    if (!rows)
        return -1;
    if (PQntuples(rows) == 0 && strcmp(kind, "all_tables") == 0)
        return load_no_table(ctx, pg, name, should, current);
    if (PQntuples(rows) == 0)
        return missing(ctx, should, "object",
                       rhost_fmt(ctx, "%s '%s' does not exist", kind, rhost_str_or(name, "object", "")));
    if (!has_any(rows))
        return RHOST_ABSENT;
    report(ctx, rows, current);
    return 0;
}
