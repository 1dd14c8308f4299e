/* SPDX-License-Identifier: Apache-2.0 */
/* cron - keep jobs of cron, in a file of cron.d or in the crontab of a user.
 *
 * Both are lines; the one is a file that we write, the other is handed to crontab(1). All changes to
 * one of them in a batch are one reading and one writing of it. */

#include "crontab.h"
#include "tab.h"
#include "times.h"

#include <rhost/posix.h>

#include <ctype.h>
#include <dirent.h>

#define DEFAULT_TARGET "/etc/cron.d/rhost"
#define TAB "crontab:"
#define TIME(from, to)                                                                             \
    "Variant[Integer[" #from ", " #to "], String[1], Array[Variant[Integer[" #from ", " #to          \
    "], String[1]], 1]]"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Pattern[/\\A\\S([^\\r\\n]*\\S)?\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "Its name, which stands in a comment above it." },
    { .name = "target", .type = "Pattern[/\\A(\\/\\S+|crontab:[^\\s:\\/]+)\\z/]",
      .behaviour = RHOST_NAMEVAR, .default_value = "\"" DEFAULT_TARGET "\"",
      .desc = "The file, in the form of cron.d; or crontab:USER for the crontab of that user." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the job should be there." },
    { .name = "command", .type = "Pattern[/\\A\\S([^\\r\\n]*\\S)?\\z/]",
      .desc = "What is run, by a shell." },
    { .name = "user", .type = "Optional[Pattern[/\\A[^\\s:]+\\z/]]",
      .desc = "As whom it is run; a new job of a file as root." },
    { .name = "minute", .type = TIME(0, 59), .default_value = "\"*\"", .desc = "0 to 59." },
    { .name = "hour", .type = TIME(0, 23), .default_value = "\"*\"", .desc = "0 to 23." },
    { .name = "monthday", .type = TIME(1, 31), .default_value = "\"*\"", .desc = "1 to 31." },
    { .name = "month", .type = TIME(1, 12), .default_value = "\"*\"",
      .desc = "1 to 12, or jan to dec." },
    { .name = "weekday", .type = TIME(0, 7), .default_value = "\"*\"",
      .desc = "0 to 7, Sunday is 0 and 7, or sun to sat." },
    { .name = "special",
      .type = "Enum[none, reboot, yearly, annually, monthly, weekly, daily, midnight, hourly]",
      .default_value = "\"none\"", .desc = "A word instead of times." },
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
    NULL,
};

struct state {
    struct rhost_lines_kept kept; /* first, for <rhost/lines.h> */
    char *user;                   /* whose crontab was read last */
    struct rhost_lines *tab;
    struct stat stat; /* of it, before it was read */
};

static int32_t
cron_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(struct state));
    return *state ? 0 : rhost_fail(ctx, "out of memory");
}

static void
forget_tab(struct state *state)
{
    free(state->user);
    rhost_lines_free(state->tab);
    state->user = NULL;
    state->tab = NULL;
}

static void
cron_close(rhost_ctx *ctx)
{
    struct state *state = *ctx->host->state(ctx);

    if (state)
        forget_tab(state);
    rhost_lines_close(ctx);
}

static const char *
copy(rhost_ctx *ctx, const char *text, size_t len)
{
    char *to = rhost_alloc(ctx, len + 1);

    memcpy(to, text, len);
    return to;
}

static const char * RHOST_PRINTF(2, 3)
say(rhost_ctx *ctx, const char *fmt, ...)
{
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return copy(ctx, text, strlen(text));
}

/* Whose crontab a target is; NULL: it is a file. */
static const char *
tab_of(const char *target)
{
    return strncmp(target, TAB, sizeof TAB - 1) == 0 ? target + sizeof TAB - 1 : NULL;
}

/* --- Canonical form ------------------------------------------------------------------------- */

/* A field as one text, in memory of the call: a list is joined with commas. */
static const char *
joined(rhost_ctx *ctx, const rhost_value *v)
{
    size_t n = rhost_count(v), size = 1;
    char number[24], *text;

    if (v->host->kind(v) == RHOST_INTEGER) {
        snprintf(number, sizeof number, "%lld", (long long)v->host->integer(v, 0));
        return copy(ctx, number, strlen(number));
    }
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

static int32_t
cron_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char folder[] = "/etc/cron.d/";
    const char *target, *user = rhost_str(resource, "user"), *owner;

    rhost_tidy_path(ctx, resource, "target");
    target = rhost_str(resource, "target");
    owner = target ? tab_of(target) : NULL;
    if (owner && user && strcmp(owner, user) != 0)
        return rhost_fail_attr(ctx, "user", "the jobs in the crontab of '%s' are run as '%s'", owner,
                               owner);
    if (target && strncmp(target, folder, sizeof folder - 1) == 0)
        for (const char *c = target + sizeof folder - 1; *c; c++)
            if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
                return rhost_fail_attr(ctx, "target", "cron does not read '%s': names in /etc/cron.d are "
                                                      "letters, digits, '-' and '_'", target);
    return tidy_times(ctx, resource);
}

