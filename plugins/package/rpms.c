/* SPDX-License-Identifier: Apache-2.0 */
/* rpms - the database of rpm: reading it, and holding what is wanted against it. */

#include "rpms.h"

#include "tool.h"
#include "version.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define FORMAT "%{NAME}\\t%{ARCH}\\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n"

const char *const rpms_locks[] = { "/var/lib/dnf/rpmdb_lock.pid",      "/var/cache/dnf/metadata_lock.pid",
                                   "/var/cache/dnf/download_lock.pid", "/var/lib/rpm/.rpm.lock",
                                   "/usr/lib/sysimage/rpm/.rpm.lock",  NULL };

/* Rpm's own order decides among several of one name. */
static int
by_name(const void *a, const void *b)
{
    const struct rpm *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->order > y->order) - (x->order < y->order);
}

void
rpms_parse(rhost_ctx *ctx, const char *text, struct rpms *rpms)
{
    char *copy = tool_text(ctx, text), *line;
    size_t lines = 0;

    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    *rpms = (struct rpms){ .at = rhost_alloc(ctx, (lines + 2) * sizeof *rpms->at) };
    while ((line = words_line(&copy))) {
        char *arch = strchr(line, '\t'), *version = arch ? strchr(arch + 1, '\t') : NULL;

        if (!version || words_after(line, "gpg-pubkey\t"))
            continue; /* what is not installed; keys, which rpm keeps as packages */
        *arch++ = *version++ = '\0';
        rpms->at[rpms->n] = (struct rpm){ line, arch, version, rpms->n };
        rpms->n++;
    }
    qsort(rpms->at, rpms->n, sizeof *rpms->at, by_name);
}

/* Whether it says of each package that it did not find that it is not installed: only then the others are all
 * that there is. Its status is how many those are. */
static int
found_the_rest(const struct rhost_output *out)
{
    return out->status == 0 || (!out->signal && strstr(out->out, " is not installed"));
}

int32_t
rpms_query(rhost_ctx *ctx, const struct words *names, struct rpms *rpms)
{
    struct words argv = { 0 };
    struct rhost_output out;

    if (names && !names->n) {
        *rpms = (struct rpms){ 0 };
        return 0;
    }
    tool_words(ctx, &argv, "rpm", "-q", "--qf", FORMAT, names ? "--" : "-a");
    for (size_t i = 0; names && i < names->n; i++)
        words_add(ctx, &argv, names->at[i]);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if ((!names && out.status) || strstr(out.err, "cannot open") || !found_the_rest(&out))
        return rhost_fail(ctx, "cannot read the database of rpm: %s",
                          *out.err ? lines_of_error(ctx, out.err)
                                   : rhost_fmt(ctx, "'rpm -q' ended with status %d", out.status));
    rpms_parse(ctx, out.out, rpms);
    return 0;
}

static int
is_called(const struct rpm *rpm, const char *name)
{
    size_t n = strlen(rpm->name);

    return strncmp(rpm->name, name, n) == 0
           && (!name[n] || (name[n] == '.' && strcmp(name + n + 1, rpm->arch) == 0));
}

const struct rpm *
rpms_find(const struct rpms *rpms, const char *name)
{
    const struct rpm *found = NULL;

    for (size_t i = 0; i < rpms->n; i++)
        if (is_called(&rpms->at[i], name))
            found = &rpms->at[i];
    return found;
}

const char *
rpms_names(rhost_ctx *ctx, const struct rpms *rpms)
{
    size_t size = 1;
    char *text, *to;

    for (size_t i = 0; i < rpms->n; i++)
        size += strlen(rpms->at[i].name) + 1;
    text = to = rhost_alloc(ctx, size);
    *to = '\0';
    for (size_t i = 0; i < rpms->n; i++)
        to = stpcpy(stpcpy(to, rpms->at[i].name), "\n");
    return text;
}

int
rpms_have(const struct rpms *rpms, const char *name, const char *version)
{
    for (size_t i = 0; i < rpms->n; i++)
        if (is_called(&rpms->at[i], name) && strcmp(rpms->at[i].version, version) == 0)
            return 1;
    return 0;
}

int
rpms_suit(rhost_ctx *ctx, const char *program)
{
    static const char *const places[] = { "/var/lib/rpm/rpmdb.sqlite", "/usr/lib/sysimage/rpm/rpmdb.sqlite",
                                          "/var/lib/rpm/Packages", "/var/lib/rpm/Packages.db",
                                          "/usr/lib/sysimage/rpm/Packages.db" };

    if (!tool_is_there("rpm") || !tool_is_there(program))
        return rhost_fail(ctx, "%s is not installed", tool_is_there("rpm") ? program : "rpm") + 1;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (access(places[i], F_OK) == 0)
            return 1;
    return rhost_fail(ctx, "no database of rpm found") + 1;
}

