/* SPDX-License-Identifier: Apache-2.0 */
/* change - bringing a user to what is wanted, with the system's own tools. */

#include "change.h"

#include "home.h"
#include "removal.h"
#include "tools.h"

#include <rhost/catalog.h>

const char *
change_unlocked(const char *password)
{
    return password + strspn(password, "!");
}

const char *
change_home(const struct rhost_change *change)
{
    const char *home = rhost_str_of(change, "home");

    return home ? home : "";
}

static const char *
name_of(const struct rhost_change *change)
{
    return rhost_str(change->name, "name");
}

int
change_differs(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, attribute);
    const rhost_value *now = rhost_get(change->is, attribute);

    return rhost_has(change->should, attribute) && (!now || !wanted->host->equal(wanted, now));
}

static int
is_inclusive(const struct rhost_change *change)
{
    return strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") == 0;
}

static int
has(const rhost_value *array, const char *text)
{
    for (size_t i = 0; i < rhost_count(array); i++)
        if (strcmp(rhost_str_at(array, i), text) == 0)
            return 1;
    return 0;
}

/* What is wanted of an attribute, as an argument; NULL when it is as it should be. */
static const char *
argument(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, attribute);

    if (!change_differs(change, attribute))
        return NULL;
    if (wanted->host->kind(wanted) == RHOST_INTEGER)
        return tools_number(ctx, wanted->host->integer(wanted, -1));
    return wanted->host->string(wanted, NULL);
}

static const char *
day_argument(const struct rhost_change *change, const char *attribute)
{
    const char *day = change_differs(change, attribute) ? rhost_str(change->should, attribute) : NULL;

    if (day && strcmp(day, CHANGE_NEVER) == 0)
        return "";
    if (day && strcmp(day, CHANGE_UNSET) == 0)
        return "-1";
    return day && strcmp(day, CHANGE_MUST_CHANGE) == 0 ? "0" : day;
}

/* What useradd and usermod have in common. */
static void
common_options(rhost_ctx *ctx, const struct rhost_change *change, struct tools_command *c)
{
    const char *uid = argument(ctx, change, "uid");

    tools_option(c, "-u", uid);
    if (uid && rhost_bool(change->should, "allow_duplicate_uid", 0))
        tools_word(c, "-o");
    tools_option(c, "-c", argument(ctx, change, "comment"));
    tools_option(c, "-d", argument(ctx, change, "home"));
    tools_option(c, "-s", argument(ctx, change, "shell"));
    tools_option(c, "-e", day_argument(change, "expiry"));
    tools_option(c, "-f", argument(ctx, change, "password_inactive_days"));
}

/* How the password stands in /etc/shadow now; NULL when there is none, or after failing. */
static const char *
password_now(rhost_ctx *ctx, const char *name)
{
    const struct accounts *a = tools_accounts(ctx);
    const struct accounts_user *u = a ? accounts_user(a, name) : NULL;

    return u ? u->password : NULL;
}

/* Somebody who has locked a password does not expect that setting another one unlocks it. One that
 * could never be used was not locked by anybody. */
static int
stays_locked(const char *now)
{
    const char *hash = now ? change_unlocked(now) : "";

    return hash != now && *hash && strcmp(hash, "*") != 0;
}

/* The only way for it: a pipe, which nobody else can look into. */
static int32_t
write_password(rhost_ctx *ctx, const struct rhost_change *change, const char *mark, const char *hash)
{
    const char *name = name_of(change);
    size_t size = strlen(name) + strlen(mark) + strlen(hash) + 3;
    char *line = rhost_alloc(ctx, size);
    struct tools_command c = { .words = { "chpasswd", "-e" }, .n = 2, .input = line };
    int32_t result;

    snprintf(line, size, "%s:%s%s\n", name, mark, hash);
    result = tools_run(ctx, change, &c);
    explicit_bzero(line, size);
    return result;
}

static int32_t
set_password(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *hash = rhost_str(change->should, "password");
    int locked = rhost_bool(change->should, "locked", stays_locked(password_now(ctx, name_of(change))));

    return write_password(ctx, change, locked && *hash != '!' ? "!" : "", hash);
}

/* Only the lock is another: -L puts a mark in front of what stands there, -U takes one away. */
static int32_t
set_lock(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *now = password_now(ctx, name_of(change));
    int lock = rhost_bool(change->should, "locked", 0);
    size_t marks = now ? strspn(now, "!") : 0;
    size_t times = lock ? !marks : marks;
    struct tools_command c = { .words = { "usermod", lock ? "-L" : "-U", name_of(change) }, .n = 3 };

    if (!lock && (!now || !*change_unlocked(now)))
        return rhost_fail_attr(ctx, "locked",
                               "no password to unlock: set one as "
                               "'password', or '*' for none");
    if (lock && !now) /* usermod would leave its mark in /etc/passwd */
        return write_password(ctx, change, "!", "");
    for (size_t i = 0; i < times; i++)
        if (tools_run(ctx, change, &c) < 0)
            return -1;
    return 0;
}

