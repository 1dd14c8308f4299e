/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - groups and users that neither the distribution nor a package made, and keys of SSH. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_DYNAMIC = 100, NOBODY = 65534, USUAL_FIRST = 1000 };

/* A number of /etc/login.defs. */
static int64_t
login_number(struct looking *l, const char *name)
{
    struct stat st;
    size_t n, len = strlen(name);
    char *text = rh_capture_read(l, "/etc/login.defs", &n, &st), *line;
    int64_t number = 0;

    while ((line = rh_capture_line(&text)))
        if (strncmp(line, name, len) == 0 && (line[len] == ' ' || line[len] == '\t'))
            number = strtoll(line + len, NULL, 10);
    return number > 0 ? number : USUAL_FIRST;
}

static int64_t
number_of(const struct rh_value *item, const char *attribute)
{
    const struct rh_value *v = rh_value_get(item, attribute);

    return rh_value_is(v, RH_INTEGER) ? v->u.integer : -1;
}

/* Whether an account with this number is the system's. Those below `first` are made by packages, but for what
 * none of them names. */
static bool
is_of_system(struct looking *l, const char *name, int64_t number, int64_t first)
{
    if (number >= first)
        return number == NOBODY;
    if (number == 0)
        return strcmp(name, "root") == 0;
    return number < FIRST_DYNAMIC || !rh_dpkg_known(l) || rh_dpkg_makes_account(l, name);
}

static void
drop_if(struct rh_value *item, const char *attribute, bool drop)
{
    if (drop)
        rh_value_drop(item, attribute);
}

static bool
is_number(const struct rh_value *item, const char *attribute, int64_t number)
{
    return rh_value_get(item, attribute) && number_of(item, attribute) == number;
}

static bool
is_false(const struct rh_value *item, const char *attribute)
{
    const struct rh_value *v = rh_value_get(item, attribute);

    return rh_value_is(v, RH_BOOLEAN) && !v->u.integer;
}

static bool
has_hash(const struct rh_value *item)
{
    const char *hash = rh_value_get_str(item, "password", "");

    return *hash && *hash != '*' && *hash != '!';
}

/* "*" lets nobody in, and is no secret. */
static void
show_no_password(struct looking *l, struct rh_value *item)
{
    if (rh_value_get(item, "password") && !has_hash(item))
        rh_value_put(item, "password", rh_value_string(l->arena, rh_value_get_str(item, "password", "*")));
}

static bool
shares_number(const struct rh_value *items, const char *attribute, int64_t number)
{
    size_t n = 0;

    for (size_t i = 0; i < rh_value_count(items); i++)
        n += number_of(rh_value_at(items, i), attribute) == number;
    return n > 1;
}

