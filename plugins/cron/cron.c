/* SPDX-License-Identifier: Apache-2.0 */
/* cron - keep jobs of cron, in a file of cron.d or in the crontab of a user.
 *
 * Both are lines; the one is a file that we write, the other is handed to crontab(1). All changes to
 * one of them in a batch are one reading and one writing of it. */

#include "crontab.h"
#include "job.h"
#include "tab.h"
#include "target.h"
#include "times.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#include <ctype.h>

#define TIME(from, to)                                                                                       \
    "Variant[Integer[" #from ", " #to "], String[1], Array[Variant[Integer[" #from ", " #to                  \
    "], String[1]], 1]]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A\\S([^\\r\\n]*\\S)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "Its name, which stands in a comment above it." },
    { .name = "target",
      .type = "Pattern[/\\A(\\/\\S+|crontab:[^\\s:\\/]+)\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"" TARGET_DEFAULT "\"",
      .desc = "The file, in the form of cron.d; or crontab:USER for the crontab of that user." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the job should be there." },
    { .name = "command", .type = "Pattern[/\\A\\S([^\\r\\n]*\\S)?\\z/]", .desc = "What is run, by a shell." },
    { .name = "user",
      .type = "Optional[Pattern[/\\A[^\\s:]+\\z/]]",
      .desc = "As whom it is run; a new job of a file as root." },
    { .name = "minute", .type = TIME(0, 59), .default_value = "\"*\"", .desc = "0 to 59." },
    { .name = "hour", .type = TIME(0, 23), .default_value = "\"*\"", .desc = "0 to 23." },
    { .name = "monthday", .type = TIME(1, 31), .default_value = "\"*\"", .desc = "1 to 31." },
    { .name = "month", .type = TIME(1, 12), .default_value = "\"*\"", .desc = "1 to 12, or jan to dec." },
    { .name = "weekday",
      .type = TIME(0, 7),
      .default_value = "\"*\"",
      .desc = "0 to 7, Sunday is 0 and 7, or sun to sat." },
    { .name = "special",
      .type = "Enum[none, reboot, yearly, annually, monthly, weekly, daily, midnight, hourly]",
      .default_value = "\"none\"",
      .desc = "A word instead of times." },
    { .name = "enabled",
      .type = "Boolean",
      .default_value = "true",
      .desc = "Whether cron runs the job; a disabled one stays in its place as a comment." },
    { .name = "environment",
      .type = "Optional[Array[Pattern[/\\A[A-Za-z_][A-Za-z0-9_]*=[^\\r\\n]*\\z/]]]",
      .desc = "NAME=value, for this job." },
};

static const char *const title_patterns[] = {
    "\\A(?<target>\\/\\S+|crontab:[^\\s:\\/]+) (?<name>\\S.*)\\z",
    "\\A(?<name>.+)\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire user[$user]",
    "autorequire file[$target]",
    "autorequire directory[$target/..]",
    "edits content[$target]",
    NULL,
};

/* --- Canonical form ------------------------------------------------------------------------- */

/* A field as one text, in memory of the call: a list is joined with commas. */
static const char *
joined(rhost_ctx *ctx, const rhost_value *v)
{
    size_t n = rhost_count(v), size = 1;
    char *text;

    if (v->host->kind(v) == RHOST_INTEGER)
        return rhost_fmt(ctx, "%lld", (long long)v->host->integer(v, 0));
    if (v->host->kind(v) != RHOST_ARRAY)
        return v->host->string(v, NULL);
    for (size_t i = 0; i < n; i++)
        size += 24 + (rhost_str_at(v, i) ? strlen(rhost_str_at(v, i)) : 0);
    text = rhost_alloc(ctx, size);
    for (size_t i = 0, used = 0; i < n; i++) {
        const char *one = joined(ctx, rhost_at(v, i, NULL));

        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", one ? one : "");
    }
    return text;
}

