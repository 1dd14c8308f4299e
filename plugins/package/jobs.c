/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - changes of packages as the package manager is to see them. */

#include "jobs.h"

#include "tool.h"

#include <rhost/catalog.h>

#include <ctype.h>

const char *
job_wants(const struct rhost_change *change)
{
    return rhost_gone(change) ? NULL : rhost_str(change->should, "version");
}

static struct jobs
jobs_new(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct jobs jobs = { .at = rhost_alloc(ctx, (n + 1) * sizeof *jobs.at), .n = n };

    for (size_t i = 0; i < n; i++) {
        struct job *job = &jobs.at[i];

        job->change = changes[i];
        job->name = rhost_str(changes[i]->name, "name");
        job->gone = rhost_gone(changes[i]);
        job->purge = job->gone && rhost_bool(changes[i]->should, "purge", 0);
    }
    return jobs;
}

/* What is removed goes with whatever there is, unless it has options of its own. */
static int
takes_part(const struct job *job)
{
    return !job->gone || rhost_count(rhost_get(job->change->should, "options"));
}

/* Whether what goes to the command line is alike. */
static int
go_together(const struct job *a, const struct job *b)
{
    static const char *const those[] = { "install_recommends", "allow_downgrade", "config_files",
                                         "default_release", "options" };

    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++) {
        const rhost_value *x = rhost_get(a->change->should, those[i]);
        const rhost_value *y = rhost_get(b->change->should, those[i]);
        int has = x && x->host->kind(x) != RHOST_UNDEF;

        if (has != (y && y->host->kind(y) != RHOST_UNDEF) || (has && !x->host->equal(x, y)))
            return 0;
    }
    return 1;
}

/* Numbers the groups from 0; returns how many there are. */
static int
number_groups(struct jobs *jobs)
{
    int groups = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        size_t k = 0;

        if (!takes_part(job))
            continue;
        while (k < i
               && !(takes_part(&jobs->at[k]) && !jobs->at[k].gone == !job->gone
                    && go_together(&jobs->at[k], job)))
            k++;
        job->group = k < i ? jobs->at[k].group : groups++;
    }
    return groups ? groups : 1;
}

static struct jobs
jobs_of_group(rhost_ctx *ctx, const struct jobs *all, int group)
{
    struct jobs some = { .at = rhost_alloc(ctx, (all->n + 1) * sizeof *some.at) };

    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].group == group)
            some.at[some.n++] = all->at[i];
    return some;
}

int32_t
jobs_in_groups(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n, const char *const *locks,
               jobs_work *work)
{
    struct jobs all = jobs_new(ctx, changes, n);
    int groups = number_groups(&all);
    const char *why = NULL;

    for (int i = 0; i < groups; i++) {
        struct jobs some = jobs_of_group(ctx, &all, i);

        if (!some.n)
            continue;
        if (!rhost_noop(ctx) && tool_wait(ctx, locks, jobs_longest(&some, "lock_timeout", 300), &why) < 0)
            jobs_fail(ctx, &some, "%s", why);
        else if (work(ctx, &some) < 0)
            return -1;
    }
    return 0;
}

void
job_fail(rhost_ctx *ctx, struct job *job, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    if (job->failed)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    job->failed = 1;
    (void)ctx->host->did(ctx, RHOST_FAILING, &job->change->title, 1, NULL, NULL, text);
}

void
jobs_fail(rhost_ctx *ctx, const struct jobs *jobs, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < jobs->n; i++)
        job_fail(ctx, &jobs->at[i], "%s", text);
}

size_t
jobs_left(const struct jobs *jobs)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++)
        n += !jobs->at[i].failed && jobs->at[i].argument;
    return n;
}

int64_t
jobs_longest(const struct jobs *jobs, const char *attribute, int64_t otherwise)
{
    int64_t longest = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        int64_t one = rhost_int(jobs->at[i].change->should, attribute, otherwise);

        longest = one > longest ? one : longest;
    }
    return longest;
}

const rhost_value *
jobs_option(const struct jobs *jobs, const char *attribute)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (takes_part(&jobs->at[i]))
            return rhost_get(jobs->at[i].change->should, attribute);
    return NULL;
}

/* Lines that open what is said about one package, up to its name. The first few say nothing more. */
enum { QUIET = 6 };
static const char *const openings[] = {
    "Setting up ",
    "Unpacking ",
    "Preparing to unpack ",
    "Selecting previously unselected package ",
    "Removing ",
    "Purging configuration files for ",
    "dpkg: error processing package ",
    "dpkg: error processing archive ",
    "dpkg: dependency problems prevent configuration of ",
    "dpkg: dependency problems prevent removal of ",
};

/* Lines that end it. */
static const char *const closings[] = { "Processing triggers", "Errors were encountered", "E: Sub-process",
                                        "(Reading database" };

static const char *
opened(const char *line, size_t *which)
{
    const char *rest = NULL;

    for (*which = 0; *which < sizeof openings / sizeof openings[0]; (*which)++)
        if ((rest = words_after(line, openings[*which])))
            break;
    return rest;
}

static int
closes(const char *line)
{
    for (size_t i = 0; i < sizeof closings / sizeof closings[0]; i++)
        if (words_after(line, closings[i]))
            return 1;
    return 0;
}