/* --- Looking -------------------------------------------------------------------------------- */

static int
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino && a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
           && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* The lines of a crontab, read again unless it is seen to be what it was; NULL after the reason. */
static struct rhost_lines *
tab_lines(rhost_ctx *ctx, const char *user)
{
    struct state *state = *ctx->host->state(ctx);
    struct stat now;
    struct timespec clock = { 0 };
    int seen = crontab_stat(user, &now) == 0;

    if (seen && state->tab && strcmp(state->user, user) == 0 && !state->tab->edited
        && is_same(&now, &state->stat))
        return state->tab;
    forget_tab(state);
    state->user = strdup(user);
    state->tab = state->user ? crontab_read(ctx, user) : NULL;
    (void)clock_gettime(CLOCK_REALTIME, &clock);
    /* What was changed a moment ago may change again without looking different. */
    if (!seen || clock.tv_sec - now.st_ctim.tv_sec < 2)
        memset(&now, 0, sizeof now);
    state->stat = now;
    return state->tab;
}

static struct rhost_lines *
lines_of(rhost_ctx *ctx, const char *target)
{
    const char *user = tab_of(target);

    return user ? tab_lines(ctx, user) : rhost_lines_of(ctx, target);
}

/* What can't be understood stays unknown, so that what is wanted takes its place. */
static void
report(rhost_ctx *ctx, rhost_value *into, const struct rhost_lines *l, const char *target,
       const struct tab_job *job)
{
    const char *owner = tab_of(target), *special = times_special(job->special.at, job->special.len);
    rhost_value *array;
    char why[200];

    if (rhost_is_utf8(job->command.at, job->command.len))
        rhost_put_bytes(into, "command", job->command.at, job->command.len);
    if (owner)
        rhost_put_str(into, "user", owner);
    else if (rhost_is_utf8(job->user.at, job->user.len))
        rhost_put_bytes(into, "user", job->user.at, job->user.len);
    if (!job->special.len || special)
        rhost_put_str(into, "special", special ? special : "none");
    for (size_t i = 0; i < TIMES; i++) {
        char *tidy = rhost_alloc(ctx, job->times[i].len * 3 + 32);

        if (job->special.len)
            rhost_put_str(into, times_names[i], "*");
        else if (times_tidy(i, copy(ctx, job->times[i].at, job->times[i].len), tidy, why, sizeof why) == 0)
            rhost_put_str(into, times_names[i], tidy);
    }
    for (size_t i = 0; i < job->n_env; i++)
        if (!rhost_is_utf8(l->at[job->from + 1 + i].text, l->at[job->from + 1 + i].len))
            return;
    array = into->host->put_array(into, "environment");
    for (size_t i = 0; i < job->n_env; i++) {
        const struct rhost_line *line = &l->at[job->from + 1 + i];
        const char *mark = memchr(line->text, '=', line->len), *at = line->text;
        const char *end = at + line->len, *name_end = mark, *value = mark + 1;

        while (isspace((unsigned char)*at))
            at++;
        while (name_end > at && isspace((unsigned char)name_end[-1]))
            name_end--;
        while (value < end && isspace((unsigned char)*value))
            value++;
        while (end > value && isspace((unsigned char)end[-1]))
            end--;
        rhost_put_str(array, NULL,
                      say(ctx, "%.*s=%.*s", (int)(name_end - at), at, (int)(end - value), value));
    }
}

static int
user_exists(const char *user)
{
    return getpwnam(user) != NULL;
}

static int32_t
cron_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *target = rhost_str_or(name, "target", DEFAULT_TARGET), *owner = tab_of(target);
    const struct rhost_lines *l;
    struct tab_job job;

    (void)should;
    if (owner && !user_exists(owner))
        return RHOST_ABSENT; /* under noop the user may still be made */
    l = lines_of(ctx, target);
    if (!l)
        return -1;
    if (!tab_find(l, !owner, rhost_str(name, "name"), &job) || !job.there)
        return RHOST_ABSENT;
    report(ctx, current, l, target, &job);
    return 0;
}