static int
tidy_times(rhost_ctx *ctx, rhost_value *resource)
{
    const char *special = rhost_str(resource, "special"), *canonical;
    char why[200], *to;

    canonical = special ? times_special(special, strlen(special)) : NULL;
    if (canonical && strcmp(canonical, special) != 0)
        rhost_put_str(resource, "special", canonical);
    for (size_t i = 0; i < TIMES; i++) {
        const rhost_value *v = rhost_get(resource, times_names[i]);
        const char *text = v ? joined(ctx, v) : NULL;

        if (!text)
            continue;
        to = rhost_alloc(ctx, strlen(text) * 3 + 32);
        if (times_tidy(i, text, to, why, sizeof why) < 0)
            return rhost_fail_attr(ctx, times_names[i], "%s", why);
        if (canonical && strcmp(to, "*") != 0)
            return rhost_fail_attr(ctx, times_names[i], "a job that is run '@%s' has no other times",
                                   canonical);
        if (v->host->kind(v) != RHOST_STRING || strcmp(to, text) != 0)
            rhost_put_str(resource, times_names[i], to);
    }
    return 0;
}

/* A file of this name in /etc/cron.d. */
static int
is_read_by_cron(const char *name)
{
    while (isalnum((unsigned char)*name) || *name == '_' || *name == '-')
        name++;
    return !*name;
}

static int32_t
cron_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char folder[] = "/etc/cron.d/";
    const char *target, *user = rhost_str(resource, "user"), *owner;

    rhost_tidy_path(ctx, resource, "target");
    target = rhost_str(resource, "target");
    owner = target ? target_user(target) : NULL;
    if (owner && user && strcmp(owner, user) != 0)
        return rhost_fail_attr(ctx, "user", "the jobs in the crontab of '%s' are run as '%s'", owner, owner);
    if (target && strncmp(target, folder, sizeof folder - 1) == 0
        && !is_read_by_cron(target + sizeof folder - 1))
        return rhost_fail_attr(ctx, "target",
                               "cron does not read '%s': names in /etc/cron.d are "
                               "letters, digits, '-' and '_'",
                               target);
    return tidy_times(ctx, resource);
}

/* --- Looking -------------------------------------------------------------------------------- */

/* Under noop: the user who is to run the job exists, or will. */
static int
foresee_user(rhost_ctx *ctx, const char *key, const char *user)
{
    return user ? rhost_foresee_account(ctx, key, 0, user) : 0;
}

static int32_t
cron_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *target = rhost_str_or(name, "target", TARGET_DEFAULT), *owner = target_user(target);
    const struct rhost_lines *l;
    struct tab_job job;
    int exists = owner ? target_user_exists(owner) : 1;

    if (exists < 0)
        return rhost_fail_errno(ctx, "cannot look up user '%s'", owner);
    if (rhost_looks_ahead(ctx, should)
        && (foresee_user(ctx, "target", owner) < 0
            || foresee_user(ctx, "user", rhost_str(should, "user")) < 0))
        return -1;
    if (!exists)
        return RHOST_ABSENT; /* a user that this run creates */
    l = target_lines(ctx, target);
    if (!l)
        return -1;
    if (!tab_find(l, !owner, rhost_str(name, "name"), &job) || !job.there)
        return owner || l->exists ? RHOST_ABSENT : rhost_absent_at(ctx, should, target);
    job_report(ctx, current, l, target, &job);
    return 0;
}

/* What a manifest calls it: its name alone where that is understood. */
static const char *
title_of(rhost_ctx *ctx, const char *target, const char *name)
{
    size_t size = strlen(target) + strlen(name) + 2;
    char *title = rhost_alloc(ctx, size);

    if (strcmp(target, TARGET_DEFAULT) == 0 && *name != '/' && !target_user(name))
        return name;
    snprintf(title, size, "%s %s", target, name);
    return title;
}