int32_t
rpms_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (rhost_has(resource, "held"))
        return rhost_fail_attr(ctx, "held",
                               "packages of rpm cannot be held, except by the provider 'zypper'");
    return rpms_canonicalize_held(ctx, resource);
}

int32_t
rpms_canonicalize_held(rhost_ctx *ctx, rhost_value *resource)
{
    const char *version = rhost_str(resource, "version");

    if (strcmp(rhost_str_or(resource, "mark", "manual"), "auto") == 0)
        return rhost_fail_attr(ctx, "mark", "only apt marks packages");
    if (rhost_bool(resource, "purge", 0))
        return rhost_fail_attr(ctx, "purge", "rpm keeps configuration files that were edited, as *.rpmsave");
    if (strcmp(rhost_str_or(resource, "config_files", "keep"), "keep") != 0)
        return rhost_fail_attr(ctx, "config_files",
                               "the package itself decides that with rpm: *.rpmnew or *.rpmsave");
    if (rhost_has(resource, "default_release"))
        return rhost_fail_attr(ctx, "default_release",
                               "dnf has no default release; it takes a repository as one of 'options': "
                               "[--enablerepo=NAME]");
    if (version && strpbrk(version, " \t\n=/"))
        return rhost_fail_attr(ctx, "version", "'%s' is not a version", version);
    return name_check(ctx, resource, "+-._~^");
}

/* Who says whether a package is held; `asks` is NULL where none can be. */
struct holds {
    int (*asks)(void *data, const struct rpm *rpm);
    void *data;
};

static int32_t
emit(rhost_ctx *ctx, const struct rpm *rpm, const char *name, const struct holds *holds)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_str(one, "name", name);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "version", rpm->version);
    if (holds->asks)
        rhost_put_bool(one, "held", holds->asks(holds->data, rpm));
    rhost_put_str(one, "state", "installed");
    return ctx->host->emit(ctx, one);
}

int32_t
rpms_get(rhost_ctx *ctx, const rhost_value *names)
{
    return rpms_get_held(ctx, names, NULL, NULL);
}

int32_t
rpms_get_held(rhost_ctx *ctx, const rhost_value *names, int (*held)(void *data, const struct rpm *rpm),
              void *data)
{
    const struct holds holds = { held, data };
    struct words asked = { 0 };
    struct rpms rpms;

    for (size_t i = 0; i < rhost_count(names); i++)
        words_add(ctx, &asked, rhost_str(rhost_at(names, i, NULL), "name"));
    if (rpms_query(ctx, names ? &asked : NULL, &rpms) < 0)
        return -1;
    for (size_t i = 0; !names && i < rpms.n; i++) {
        const struct rpm *rpm = &rpms.at[i];
        int one_of_several = i + 1 < rpms.n && strcmp(rpm->name, rpm[1].name) == 0;

        if (!one_of_several && emit(ctx, rpm, rpm->name, &holds) < 0)
            return -1;
    }
    for (size_t i = 0; i < asked.n; i++) {
        const struct rpm *rpm = rpms_find(&rpms, asked.at[i]);

        if (rpm && emit(ctx, rpm, asked.at[i], &holds) < 0)
            return -1;
    }
    return 0;
}

int32_t
rpms_version_of_file(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                     const char **why)
{
    struct words argv = { 0 };
    struct rhost_output out;
    struct rpms in;

    *version = NULL;
    if (!source_is_safe(ctx, file, why))
        return 0;
    tool_words(ctx, &argv, "rpm", "-q", "--qf", FORMAT, "-p", "--", file);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    rpms_parse(ctx, out.out, &in);
    if (out.status || !in.n)
        *why = rhost_fmt(ctx, "source: '%s' is not a package: %s", file, lines_of_error(ctx, out.err));
    else if (!is_called(&in.at[0], name))
        *why = rhost_fmt(ctx, "source: '%s' has the package '%s', and not '%s'", file, in.at[0].name, name);
    else
        *version = in.at[0].version;
    return 0;
}

int32_t
rpms_sources(rhost_ctx *ctx, struct jobs *jobs, source_query *of_file)
{
    if (source_versions(ctx, jobs, of_file) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].gone && !jobs->at[i].failed)
            jobs->at[i].argument = rhost_str(jobs->at[i].change->should, "source");
    return 0;
}

/* Whether a line has the name, also as name-1.0-1.noarch. */
static int
names_it(const char *line, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name)) {
        char before = at > line ? at[-1] : ' ', after = at[n];

        if (!isalnum((unsigned char)before) && !strchr("-._+", before)
            && ((after == '-' && isdigit((unsigned char)at[n + 1])) || !after
                || (!isalnum((unsigned char)after) && !strchr("-_+", after))))
            return 1;
    }
    return 0;
}

