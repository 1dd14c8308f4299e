/* SPDX-License-Identifier: Apache-2.0 */
/* group - keep groups and who is in them, in /etc/group.
 *
 * Read from the file, once for a whole batch; changed by groupadd, groupmod, groupdel and gpasswd. */

#include "../user/login.h"
#include "../user/system.h"
#include "../user/tools.h"

#include <rhost/dry-run.h>

#include <pwd.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = ACCOUNTS_TYPE_NAME, .behaviour = RHOST_NAMEVAR, .desc = "Its name." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the group should exist." },
    { .name = "gid", .type = "Optional[" ACCOUNTS_TYPE_ID "]", .desc = "Its number." },
    { .name = "members",
      .type = "Optional[Array[" ACCOUNTS_TYPE_NAME "]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Users that are in it, apart from those whose primary group it is." },
    { .name = "membership",
      .type = "Enum[minimum, inclusive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"minimum\"",
      .desc = "Whether others may be in it as well (minimum) or not (inclusive)." },
    { .name = "system",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a new group gets a number of those for the system." },
    { .name = "allow_duplicate_gid",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether another group may have the same number." },
    TOOLS_LOCK_WAIT,
};

static const char *const relations[] = { "restores with membership=inclusive", NULL };

static const char *
name_of(const struct rhost_change *change)
{
    return rhost_str(change->name, "name");
}

static int
is_inclusive(const struct rhost_change *change)
{
    return strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") == 0;
}

/* Whether the array has this text among its first n. */
static int
has(const rhost_value *array, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        const char *one = rhost_str_at(array, i);

        if (one && strcmp(one, text) == 0)
            return 1;
    }
    return 0;
}

/* A name that is given twice counts once. */
static int32_t
group_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *members = rhost_get(resource, "members");
    size_t n = rhost_count(members), kept = 0;
    const char **names = rhost_alloc(ctx, n * sizeof *names);
    rhost_value *array;

    for (size_t i = 0; i < n; i++) {
        names[kept] = rhost_str_at(members, i);
        if (!names[kept])
            return 0; /* not what the type says: for others to refuse */
        kept += !has(members, i, names[kept]);
    }
    if (kept == n)
        return 0;
    array = resource->host->put_array(resource, "members");
    for (size_t i = 0; i < kept; i++)
        rhost_put_str(array, NULL, names[i]);
    return 0;
}

static void
report(rhost_value *into, const struct accounts_group *g)
{
    rhost_value *members;

    rhost_put_int(into, "gid", g->gid);
    members = into->host->put_array(into, "members");
    for (size_t i = 0; i < g->n_members; i++)
        if (accounts_is_name(g->members[i]) && !has(members, rhost_count(members), g->members[i]))
            rhost_put_str(members, NULL, g->members[i]);
}

/* Under noop: a number that another group has, and keeps; members that nothing creates. `is`: NULL for a new
 * one. */
static int32_t
foresee(rhost_ctx *ctx, const struct accounts *a, const rhost_value *should, const struct accounts_group *is)
{
    const rhost_value *members = rhost_get(should, "members");
    int64_t gid = rhost_int(should, "gid", -1);
    const struct accounts_group *other = gid < 0 ? NULL : accounts_group_of(a, (uint32_t)gid);

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    if (other && (!is || is->gid != gid) && !rhost_bool(should, "allow_duplicate_gid", 0)
        && !rhost_declared(ctx, "group", other->name))
        return rhost_fail_attr(ctx, "gid", "group '%s' has the gid %lld", other->name, (long long)gid);
    for (size_t i = 0; i < rhost_count(members); i++) {
        const char *name = rhost_str_at(members, i);
        size_t k = 0;

        while (is && k < is->n_members && strcmp(is->members[k], name) != 0)
            k++;
        if ((!is || k == is->n_members) && !accounts_user(a, name)
            && rhost_foresee_account(ctx, "members", 0, name) < 0)
            return -1;
    }
    return 0;
}

static int32_t
group_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const struct accounts *a = tools_accounts(ctx);
    const struct accounts_group *g = a ? accounts_group(a, rhost_str(name, "name")) : NULL;

    if (!a)
        return -1;
    if (foresee(ctx, a, should, g) < 0)
        return -1;
    if (!g)
        return RHOST_ABSENT;
    report(current, g);
    if (!should)
        rhost_put_bool(current, "system", system_has(g->gid, system_first("GID_MIN")));
    return 0;
}

/* Whether it is the primary group of who runs this. */
static int
is_of_login(const struct accounts *a, uint32_t gid, const uint32_t *logins, size_t n)
{
    for (size_t i = 0; i < a->n_users; i++)
        if (a->users[i].gid == gid && login_has(logins, n, a->users[i].uid))
            return 1;
    return 0;
}

static int32_t
group_get(rhost_ctx *ctx, const rhost_value *names)
{
    const struct accounts *a = tools_accounts(ctx);
    uint32_t first = system_first("GID_MIN"), logins[LOGINS];
    size_t n_logins = login_find(logins);

    (void)names;
    for (size_t i = 0; a && i < a->n_groups; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "name", a->groups[i].name);
        report(one, &a->groups[i]);
        rhost_put_bool(one, "system",
                       system_has(a->groups[i].gid, first)
                           || is_of_login(a, a->groups[i].gid, logins, n_logins)); /* for who purges */
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return a ? 0 : -1;
}