/* By name, and of one name the upmost first. */
static int
by_name(const void *a, const void *b)
{
    const struct tab_job *x = a, *y = b;
    size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = memcmp(x->name.at, y->name.at, len);

    if (!order && x->name.len != y->name.len)
        return x->name.len < y->name.len ? -1 : 1;
    return order ? order : x->from < y->from ? -1 : x->from > y->from;
}

static int
by_place(const void *a, const void *b)
{
    const struct tab_job *x = a, *y = b;

    return x->from < y->from ? -1 : x->from > y->from;
}

/* The jobs of ours, each name once. Sorted rather than each compared with each: a user may have written
 * thousands. */
static size_t
first_jobs(rhost_ctx *ctx, const struct rhost_lines *l, int system, struct tab_job **jobs)
{
    size_t n = 0, left = 0, from = 0;
    struct tab_job *all, job;

    while (tab_next(l, system, &from, &job))
        n++;
    *jobs = all = rhost_alloc(ctx, (n + 1) * sizeof *all);
    n = from = 0;
    while (tab_next(l, system, &from, &all[n]))
        n++;
    if (!n)
        return 0;
    qsort(all, n, sizeof *all, by_name);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || all[i].name.len != all[left - 1].name.len
            || memcmp(all[i].name.at, all[left - 1].name.at, all[i].name.len) != 0)
            all[left++] = all[i];
    qsort(all, left, sizeof *all, by_place);
    return left;
}

static int
list(rhost_ctx *ctx, const char *target)
{
    const struct rhost_lines *l = target_lines(ctx, target);
    struct tab_job *jobs;
    size_t n;

    if (!l)
        return -1;
    n = first_jobs(ctx, l, !target_user(target), &jobs);
    for (size_t i = 0; i < n; i++) {
        const struct tab_job job = jobs[i];
        const char *name = rhost_copy(ctx, job.name.at, job.name.len);
        rhost_value *resource;

        if (!job.there || !job_is_text(job.name.at, job.name.len))
            continue;
        resource = ctx->host->new_hash(ctx);
        rhost_put_str(resource, "name", name);
        rhost_put_str(resource, "target", target);
        rhost_put_str(resource, "title", title_of(ctx, target, name));
        job_report(ctx, resource, l, target, &job);
        if (ctx->host->emit(ctx, resource) < 0)
            return -1;
    }
    return 0;
}

static int
list_user(rhost_ctx *ctx, const char *user)
{
    return list(ctx, rhost_fmt(ctx, TARGET_CRONTAB "%s", user));
}

/* All jobs of ours in /etc/cron.d and in the crontabs of users. */
static int32_t
cron_get(rhost_ctx *ctx, const rhost_value *names)
{
    const char **files = NULL;
    ssize_t n = rhost_path_list(ctx, "/etc/cron.d", RHOST_PATH_FOLLOW, &files);

    (void)names;
    if (n < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot read '/etc/cron.d'");
    for (ssize_t i = 0; i < n; i++) {
        const char *path = rhost_fmt(ctx, "/etc/cron.d/%s", files[i]);
        struct stat st;

        if (is_read_by_cron(files[i]) && rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0
            && S_ISREG(st.st_mode) && list(ctx, path) < 0)
            return -1;
    }
    return crontab_each(ctx, list_user);
}

static int32_t
cron_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    return target_set(ctx, changes, n, job_edit);
}

static const char *const needs[] = { "write[$target]",
                                     "read[/etc/cron.d]",
                                     "read[/var/spool/cron]",
                                     "run[crontab]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider cron_provider = {
    RHOST_PROVIDER("cron", "Keep jobs of cron, in cron.d and in crontabs."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .needs = needs,
    .open = target_open,
    .close = target_close,
    .canonicalize = cron_canonicalize,
    .load = cron_load,
    .get = cron_get,
    .set = cron_set,
};

RHOST_PLUGIN(cron, "1.0", &cron_provider)