/* Whether a line speaks of a package outside of what was said while it was worked on. */
static int
complains_of(const char *line, const char *name)
{
    return (line[0] == 'E' || line[0] == ' ' || words_after(line, "error:")) && strchr(line, ':')
           && words_mention(line, name);
}

static const char *
join_last(rhost_ctx *ctx, const struct words *lines, size_t most)
{
    size_t from = lines->n > most ? lines->n - most : 0, size = 1;
    char *text, *to;

    for (size_t i = from; i < lines->n; i++)
        size += strlen(lines->at[i]) + 1;
    text = to = rhost_alloc(ctx, size);
    for (size_t i = from; i < lines->n; i++) {
        const char *line = lines->at[i] + strspn(lines->at[i], " \t");

        to = stpcpy(stpcpy(to, i > from ? "\n" : ""), line);
    }
    return text;
}

const char *
lines_about(rhost_ctx *ctx, const char *output, const char *name)
{
    char *copy = rhost_copy(ctx, output, strlen(output)), *line;
    const char *file = rhost_fmt(ctx, "/%s_", name);
    struct words lines = { 0 };
    int inside = 0;

    while ((line = words_line(&copy))) {
        size_t which;
        const char *rest = opened(line, &which);

        if (rest)
            inside = words_mention(rest, name) || strstr(rest, file);
        else if (closes(line))
            inside = 0;
        if (*line && (inside ? which >= QUIET : !rest && complains_of(line, name)))
            words_add(ctx, &lines, line);
    }
    return lines.n ? join_last(ctx, &lines, 6) : NULL;
}

const char *
lines_of_error(rhost_ctx *ctx, const char *output)
{
    static const char *const starts[] = { "E: ",    "W: Failed", "dpkg: error",
                                          "error:", "Error:",    "dpkg-deb: error" };
    char *copy = rhost_copy(ctx, output, strlen(output)), *line;
    struct words lines = { 0 }, all = { 0 };
    int unmet = 0;

    while ((line = words_line(&copy))) {
        if (line[strspn(line, " ")])
            words_add(ctx, &all, line);
        if (strstr(line, "have unmet dependencies"))
            unmet = 1;
        else if (unmet && *line == ' ')
            words_add(ctx, &lines, line);
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
            if (words_after(line, starts[i]))
                words_add(ctx, &lines, line);
    }
    if (!all.n)
        return "no reason given";
    return join_last(ctx, lines.n ? &lines : &all, 6);
}

const char *
jobs_would_lose(rhost_ctx *ctx, const struct words *removes)
{
    for (size_t i = 0; i < removes->n; i++) {
        const rhost_value *should = rhost_declared(ctx, "package", removes->at[i]);

        if (should && strcmp(rhost_str_or(should, "ensure", ""), "present") == 0)
            return removes->at[i];
    }
    return NULL;
}

/* Tries each job alone, and fails those that don't work; how many, or -1 after fail(). */
static int
fail_each(rhost_ctx *ctx, struct jobs *jobs, job_trial *trial, void *data)
{
    int n = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct jobs one = { .at = &jobs->at[i], .n = 1 };
        const char *printed = "";
        int result;

        if (jobs->at[i].failed || !jobs->at[i].argument)
            continue;
        result = trial(ctx, &one, data, &printed);
        if (result < 0)
            return -1;
        if (result == 0)
            continue;
        job_fail(ctx, &jobs->at[i], "it cannot be %s: %s", jobs->at[i].gone ? "removed" : "installed",
                 lines_of_error(ctx, printed));
        n++;
    }
    return n;
}

int32_t
jobs_try(rhost_ctx *ctx, struct jobs *jobs, job_trial *trial, void *data, job_blame *blame)
{
    while (jobs_left(jobs)) {
        const char *printed = "";
        int result = trial(ctx, jobs, data, &printed);

        if (result <= 0)
            return result;
        if (blame(ctx, jobs, printed))
            continue;
        result = fail_each(ctx, jobs, trial, data);
        if (result < 0)
            return -1;
        for (size_t i = 0; result == 0 && i < jobs->n; i++)
            if (jobs->at[i].argument) /* each would work, but not all of them */
                job_fail(ctx, &jobs->at[i], "the changes cannot be made together: %s",
                         lines_of_error(ctx, printed));
    }
    return 0;
}

int
name_check(rhost_ctx *ctx, const rhost_value *resource, const char *extra)
{
    const char *name = rhost_str(resource, "name"), *bad;

    if (!name)
        return 0;
    bad = strchr(name, '=');
    if (bad && bad > name)
        return rhost_fail_attr(ctx, "name",
                               "'%s' says a version as well: write 'package: %.*s' and 'version: %s'", name,
                               (int)(bad - name), name, bad[1] ? bad + 1 : "...");
    if (strchr(name, '/'))
        return rhost_fail_attr(ctx, "name",
                               "'%s' is not a valid name of a package: a file is named by 'source', a "
                               "release by 'default_release'",
                               name);
    for (bad = name; *bad; bad++)
        if (!isalnum((unsigned char)*bad) && !strchr(extra, *bad))
            return rhost_fail_attr(
                ctx, "name", "'%s' is not a valid name of a package: '%c' cannot be in one", name, *bad);
    if (!isalnum((unsigned char)*name))
        return rhost_fail_attr(ctx, "name", "'%s' is not a valid name of a package: it begins with '%c'",
                               name, *name);
    return 0;
}