/* In words, who is missing: from -> to would look as if the others were to go. */
static int32_t
group_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, "members");
    const rhost_value *is = rhost_get(change->is, "members");
    char missing[1024] = "";
    size_t at = 0;

    if (!change->is || strcmp(attribute, "members") != 0 || is_inclusive(change))
        return RHOST_DEFAULT_COMPARISON;
    for (size_t i = 0; i < rhost_count(wanted) && at < sizeof missing - 64; i++) {
        const char *name = rhost_str_at(wanted, i);

        if (!has(is, rhost_count(is), name))
            at += (size_t)snprintf(missing + at, sizeof missing - at, "%s'%.40s'", at ? ", " : "", name);
    }
    return at ? rhost_differs(ctx, "%s not in it", missing) : 0;
}

/* A member that this run is still to make joins when it is made: groups come before users, which may
 * have them as their own. */
static int
is_yet_to_come(rhost_ctx *ctx, const struct accounts *a, const char *user)
{
    const rhost_value *wanted;

    if (accounts_user(a, user) || getpwnam(user))
        return 0;
    wanted = rhost_declared(ctx, "user", user);
    return wanted && strcmp(rhost_str_or(wanted, "ensure", "present"), "absent") != 0;
}

/* All at once where nobody else may be in it; or else one by one, so that nobody's member is lost
 * who came in between. */
static int32_t
set_members(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "members");
    const rhost_value *is = rhost_get(change->is, "members");
    size_t n = rhost_count(wanted), n_is = rhost_count(is), n_now = 0, n_missing = 0;
    const struct accounts *a = n ? tools_accounts(ctx) : NULL;
    rhost_value *now = ctx->host->put_array(ctx->host->new_hash(ctx), "members");

    if (!rhost_has(change->should, "members"))
        return 0;
    if (n && !a)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const char *name = rhost_str_at(wanted, i);
        int is_in = has(is, n_is, name);

        if (!is_in && is_yet_to_come(ctx, a, name))
            continue;
        rhost_put_str(now, NULL, name);
        n_missing += !is_in;
        n_now++;
    }
    if (is_inclusive(change) || !change->is) {
        const struct tools_command c = { .words = { "gpasswd", "-M", tools_list(ctx, now), name_of(change) },
                                         .n = 4 };

        return n_missing || n_now != n_is ? tools_run(ctx, change, &c) : 0;
    }
    for (size_t i = 0; i < n_now; i++) {
        const char *name = rhost_str_at(now, i);
        const struct tools_command c = { .words = { "gpasswd", "-a", name, name_of(change) }, .n = 4 };

        if (!has(is, n_is, name) && tools_run(ctx, change, &c) < 0)
            return -1;
    }
    return 0;
}

/* groupadd and groupmod: the number, when it is another. */
static int
number_option(rhost_ctx *ctx, const struct rhost_change *change, struct tools_command *c)
{
    int64_t gid = rhost_int(change->should, "gid", -1);

    if (gid < 0 || gid == rhost_int(change->is, "gid", -1))
        return 0;
    tools_option(c, "-g", tools_number(ctx, gid));
    if (rhost_bool(change->should, "allow_duplicate_gid", 0))
        tools_word(c, "-o");
    return 1;
}

static int32_t
group_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct tools_command c = { .words = { "groupadd" }, .n = 1 };

    if (rhost_bool(change->should, "system", 0))
        tools_word(&c, "-r");
    (void)number_option(ctx, change, &c);
    tools_word(&c, name_of(change));
    return tools_run(ctx, change, &c) < 0 ? -1 : set_members(ctx, change);
}

static int32_t
group_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct tools_command c = { .words = { "groupmod" }, .n = 1 };

    if (number_option(ctx, change, &c)) {
        tools_word(&c, name_of(change));
        if (tools_run(ctx, change, &c) < 0)
            return -1;
    }
    return set_members(ctx, change);
}

static int32_t
group_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const struct tools_command c = { .words = { "groupdel", name_of(change) }, .n = 2 };

    return tools_run(ctx, change, &c);
}

static const char *const needs[] = { "root",
                                     "read[/etc]",
                                     "read[/proc]",
                                     "run[groupadd]",
                                     "run[groupmod]",
                                     "run[groupdel]",
                                     "run[gpasswd]",
                                     "capability[dac_read_search]",
                                     NULL };

static const struct rhost_provider group_provider = {
    RHOST_PROVIDER("group", "Keep groups, and who is in them."),
    RHOST_ATTRS(attrs),
    .relations = relations,
    .needs = needs,
    .close = tools_close,
    .canonicalize = group_canonicalize,
    .insync = group_insync,
    .load = group_load,
    .get = group_get,
    .create = group_create,
    .update = group_update,
    .remove = group_remove,
};

RHOST_PLUGIN(group, "1.0", &group_provider)