static const char *
lines_about_rpm(rhost_ctx *ctx, const char *printed, const char *name)
{
    static const char *const signs[] = { "error",    "Error",    "needed by", "required by", "provide",
                                         "conflict", "requires", "obsolete",  "ailed",       "filtered",
                                         "Can't",    "breaks",   "exists" };
    char *copy = tool_text(ctx, printed), *line;
    const char *all = NULL;

    while ((line = words_line(&copy)))
        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
            if (names_it(line, name) && strstr(line, signs[i])) {
                line += strspn(line, " \t-");
                if (!all || !strstr(all, line))
                    all = all ? rhost_fmt(ctx, "%s\n%s", all, line) : line;
                break;
            }
    return all;
}

int
rpms_blames(rhost_ctx *ctx, const char *printed, const char *name)
{
    return lines_about_rpm(ctx, printed, name) != NULL;
}

size_t
rpms_blame(rhost_ctx *ctx, struct jobs *jobs, const char *printed)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const char *lines = job->failed || !job->argument ? NULL : lines_about_rpm(ctx, printed, job->name);

        if (lines) {
            job_fail(ctx, job, "it cannot be %s: %s", job->gone ? "removed" : "installed", lines);
            n++;
        }
    }
    return n;
}

static const char *
wrong_with(rhost_ctx *ctx, const struct job *job, const struct rpms *now)
{
    const struct rpm *rpm = rpms_find(now, job->name);
    const char *wants = job_wants(job->change);

    if (job->gone)
        return rpm ? "it is still there" : NULL;
    if (!rpm)
        return "it is not installed";
    if (job->version ? !rpms_have(now, job->name, job->version)
                     : wants && strcmp(wants, "latest") != 0 && !version_fits(wants, rpm->version))
        return rhost_fmt(ctx, "its version is %s, and not %s", rpm->version,
                         job->version ? job->version : wants);
    return NULL;
}

void
rpms_judge(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *now, const char *printed)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const char *wrong = job->failed ? NULL : wrong_with(ctx, job, now);
        const char *lines = wrong ? lines_about_rpm(ctx, printed, job->name) : NULL;

        if (wrong && !lines)
            lines = lines_of_error(ctx, printed);
        if (wrong)
            job_fail(ctx, job, "%s:\n%s", wrong, lines);
    }
}

void
rpms_report(rhost_ctx *ctx, const struct jobs *jobs, const struct rpms *before)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = &jobs->at[i];
        const struct rpm *was = rpms_find(before, job->name);
        const char *what = NULL;

        if (job->failed)
            continue;
        if (job->gone)
            what = rhost_fmt(ctx, "%s → absent", was ? was->version : "present");
        else if (!was)
            what = rhost_fmt(ctx, "absent → %s", job->version ? job->version : "present");
        else if (job->version && strcmp(job->version, was->version) != 0)
            what = rhost_fmt(ctx, "%s → %s", was->version, job->version);
        if (what)
            (void)ctx->host->attribute_changed(ctx, job->change->title,
                                               job->gone || !was ? "ensure" : "version", NULL, NULL, what);
    }
}

static int
is_of_jobs(const struct jobs *jobs, const struct rpm *rpm)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (is_called(rpm, jobs->at[i].name))
            return 1;
    return 0;
}

/* What `some` have and `others` don't, by name and version. */
static void
collect(rhost_ctx *ctx, const struct jobs *jobs, const struct rpms *some, const struct rpms *others,
        struct words *found)
{
    size_t k = 0;

    for (size_t i = 0; i < some->n; i++) {
        const struct rpm *rpm = &some->at[i];
        size_t at;
        int both = 0;

        while (k < others->n && strcmp(others->at[k].name, rpm->name) < 0)
            k++;
        for (at = k; at < others->n && strcmp(others->at[at].name, rpm->name) == 0; at++)
            both |= strcmp(others->at[at].arch, rpm->arch) == 0
                    && strcmp(others->at[at].version, rpm->version) == 0;
        if (!both && !is_of_jobs(jobs, rpm))
            words_add(ctx, found, rhost_fmt(ctx, "%s %s", rpm->name, rpm->version));
    }
}

void
rpms_report_others(rhost_ctx *ctx, const struct jobs *jobs, const struct rpms *before, const struct rpms *now)
{
    struct words come = { 0 }, gone = { 0 };

    collect(ctx, jobs, now, before, &come);
    collect(ctx, jobs, before, now, &gone);
    if (come.n)
        rhost_notice(ctx, "also installed: %s", words_list(ctx, &come, 50));
    if (gone.n)
        rhost_notice(ctx, "also removed: %s", words_list(ctx, &gone, 50));
}
