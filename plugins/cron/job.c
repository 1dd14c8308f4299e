/* SPDX-License-Identifier: Apache-2.0 */
/* job - a job as attributes, and as lines. */

#include "job.h"

#include "target.h"

#include <ctype.h>

int
job_is_text(const char *at, size_t len)
{
    return len && !isspace((unsigned char)*at) && !isspace((unsigned char)at[len - 1])
           && !memchr(at, '\r', len) && !memchr(at, '\0', len) && rhost_is_utf8(at, len);
}

static int
is_user(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (isspace((unsigned char)at[i]) || at[i] == ':')
            return 0;
    return job_is_text(at, len);
}

/* NAME=..., with a name that shells know as well. */
static int
is_assignment(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n && !isdigit((unsigned char)*text) && text[n] == '=' && !strchr(text, '\r');
}

/* What can't be understood stays unknown, so that what is wanted takes its place. Anybody may have
 * written it: what is no value of its attribute would fail the whole list. */
void
job_report(rhost_ctx *ctx, rhost_value *into, const struct rhost_lines *l, const char *target,
           const struct tab_job *job)
{
    const char *owner = target_user(target), *special = times_special(job->special.at, job->special.len);
    const char **all = rhost_alloc(ctx, (job->n_env + 1) * sizeof *all);
    rhost_value *array;
    char why[200];

    if (job_is_text(job->command.at, job->command.len))
        rhost_put_bytes(into, "command", job->command.at, job->command.len);
    if (owner)
        rhost_put_str(into, "user", owner);
    else if (is_user(job->user.at, job->user.len))
        rhost_put_bytes(into, "user", job->user.at, job->user.len);
    rhost_put_bool(into, "enabled", !job->disabled);
    if (!job->special.len || special)
        rhost_put_str(into, "special", special ? special : "none");
    for (size_t i = 0; i < TIMES; i++) {
        char *tidy = rhost_alloc(ctx, job->times[i].len * 3 + 32);

        if (job->special.len)
            rhost_put_str(into, times_names[i], "*");
        else if (times_tidy(i, rhost_copy(ctx, job->times[i].at, job->times[i].len), tidy, why, sizeof why)
                 == 0)
            rhost_put_str(into, times_names[i], tidy);
    }
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
        all[i] = rhost_fmt(ctx, "%.*s=%.*s", (int)(name_end - at), at, (int)(end - value), value);
        if (!rhost_is_utf8(line->text, line->len) || memchr(line->text, '\0', line->len)
            || !is_assignment(all[i]))
            return;
    }
    array = into->host->put_array(into, "environment");
    for (size_t i = 0; i < job->n_env; i++)
        rhost_put_str(array, NULL, all[i]);
}

/* The line that runs it, as a comment when it is disabled. */
static const char *
job_line(rhost_ctx *ctx, const struct rhost_change *change, int system)
{
    const char *special = rhost_str_of(change, "special"), *user = rhost_str_of(change, "user");
    const char *command = rhost_str_of(change, "command");
    const char *mark = rhost_bool_of(change, "enabled", 1) ? "" : "#";
    size_t size = strlen(command) + (user ? strlen(user) : 4) + 64;
    char *text;
    size_t used;

    for (size_t i = 0; i < TIMES; i++) {
        const char *time = rhost_str_of(change, times_names[i]);

        size += (time ? strlen(time) : 1) + 1;
    }
    text = rhost_alloc(ctx, size);
    used = (size_t)snprintf(text, size, "%s", mark);
    if (special && strcmp(special, "none") != 0)
        used += (size_t)snprintf(text + used, size - used, "@%s ", special);
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
        if (job->n_env && (job->name.len != strlen(name) || memcmp(job->name.at, name, job->name.len) != 0))
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
    const char *line = rhost_fmt(ctx, "# rhost: %s", rhost_str_or(change->name, "name", ""));

    rhost_lines_insert(l, at++, line, strlen(line));
    for (size_t i = 0; i < n; i++) {
        line = rhost_str_at(environment, i);
        rhost_lines_insert(l, at++, line, strlen(line));
    }
    line = job_line(ctx, change, system);
    rhost_lines_insert(l, at, line, strlen(line));
}

/* What a job sets counts for all below it: so the one that sets something stands last, and there is one. */
const char *
job_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *user = rhost_str_of(change, "user");
    int system = !target_user(rhost_str_or(change->name, "target", TARGET_DEFAULT)), there;
    int sets = rhost_count(rhost_value_of(change, "environment")) > 0;
    int exists = system && user && !rhost_gone(change) ? target_user_exists(user) : 1;
    struct tab_job job, other;
    size_t at = l->n;

    if (exists < 0)
        return rhost_fmt(ctx, "cannot look up user '%s': %s", user, strerror(errno));
    if (rhost_gone(change)) {
        tab_remove(l, system, name);
        return NULL;
    }
    if (!exists)
        return rhost_fmt(ctx, "unknown user '%s': cron would ignore the job", user);
    there = tab_find(l, system, name, &job);
    if (find_settings(l, system, name, &other)) {
        if (sets)
            return rhost_fmt(ctx,
                             "what '%.*s' sets in its environment would count for this job as well: give "
                             "one of them a target of its own",
                             (int)other.name.len, other.name.at);
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