static void
add_user(struct looking *l, const struct rh_value *items, const struct rh_value *item, int64_t first)
{
    static const char *const attributes[] = { "name",
                                              "uid",
                                              "gid",
                                              "groups",
                                              "comment",
                                              "home",
                                              "create_home",
                                              "shell",
                                              "password",
                                              "locked",
                                              "expiry",
                                              "password_min_age",
                                              "password_max_age",
                                              "password_warn_days",
                                              "password_inactive_days",
                                              "password_last_change",
                                              NULL };
    struct rh_value *copy = rh_capture_item(l, item, attributes);
    const char *home = rh_value_get_str(item, "home", "");
    int64_t uid = number_of(item, "uid");
    struct stat st;

    /* What a new account has anyway. */
    drop_if(copy, "groups", rh_value_count(rh_value_get(copy, "groups")) == 0);
    drop_if(copy, "comment", !*rh_value_get_str(copy, "comment", ""));
    drop_if(copy, "locked", is_false(copy, "locked") || !rh_value_get(copy, "password"));
    drop_if(copy, "expiry", strcmp(rh_value_get_str(copy, "expiry", ""), "never") == 0);
    drop_if(copy, "password_min_age", is_number(copy, "password_min_age", uid < first ? -1 : 0));
    drop_if(copy, "password_max_age", is_number(copy, "password_max_age", uid < first ? -1 : 99999));
    drop_if(copy, "password_warn_days", is_number(copy, "password_warn_days", uid < first ? -1 : 7));
    drop_if(copy, "password_inactive_days", is_number(copy, "password_inactive_days", -1));
    /* That of the password: without it, it would be said of another one. */
    drop_if(copy, "password_last_change",
            !(has_hash(copy) && l->options->secrets)
                && strcmp(rh_value_get_str(copy, "password_last_change", ""), "must_change") != 0);
    show_no_password(l, copy);
    drop_if(copy, "create_home", true);
    if (*home == '/' && lstat(home, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == (uid_t)uid)
        rh_value_put(copy, "create_home", rh_value_boolean(l->arena, true));
    if (uid < first)
        rh_value_put(copy, "system", rh_value_boolean(l->arena, true));
    if (shares_number(items, "uid", uid))
        rh_value_put(copy, "allow_duplicate_uid", rh_value_boolean(l->arena, true));
    rh_capture_add(l, "Users", "user", copy);
}

/* Of root, whom every machine has, only a password is somebody's. */
static void
add_root(struct looking *l, const struct rh_value *item)
{
    static const char *const attributes[] = { "name", "password", "locked", NULL };
    struct rh_value *copy = rh_capture_item(l, item, attributes);

    if (!has_hash(copy))
        return;
    drop_if(copy, "locked", is_false(copy, "locked"));
    rh_capture_add(l, "Users", "user", copy);
}

/* Its members but for those who are captured, and name it among their groups. */
static struct rh_value *
other_members(struct looking *l, const struct rh_value *item)
{
    const struct rh_value *members = rh_value_get(item, "members");
    struct rh_value *others = rh_value_new(l->arena, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(members); i++)
        if (!rh_map_get(&l->users, rh_value_str(rh_value_at(members, i), "")))
            rh_value_append(others, rh_value_at(members, i));
    return others;
}

static void
add_group(struct looking *l, const struct rh_value *items, const struct rh_value *item, int64_t first)
{
    static const char *const attributes[] = { "name", "gid", NULL };
    struct rh_value *copy = rh_capture_item(l, item, attributes), *members = other_members(l, item);
    int64_t gid = number_of(item, "gid");

    if (members->count)
        rh_value_put(copy, "members", members);
    if (gid < first)
        rh_value_put(copy, "system", rh_value_boolean(l->arena, true));
    if (shares_number(items, "gid", gid))
        rh_value_put(copy, "allow_duplicate_gid", rh_value_boolean(l->arena, true));
    rh_capture_add(l, "Groups", "group", copy);
}

void
rh_capture_accounts(struct looking *l)
{
    struct rh_value *groups = rh_capture_list(l, "group"), *users = rh_capture_list(l, "user");
    int64_t first_user = login_number(l, "UID_MIN"), first_group = login_number(l, "GID_MIN");

    for (size_t i = 0; i < rh_value_count(users); i++) {
        const char *name = rh_value_get_str(rh_value_at(users, i), "name", "");

        if (!is_of_system(l, name, number_of(rh_value_at(users, i), "uid"), first_user))
            rh_map_put(&l->users, name, l);
    }
    for (size_t i = 0; i < rh_value_count(groups); i++) {
        const struct rh_value *item = rh_value_at(groups, i);

        if (!is_of_system(l, rh_value_get_str(item, "name", ""), number_of(item, "gid"), first_group))
            add_group(l, groups, item, first_group);
    }
    for (size_t i = 0; i < rh_value_count(users); i++) {
        const struct rh_value *item = rh_value_at(users, i);
        const char *name = rh_value_get_str(item, "name", "");

        if (rh_map_get(&l->users, name))
            add_user(l, users, item, first_user);
        else if (strcmp(name, "root") == 0)
            add_root(l, item);
    }
}

/* An option of sshd that may hand on a secret. */
static bool
has_environment(const struct rh_value *item)
{
    const struct rh_value *options = rh_value_get(item, "options");

    for (size_t i = 0; i < rh_value_count(options); i++)
        if (strncmp(rh_value_str(rh_value_at(options, i), ""), "environment=", 12) == 0)
            return true;
    return false;
}

void
rh_capture_keys(struct looking *l)
{
    static const char *const attributes[] = { "title", "name", "user",    "target",
                                              "type",  "key",  "options", NULL };
    struct rh_value *items = rh_capture_list(l, "ssh_authorized_key");

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);
        struct rh_value *copy = rh_capture_item(l, item, attributes);
        struct rh_captured *c;

        drop_if(copy, "options", rh_value_count(rh_value_get(copy, "options")) == 0);
        c = rh_capture_add(l, "Keys of SSH", "ssh_authorized_key", copy);
        if (c && has_environment(item))
            c->secret = "its options set an environment";
    }
}