static int32_t
set_ageing(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct tools_command c = { .words = { "chage" }, .n = 1 };
    /* Setting a password has made today the day of its last change. */
    int renewed = change_differs(change, "password") && rhost_has(change->should, "password_last_change");

    tools_option(&c, "-m", argument(ctx, change, "password_min_age"));
    tools_option(&c, "-M", argument(ctx, change, "password_max_age"));
    tools_option(&c, "-W", argument(ctx, change, "password_warn_days"));
    if (renewed) {
        struct rhost_change all = *change;

        all.is = NULL;
        tools_option(&c, "-d", day_argument(&all, "password_last_change"));
    } else {
        tools_option(&c, "-d", day_argument(change, "password_last_change"));
    }
    if (c.n == 1)
        return 0;
    tools_word(&c, name_of(change));
    return tools_run(ctx, change, &c);
}

/* What neither useradd nor usermod does, and in this order. */
static int32_t
finish(rhost_ctx *ctx, const struct rhost_change *change)
{
    if (change_differs(change, "password")) {
        if (set_password(ctx, change) < 0)
            return -1;
    } else if (change_differs(change, "locked") && set_lock(ctx, change) < 0) {
        return -1;
    }
    return set_ageing(ctx, change);
}

/* Whether a group of the manifest wants this user among its members, and is there to be joined. A
 * group comes before the users that it names, and leaves out those that are yet to be made. */
static int
is_awaited(const rhost_value *group, const struct accounts *a, const char *user)
{
    const rhost_value *should = rhost_get(group, "should"), *members = rhost_get(should, "members");
    const char *name = rhost_str_or(should, "name", "");

    if (rhost_bool(group, "noop", 0) || !accounts_group(a, name) || rhost_wants_absence(should))
        return 0;
    return has(members, user);
}

/* The groups of a new account: those that it names, and those that name it. */
static const rhost_value *
first_groups(rhost_ctx *ctx, const struct rhost_change *change, const struct accounts *a)
{
    const rhost_value *wanted = rhost_get(change->should, "groups");
    const rhost_value *declared = rhost_declared_all(ctx, "group");
    rhost_value *groups;

    if (rhost_has(change->should, "groups") && is_inclusive(change))
        return wanted;
    groups = ctx->host->put_array(ctx->host->new_hash(ctx), "groups");
    for (size_t i = 0; i < rhost_count(wanted); i++)
        rhost_put_str(groups, NULL, rhost_str_at(wanted, i));
    for (size_t i = 0; i < rhost_count(declared); i++) {
        const rhost_value *group = rhost_at(declared, i, NULL);
        const char *name = rhost_str(rhost_get(group, "should"), "name");

        if (is_awaited(group, a, name_of(change)) && !has(wanted, name))
            rhost_put_str(groups, NULL, name);
    }
    return groups;
}

/* Of a new account. Its own group, of its name, is made where it is missing; where it is there, useradd has
 * to be told, or refuses. */
static void
primary_group(rhost_ctx *ctx, const struct rhost_change *change, const struct accounts *a,
              struct tools_command *c)
{
    const char *gid = rhost_str(change->should, "gid");
    int own = !rhost_has(change->should, "gid") || (gid && strcmp(gid, name_of(change)) == 0);

    if (!own)
        tools_option(c, "-g", argument(ctx, change, "gid"));
    else if (accounts_group(a, name_of(change)))
        tools_option(c, "-g", name_of(change));
    else if (gid)
        tools_word(c, "-U");
}

int32_t
change_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    const struct accounts *a = tools_accounts(ctx);
    struct tools_command c = { .words = { "useradd" }, .n = 1 };
    const rhost_value *groups;

    if (!a)
        return -1;
    if (!rhost_bool(should, "locked", 1) && !rhost_has(should, "password"))
        return rhost_fail_attr(ctx, "locked",
                               "a new account without a password is locked: give one "
                               "as 'password', or '*' for none");
    if (home_check(ctx, change, NULL) < 0)
        return -1;
    if (rhost_bool(should, "system", 0))
        tools_word(&c, "-r");
    common_options(ctx, change, &c);
    primary_group(ctx, change, a, &c);
    groups = first_groups(ctx, change, a);
    if (rhost_count(groups))
        tools_option(&c, "-G", tools_list(ctx, groups));
    tools_word(&c, rhost_bool(should, "create_home", 0) ? "-m" : "-M");
    if (rhost_bool(should, "create_home", 0)) { /* the paths that were checked, and no others */
        tools_option(&c, "-k", home_skel(ctx, change));
        tools_option(&c, "-d", rhost_has(should, "home") ? NULL : home_of(ctx, change));
    }
    tools_word(&c, name_of(change));
    return tools_run(ctx, change, &c) < 0 ? -1 : finish(ctx, change);
}