/* What a manifest calls it: its name alone where that is understood. */
static const char *
title_of(rhost_ctx *ctx, const char *target, const char *name)
{
    size_t size = strlen(target) + strlen(name) + 2;
    char *title = rhost_alloc(ctx, size);

    if (strcmp(target, DEFAULT_TARGET) == 0 && *name != '/' && !tab_of(name))
        return name;
    snprintf(title, size, "%s %s", target, name);
    return title;
}

static int
list(rhost_ctx *ctx, const char *target)
{
    const struct rhost_lines *l = lines_of(ctx, target);
    size_t from = 0;
    struct tab_job job, first;

    if (!l)
        return -1;
    while (tab_next(l, !tab_of(target), &from, &job)) {
        const char *name = copy(ctx, job.name.at, job.name.len);
        rhost_value *resource;

        if (!job.there || !rhost_is_utf8(job.name.at, job.name.len)
            || !tab_find(l, !tab_of(target), name, &first) || first.from != job.from)
            continue;
        resource = ctx->host->new_hash(ctx);
        rhost_put_str(resource, "name", name);
        rhost_put_str(resource, "target", target);
        rhost_put_str(resource, "title", title_of(ctx, target, name));
        report(ctx, resource, l, target, &job);
        if (ctx->host->emit(ctx, resource) < 0)
            return -1;
    }
    return 0;
}

static int
list_user(rhost_ctx *ctx, const char *user)
{
    return list(ctx, say(ctx, TAB "%s", user));
}

/* All jobs of ours in /etc/cron.d and in the crontabs of users. */
static int32_t
cron_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct dirent **files = NULL;
    int n = scandir("/etc/cron.d", &files, NULL, alphasort), result = 0;

    (void)names;
    for (int i = 0; i < n; i++) {
        const char *path = say(ctx, "/etc/cron.d/%s", files[i]->d_name);
        struct stat st;

        if (result == 0 && !strpbrk(files[i]->d_name, ".~#") && stat(path, &st) == 0
            && S_ISREG(st.st_mode))
            result = list(ctx, path);
        free(files[i]);
    }
    free(files);
    return result < 0 ? -1 : crontab_each(ctx, list_user);
}

/* --- Writing -------------------------------------------------------------------------------- */

/* The line that runs it. */
static const char *
job_line(rhost_ctx *ctx, const struct rhost_change *change, int system)
{
    const char *special = rhost_str_of(change, "special"), *user = rhost_str_of(change, "user");
    const char *command = rhost_str_of(change, "command");
    size_t size = strlen(command) + (user ? strlen(user) : 4) + 64;
    char *text;
    size_t used = 0;

    for (size_t i = 0; i < TIMES; i++) {
        const char *time = rhost_str_of(change, times_names[i]);

        size += (time ? strlen(time) : 1) + 1;
    }
    text = rhost_alloc(ctx, size);
    if (special && strcmp(special, "none") != 0)
        used = (size_t)snprintf(text, size, "@%s ", special);
    else
        for (size_t i = 0; i < TIMES; i++) {
            const char *time = rhost_str_of(change, times_names[i]);

            used += (size_t)snprintf(text + used, size - used, "%s ", time ? time : "*");
        }
    if (system)
        used += (size_t)snprintf(text + used, size - used, "%s ", user ? user : "root");
    snprintf(text + used, size - used, "%s", command);
    return text;
}

/* Another job of ours that has an environment. */
static int
find_settings(const struct rhost_lines *l, int system, const char *name, struct tab_job *job)
{
    size_t from = 0;

    while (tab_next(l, system, &from, job))
        if (job->n_env
            && (job->name.len != strlen(name) || memcmp(job->name.at, name, job->name.len) != 0))
            return 1;
    return 0;
}

static int
jobs_below(const struct rhost_lines *l, size_t from)
{
    while (from < l->n && !tab_is_job(l, from))
        from++;
    return from < l->n;
}

static void
insert(rhost_ctx *ctx, struct rhost_lines *l, size_t at, const struct rhost_change *change, int system)
{
    const rhost_value *environment = rhost_value_of(change, "environment");
    size_t n = rhost_count(environment);
    const char *line = say(ctx, "# rhost: %s", rhost_str_or(change->name, "name", ""));

    rhost_lines_insert(l, at++, line, strlen(line));
    for (size_t i = 0; i < n; i++) {
        line = rhost_str_at(environment, i);
        rhost_lines_insert(l, at++, line, strlen(line));
    }
    line = job_line(ctx, change, system);
    rhost_lines_insert(l, at, line, strlen(line));
}

