/* SPDX-License-Identifier: Apache-2.0 */
/* user - keep the accounts of users, in /etc/passwd, /etc/shadow and the groups they are in.
 *
 * Read from the files, all of them once for a whole batch; changed by useradd, usermod, userdel,
 * chpasswd and chage. A password travels to chpasswd through a pipe. */

#include "change.h"
#include "foresee.h"
#include "home.h"
#include "login.h"
#include "system.h"
#include "tools.h"

#include <rhost/posix.h>

#include <grp.h>
#include <time.h>

#define DATE "Pattern[/\\A[0-9]{4}-[0-9]{2}-[0-9]{2}\\z/]"
#define DAYS "Optional[Integer[-1, 2147483647]]"
/* As crypt(5) makes them; or none that could ever match. A password in clear is none of these. */
#define HASH "\\*[^:\\n]*|\\$[^:\\s]+|[A-Za-z0-9.\\/]{13}|_[A-Za-z0-9.\\/]{19}"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = ACCOUNTS_TYPE_NAME,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name to log in with." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the account should exist." },
    { .name = "uid", .type = "Optional[" ACCOUNTS_TYPE_ID "]", .desc = "Its number." },
    { .name = "gid",
      .type = "Optional[Variant[" ACCOUNTS_TYPE_ID ", " ACCOUNTS_TYPE_NAME "]]",
      .desc = "Its primary group, by name or number." },
    { .name = "groups",
      .type = "Optional[Array[" ACCOUNTS_TYPE_NAME "]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "Other groups that it is in." },
    { .name = "membership",
      .type = "Enum[minimum, inclusive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"minimum\"",
      .desc = "Whether it may be in more groups than these (minimum) or not (inclusive)." },
    { .name = "comment",
      .type = "Optional[Pattern[/\\A[^:\\n]*\\z/]]",
      .desc = "The full name, and what else the system keeps with it." },
    { .name = "home",
      .type = "Optional[Pattern[/\\A\\/[^:\\n]*\\z/]]",
      .desc = "The path of its home directory." },
    { .name = "create_home",
      .type = "Optional[Boolean]",
      .desc = "Whether the home directory is made, from a copy of skel, when it is not there." },
    { .name = "move_home",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directory is moved along when home changes." },
    { .name = "remove_home",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether home directory and mailbox go when the account does." },
    { .name = "skel",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The directory a new home directory is a copy of; /etc/skel usually." },
    { .name = "shell",
      .type = "Optional[Pattern[/\\A(\\/[^:\\n]*)?\\z/]]",
      .desc = "The program that a login starts." },
    { .name = "password",
      .type = "Optional[Sensitive[Pattern[/\\A(!+|!*(" HASH "))\\z/]]]",
      .desc = "The hash of its password, as mkpasswd(1) prints it; '*' for none." },
    { .name = "locked",
      .type = "Optional[Boolean]",
      .desc = "Whether the password is locked, with a '!' in front of the hash." },
    { .name = "expiry",
      .type = "Optional[Variant[Enum[never], " DATE "]]",
      .desc = "The day from which on the account cannot be used, or never." },
    { .name = "password_min_age",
      .type = DAYS,
      .desc = "Days before the password may be changed again; -1 for none." },
    { .name = "password_max_age",
      .type = DAYS,
      .desc = "Days after which the password must be changed; -1 for none." },
    { .name = "password_warn_days",
      .type = DAYS,
      .desc = "Days before that on which a login is warned; -1 for none." },
    { .name = "password_inactive_days",
      .type = DAYS,
      .desc = "Days after that on which the password is still taken; -1 for all." },
    { .name = "password_last_change",
      .type = "Optional[Variant[Enum[must_change, unset], " DATE "]]",
      .desc = "The day of the last change; must_change: at the next login; unset: ages not at all." },
    { .name = "system",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a new account gets a number of those for the system." },
    { .name = "allow_duplicate_uid",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether another account may have the same number." },
    TOOLS_LOCK_WAIT,
};

static const char *const relations[] = {
    "autorequire group[$name]",
    "autorequire group[$gid]",
    "autorequire group[$groups]",
    "autorequire directory[$home/..]",
    "loses its home directory and mailbox if $remove_home",
    "restores with membership=inclusive",
    NULL,
};

/* What is in /etc/shadow; those that count days by a number first. */
static const char *const shadowed[] = {
    "password_min_age",     "password_max_age", "password_warn_days", "password_inactive_days",
    "password_last_change", "expiry",           "password",           "locked",
};

/* --- Days, which the files count from 1970-01-01. ------------------------------------------ */

static int
date_of(int64_t days, char date[16])
{
    time_t seconds = (time_t)days * 86400;
    struct tm tm;

    return days >= 0 && days < 2932897 && gmtime_r(&seconds, &tm)
           && strftime(date, 16, "%Y-%m-%d", &tm) == 10;
}

/* Whether there is such a day in the calendar, from 1970 on. */
static int
is_date(const char *text)
{
    struct tm tm = { 0 };
    char again[16];
    time_t seconds;

    if (sscanf(text, "%4d-%2d-%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday) != 3)
        return 0;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    seconds = timegm(&tm);
    return date_of(seconds / 86400, again) && strcmp(again, text) == 0;
}

/* --- Canonical forms. ---------------------------------------------------------------------- */

static int32_t
check_date(rhost_ctx *ctx, rhost_value *resource, const char *attribute)
{
    const char *date = rhost_str(resource, attribute);

    if (date && *date >= '0' && *date <= '9' && !is_date(date))
        return rhost_fail_attr(ctx, attribute, "'%s' is not a day of the calendar since 1970-01-01", date);
    return 0;
}

/* A name that is given twice counts once. */
static void
drop_doubles(rhost_ctx *ctx, rhost_value *resource, const char *attribute)
{
    const rhost_value *list = rhost_get(resource, attribute);
    size_t n = rhost_count(list), kept = 0;
    const char **names = rhost_alloc(ctx, n * sizeof *names);
    rhost_value *array;

    for (size_t i = 0; i < n; i++) {
        const char *name = rhost_str_at(list, i);
        size_t k = 0;

        while (name && k < kept && strcmp(names[k], name) != 0)
            k++;
        if (!name)
            return; /* not what the type says: for others to refuse */
        if (k == kept)
            names[kept++] = name;
    }
    if (kept == n)
        return;
    array = resource->host->put_array(resource, attribute);
    for (size_t i = 0; i < kept; i++)
        rhost_put_str(array, NULL, names[i]);
}

static int32_t
user_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *password = rhost_str(resource, "password");
    const char *changed = rhost_str(resource, "password_last_change");

    if (check_date(ctx, resource, "expiry") < 0 || check_date(ctx, resource, "password_last_change") < 0)
        return -1;
    if (changed && strcmp(changed, "1970-01-01") == 0) /* what the files have for it */
        rhost_put_str(resource, "password_last_change", CHANGE_MUST_CHANGE);
    if (password && *password == '!' && !rhost_bool(resource, "locked", 1))
        return rhost_fail_attr(ctx, "locked", "a password that begins with '!' is locked");
    drop_doubles(ctx, resource, "groups");
    rhost_tidy_path(ctx, resource, "home");
    rhost_tidy_path(ctx, resource, "skel");
    return 0;
}

/* --- Reading. ------------------------------------------------------------------------------ */

/* In the form in which it is wanted, or else by name where it has one. */
static void
report_gid(rhost_value *into, const struct accounts *a, const struct accounts_user *u,
           const rhost_value *should)
{
    const rhost_value *wanted = rhost_get(should, "gid");
    const char *name = rhost_str(should, "gid");
    const struct accounts_group *g = name ? accounts_group(a, name) : NULL;
    struct group *elsewhere = name && !g ? getgrnam(name) : NULL; /* the tools would find it there */

    if ((g && g->gid == u->gid) || (elsewhere && elsewhere->gr_gid == u->gid)) {
        rhost_put_str(into, "gid", name);
        return;
    }
    g = accounts_group_of(a, u->gid);
    if (!g || (wanted && wanted->host->kind(wanted) == RHOST_INTEGER))
        rhost_put_int(into, "gid", u->gid);
    else
        rhost_put_str(into, "gid", g->name);
}

static void
report_groups(rhost_value *into, const struct accounts *a, const struct accounts_user *u)
{
    rhost_value *groups = into->host->put_array(into, "groups");
    const struct accounts_membership *m;
    size_t n;

    m = accounts_memberships(a, u->name, &n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || m[i].group != m[i - 1].group)
            rhost_put_str(groups, NULL, m[i].group->name);
}

/* What the pattern of the attribute says. */
static int
is_hash(const char *s)
{
    static const char letters[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *rest = s + strspn(s, "!");

    if (!*rest || *rest == '*')
        return *s != '\0';
    if (*rest == '$')
        return rest[1] && !strpbrk(rest, " \t\r\f\v");
    if (*rest == '_' && strlen(rest) == 20)
        return strspn(rest + 1, letters) == 19;
    return strlen(rest) == 13 && strspn(rest, letters) == 13;
}

/* The hash and the lock are two things, unless the manifest wants a hash with the lock in it. */
static void
report_password(rhost_value *into, const struct accounts_user *u, const rhost_value *should)
{
    const char *wanted = rhost_str_or(should, "password", "");
    const char *hash = *wanted == '!' ? u->password : change_unlocked(u->password);

    if (is_hash(hash))
        rhost_put_str(into, "password", hash);
    rhost_put_bool(into, "locked", *u->password == '!');
}

static void
report_shadow(rhost_value *into, const struct accounts_user *u, const rhost_value *should)
{
    const struct accounts_ageing *g = &u->ageing;
    const int64_t numbers[] = { g->min, g->max, g->warn, g->inactive };
    char date[16];

    if (u->password)
        report_password(into, u, should);
    if (!u->in_shadow)
        return;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        rhost_put_int(into, shadowed[i], numbers[i] > INT32_MAX ? INT32_MAX : numbers[i]);
    if (g->expiry < 0 || date_of(g->expiry, date))
        rhost_put_str(into, "expiry", g->expiry < 0 ? CHANGE_NEVER : date);
    if (g->last_change <= 0 || date_of(g->last_change, date))
        rhost_put_str(into, "password_last_change",
                      g->last_change < 0    ? CHANGE_UNSET
                      : g->last_change == 0 ? CHANGE_MUST_CHANGE
                                            : date);
}

static void
report(rhost_ctx *ctx, rhost_value *into, const struct accounts *a, const struct accounts_user *u,
       const rhost_value *should)
{
    rhost_put_int(into, "uid", u->uid);
    report_gid(into, a, u, should);
    report_groups(into, a, u);
    if (*u->comment != '\n')
        rhost_put_str(into, "comment", u->comment);
    if (*u->home == '/')
        rhost_put_str(into, "home", u->home);
    rhost_tidy_path(ctx, into, "home");
    if (*u->shell == '/' || !*u->shell)
        rhost_put_str(into, "shell", u->shell);
    if (!a->shadow_error)
        report_shadow(into, u, should);
}

/* "true" is a statement about the directory; "false" says that nobody cares. */
static void
report_home(rhost_ctx *ctx, rhost_value *current, const rhost_value *should)
{
    const char *home = rhost_str_or(should, "home", rhost_str(current, "home"));

    if (rhost_has(should, "create_home"))
        rhost_put_bool(current, "create_home",
                       rhost_bool(should, "create_home", 0) && home && home_exists(ctx, home) > 0);
}

static int32_t
user_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const struct accounts *a = tools_accounts(ctx);
    const struct accounts_user *u = a ? accounts_user(a, rhost_str(name, "name")) : NULL;

    if (!a)
        return -1;
    if (!u)
        return foresee_user(ctx, a, name, should, NULL) < 0 ? -1 : RHOST_ABSENT;
    for (size_t i = 0; a->shadow_error && i < sizeof shadowed / sizeof shadowed[0]; i++)
        if (rhost_has(should, shadowed[i])) {
            errno = a->shadow_error;
            return rhost_fail_errno(ctx, "cannot read '%s', where '%s' stands", ACCOUNTS_SHADOW, shadowed[i]);
        }
    report(ctx, current, a, u, should);
    report_home(ctx, current, should);
    if (!should)
        rhost_put_bool(current, "system", system_has(u->uid, system_first("UID_MIN")));
    return foresee_user(ctx, a, name, should, current);
}

static int32_t
user_get(rhost_ctx *ctx, const rhost_value *names)
{
    const struct accounts *a = tools_accounts(ctx);
    uint32_t first = system_first("UID_MIN"), logins[LOGINS];
    size_t n_logins = login_find(logins);

    (void)names;
    for (size_t i = 0; a && i < a->n_users; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "name", a->users[i].name);
        report(ctx, one, a, &a->users[i], NULL);
        rhost_put_bool(one, "system",
                       system_has(a->users[i].uid, first)
                           || login_has(logins, n_logins, a->users[i].uid)); /* for who purges */
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return a ? 0 : -1;
}

/* --- Comparing. ---------------------------------------------------------------------------- */

/* In words, what is missing: from -> to would look as if the others were to go. */
static int32_t
compare_groups(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = rhost_get(change->should, "groups");
    const rhost_value *is = rhost_get(change->is, "groups");
    char missing[1024] = "";
    size_t at = 0;

    for (size_t i = 0; i < rhost_count(wanted) && at < sizeof missing - 64; i++) {
        const char *name = rhost_str_at(wanted, i);
        size_t k = 0;

        while (k < rhost_count(is) && strcmp(rhost_str_at(is, k), name) != 0)
            k++;
        if (k == rhost_count(is))
            at += (size_t)snprintf(missing + at, sizeof missing - at, "%s'%.40s'", at ? ", " : "", name);
    }
    return at ? rhost_differs(ctx, "is not in %s", missing) : 0;
}

static int32_t
user_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (!change->is || !change->should)
        return RHOST_DEFAULT_COMPARISON;
    if (strcmp(attribute, "groups") == 0
        && strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") != 0)
        return compare_groups(ctx, change);
    if (strcmp(attribute, "create_home") == 0 && rhost_bool(change->should, "create_home", 0)
        && !rhost_bool(change->is, "create_home", 1))
        return rhost_differs(ctx, "'%s' is not there", change_home(change));
    return RHOST_DEFAULT_COMPARISON;
}

static const char *const needs[] = { "root",
                                     "read[/etc]",
                                     "read[/proc]",
                                     "read[$skel]",
                                     "run[useradd]",
                                     "run[usermod]",
                                     "run[userdel]",
                                     "run[chpasswd]",
                                     "run[chage]",
                                     "run[groupadd]",
                                     "run[mkhomedir_helper]",
                                     "write[$home]",
                                     "write[~$name] unless $move_home",
                                     "read[~$name] if $move_home",
                                     "write[/var/mail] if $remove_home",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider user_provider = {
    RHOST_PROVIDER("user", "Keep the accounts of users, and the groups they are in."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .needs = needs,
    .close = tools_close,
    .canonicalize = user_canonicalize,
    .insync = user_insync,
    .load = user_load,
    .get = user_get,
    .create = change_create,
    .update = change_update,
    .remove = change_remove,
};

RHOST_PLUGIN(user, "1.0", &user_provider)