static const rhost_value *
missing_groups(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "groups");
    const rhost_value *is = rhost_get(change->is, "groups");
    rhost_value *missing = ctx->host->put_array(ctx->host->new_hash(ctx), "groups");

    for (size_t i = 0; i < rhost_count(wanted); i++)
        if (!has(is, rhost_str_at(wanted, i)))
            rhost_put_str(missing, NULL, rhost_str_at(wanted, i));
    return missing;
}

static int
same_groups(const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "groups");
    const rhost_value *is = rhost_get(change->is, "groups");

    for (size_t i = 0; i < rhost_count(wanted); i++)
        if (!has(is, rhost_str_at(wanted, i)))
            return 0;
    return rhost_count(wanted) == rhost_count(is); /* neither has a name twice */
}

static void
group_options(rhost_ctx *ctx, const struct rhost_change *change, struct tools_command *c)
{
    if (!rhost_has(change->should, "groups"))
        return;
    if (is_inclusive(change)) {
        if (!same_groups(change))
            tools_option(c, "-G", tools_list(ctx, rhost_get(change->should, "groups")));
    } else {
        const rhost_value *missing = missing_groups(ctx, change);

        if (rhost_count(missing)) {
            tools_word(c, "-a");
            tools_option(c, "-G", tools_list(ctx, missing));
        }
    }
}

int32_t
change_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct tools_command c = { .words = { "usermod" }, .n = 1 };
    int moves = 0;

    common_options(ctx, change, &c);
    tools_option(&c, "-g", argument(ctx, change, "gid"));
    if (home_check(ctx, change, &moves) < 0)
        return -1;
    if (moves)
        tools_word(&c, "-m");
    group_options(ctx, change, &c);
    if (c.n > 1) {
        tools_word(&c, name_of(change));
        if (tools_run(ctx, change, &c) < 0)
            return -1;
    }
    return home_make(ctx, change) < 0 ? -1 : finish(ctx, change);
}

/* userdel takes the group of that name along; one that the manifest wants stays, with its number. */
static int32_t
keep_group(rhost_ctx *ctx, const struct rhost_change *change, uint32_t gid)
{
    const struct accounts *a = tools_accounts(ctx);
    struct tools_command c = { .words = { "groupadd", "-o", "-g" }, .n = 3 };

    if (!a || accounts_group(a, name_of(change)))
        return a ? 0 : -1;
    tools_word(&c, tools_number(ctx, gid));
    tools_word(&c, name_of(change));
    return tools_run(ctx, change, &c);
}

/* The account goes before its home directory: userdel refuses to remove one whose processes run. */
static int32_t
remove_account(rhost_ctx *ctx, const struct rhost_change *change, struct removal *removal)
{
    const struct accounts *a = tools_accounts(ctx);
    const struct accounts_group *g = a ? accounts_group(a, name_of(change)) : NULL;
    const rhost_value *wanted = g ? rhost_declared(ctx, "group", g->name) : NULL;
    int kept = wanted && strcmp(rhost_str_or(wanted, "ensure", "present"), "absent") != 0;
    struct tools_command c = { .words = { "userdel", name_of(change) }, .n = 2 };
    uint32_t gid = g ? g->gid : 0;
    int32_t result;

    if (!a || tools_run(ctx, change, &c) < 0)
        return -1;
    result = kept ? keep_group(ctx, change, gid) : 0;
    return removal && removal_apply(ctx, change, removal, result < 0) < 0 ? -1 : result;
}

int32_t
change_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const struct accounts *a = tools_accounts(ctx);
    /* A parameter, so it is in `should` when that is there, and in `is` in any case. */
    int clean = rhost_bool(change->should, "remove_home", rhost_bool(change->is, "remove_home", 0));
    struct removal removal;
    int32_t result;

    if (!a)
        return -1;
    if (rhost_int(change->is, "uid", -1) == 0)
        return rhost_fail(ctx, "'%s' is not removed: its number is 0", name_of(change));
    if (!clean)
        return remove_account(ctx, change, NULL);
    result = removal_open(ctx, a, change, &removal);
    if (result == 0)
        result = remove_account(ctx, change, &removal);
    removal_close(&removal);
    return result;
}