/* What a job sets counts for all below it: so the one that sets something stands last, and there is one. */
static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *user = rhost_str_of(change, "user");
    int system = !tab_of(rhost_str_or(change->name, "target", DEFAULT_TARGET)), there;
    int sets = rhost_count(rhost_value_of(change, "environment")) > 0;
    struct tab_job job, other;
    size_t at = l->n;

    if (rhost_gone(change)) {
        tab_remove(l, system, name);
        return NULL;
    }
    if (system && user && !user_exists(user))
        return say(ctx, "there is no user '%s': cron would ignore the job", user);
    there = tab_find(l, system, name, &job);
    if (find_settings(l, system, name, &other)) {
        if (sets)
            return say(ctx, "what '%.*s' sets in its environment would count for this job as well: give "
                            "one of them a target of its own", (int)other.name.len, other.name.at);
        at = other.from;
    }
    if (there && !(sets && jobs_below(l, job.from + job.n))) {
        at = job.from;
        rhost_lines_remove(l, job.from, job.n);
    } else if (there) {
        rhost_lines_remove(l, job.from, job.n);
        at = l->n;
    }
    insert(ctx, l, at, change, system);
    return NULL;
}

static const char *
path_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    return rhost_str_or(change->name, "target", DEFAULT_TARGET);
}

static int32_t
tell(rhost_ctx *ctx, const struct rhost_change *change, const char *why)
{
    int32_t doing = why                  ? RHOST_FAILING
                    : rhost_gone(change) ? RHOST_DELETING
                    : change->is         ? RHOST_UPDATING
                                         : RHOST_CREATING;

    return ctx->host->did(ctx, doing, &change->title, 1, why ? NULL : change->is,
                          why ? NULL : change->should, why);
}

/* All changes to one crontab, from `from` on. */
static int32_t
set_tab(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t from, size_t n, char *done)
{
    const char *target = path_of(ctx, changes[from]), *user = tab_of(target), *why;
    int exists = user_exists(user);
    struct rhost_lines *l = exists ? lines_of(ctx, target) : NULL;
    int32_t result;

    if (!exists)
        rhost_fail(ctx, "there is no user '%s'", user);
    for (size_t k = from; l && k < n; k++) {
        if (done[k] || strcmp(path_of(ctx, changes[k]), target) != 0)
            continue;
        why = edit(ctx, l, changes[k]);
        if (why)
            (void)tell(ctx, changes[k], why);
        done[k] = why ? 2 : 1;
    }
    result = !l ? -1 : l->edited ? crontab_write(ctx, user, l) : 0;
    for (size_t k = from; k < n; k++) {
        if (strcmp(path_of(ctx, changes[k]), target) != 0)
            continue;
        if (done[k] == 1 && result == 0)
            (void)tell(ctx, changes[k], NULL);
        done[k] = 2;
    }
    return result;
}

/* A file of which nothing is left goes. */
static void
tidy_up(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = path_of(ctx, change);
    struct stat st;

    if (rhost_gone(change) && lstat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size
        && unlink(path) == 0)
        rhost_touched(ctx, path);
}

static int32_t
cron_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how, .path = path_of, .edit = edit,
    };
    const struct rhost_change **in_files = rhost_alloc(ctx, (n + 1) * sizeof(struct rhost_change *));
    char *done = rhost_alloc(ctx, n + 1); /* 1: in this turn, 2: done */
    size_t n_files = 0;
    int32_t result = 0;

    for (size_t i = 0; i < n; i++)
        if (!tab_of(path_of(ctx, changes[i]))) {
            in_files[n_files++] = changes[i];
            done[i] = 2;
        }
    if (n_files && rhost_lines_set(ctx, in_files, n_files, &how) < 0)
        result = -1;
    for (size_t i = 0; i < n_files; i++)
        tidy_up(ctx, in_files[i]);
    for (size_t i = 0; i < n; i++)
        if (!done[i] && set_tab(ctx, changes, i, n, done) < 0)
            result = -1;
    return result;
}

static const struct rhost_provider cron_provider = {
    RHOST_PROVIDER("cron", "Keep jobs of cron, in cron.d and in crontabs."),
    RHOST_ATTRS(attrs),
    .title_patterns = title_patterns,
    .relations      = relations,
    .open           = cron_open,
    .close          = cron_close,
    .canonicalize   = cron_canonicalize,
    .load           = cron_load,
    .get            = cron_get,
    .set            = cron_set,
};

RHOST_PLUGIN(cron, "1.0", &cron_provider)
