/* SPDX-License-Identifier: Apache-2.0 */
/* dnf - packages of Fedora and its kin, installed from repositories by dnf.
 *
 * All changes of a batch are one transaction: a script for dnf's shell, which can install and remove
 * together. Its exit status says little, so what it plans is read from the table that it shows
 * beforehand, and what has become of each package from rpm afterwards. */

#include "attrs.h"
#include "rpm-lists.h"
#include "rpm-plan.h"
#include "tool.h"

static int32_t
dnf_suits(rhost_ctx *ctx)
{
    return rpms_suit(ctx, "dnf") ? 25 : 0;
}

static int32_t
dnf_get(rhost_ctx *ctx, const rhost_value *names)
{
    latest_forget(ctx);
    return rpms_get(ctx, names);
}

/* Which repositories dnf did without, unless it was told to be quiet; or NULL. */
static const char *
left_out(rhost_ctx *ctx, const char *printed)
{
    char *text = rhost_strdup(ctx, printed), *line;

    while ((line = words_line(&text)))
        if (words_after(line, "Ignoring repositories: "))
            return words_after(line, "Ignoring repositories: ");
    return NULL;
}

/* A latest_refresh. dnf knows itself how old its lists are. */
static int
refresh(rhost_ctx *ctx, const rhost_value *should, const char **why)
{
    const rhost_value *v = rhost_get(should, "refresh");
    int64_t seconds = v ? v->host->integer(v, -1) : -1;
    struct words argv = { 0 };
    const char *printed = NULL;

    if (seconds < 0 && !rhost_bool(should, "refresh", 0))
        return 0;
    tool_words(ctx, &argv, "dnf", "-y",
               seconds < 0 ? "--refresh"
                           : rhost_fmt(ctx, "--setopt=metadata_expire=%lld", (long long)seconds),
               "makecache");
    if (latest_lists(ctx, should, &argv, rpms_locks, "", &printed, why) < 0)
        return -1;
    if (printed && left_out(ctx, printed))
        rhost_warning(ctx,
                      "not all package lists could be brought up to date, continuing without the "
                      "repositories %s:\n%s",
                      left_out(ctx, printed), lines_of_error(ctx, printed));
    return 0;
}

/* What repositories have: of these names, or (NULL) of what the option asks for. `without` (NULL: nobody
 * asks) is set to the repositories that could not be read. */
static int32_t
repoquery(rhost_ctx *ctx, const char *which, const struct words *names, struct rpms *found,
          const char **without)
{
    struct words argv = { 0 };
    struct rhost_output out;

    *found = (struct rpms){ 0 };
    if (names && !names->n)
        return 0;
    tool_words(ctx, &argv, "dnf", without ? "-y" : "-q", "repoquery", which, "--qf",
               "%{name}\\t%{arch}\\t%{epoch}:%{version}-%{release}", "--");
    for (size_t i = 0; names && i < names->n; i++)
        words_add(ctx, &argv, names->at[i]);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if (out.status)
        return rhost_fail(ctx, "cannot ask dnf which versions there are: %s",
                          lines_of_error(ctx, words_join(ctx, out.out, out.err)));
    if (without)
        *without = left_out(ctx, words_join(ctx, out.out, out.err));
    rpms_parse(ctx, out.out, found);
    for (size_t i = 0; i < found->n; i++) /* as rpm says it */
        if (words_after(found->at[i].version, "0:"))
            found->at[i].version += 2;
    return 0;
}

/* A latest_query. */
static int32_t
candidates(rhost_ctx *ctx, const struct words *names, const char *release, const char **versions)
{
    struct rpms found;

    (void)release; /* there is none (rpms_canonicalize) */
    if (repoquery(ctx, "--latest-limit=1", names, &found, NULL) < 0)
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        const struct rpm *rpm = rpms_find(&found, names->at[i]);

        versions[i] = rpm ? rpm->version : NULL;
    }
    return 0;
}

static int32_t
dnf_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    static const struct latest_how how = { rpms_version_of_file, candidates, refresh };

    if (strcmp(attribute, "mark") == 0)
        return 0; /* of apt */
    return latest_insync(ctx, change, attribute, &how);
}

static const char *
why_unknown(rhost_ctx *ctx, const struct jobs *jobs, const char *name)
{
    struct words argv = { 0 }, providers = { 0 };
    struct rhost_output out;
    const char *meant, *without = NULL;
    struct rpms found;

    (void)jobs;
    if (repoquery(ctx, rhost_fmt(ctx, "--whatprovides=%s", name), NULL, &found, &without) < 0)
        return NULL;
    for (size_t i = 0; i < found.n; i++)
        if (!words_have(&providers, found.at[i].name))
            words_add(ctx, &providers, found.at[i].name);
    if (providers.n)
        return rhost_fmt(ctx, "'%s' is a virtual package; name one of those that provide it: %s", name,
                         words_list(ctx, &providers, 12));
    if (without)
        return rhost_fmt(ctx,
                         "unknown package '%s' in the repositories that could be read, and "
                         "these could not: %s",
                         name, without);
    tool_words(ctx, &argv, "dnf", "-q", "repoquery", "--qf", "%{name}");
    if (tool_read(ctx, &argv, &out) < 0)
        return NULL;
    meant = words_closest(ctx, out.out, name);
    return rhost_fmt(ctx, "unknown package '%s' in the repositories%s%s%s", name,
                     meant ? ": did you mean '" : "; 'refresh: true' brings their lists up to date",
                     meant ? meant : "", meant ? "'?" : "");
}

/* A rpm_lists_query. */
static int32_t
all_versions(rhost_ctx *ctx, const struct jobs *jobs, const struct words *names, struct rpms *found)
{
    (void)jobs;
    return repoquery(ctx, "--showduplicates", names, found, NULL);
}

static const struct rpm_lists lists = { rpms_version_of_file, all_versions, why_unknown, candidates, "-", 0 };

static void
command(rhost_ctx *ctx, const struct jobs *jobs, int simulated, struct words *argv, const char **script)
{
    const rhost_value *recommends = jobs_option(jobs, "install_recommends");

    tool_words(ctx, argv, "dnf", simulated ? "--assumeno" : "-y");
    if (recommends && recommends->host->kind(recommends) == RHOST_BOOLEAN)
        words_add(ctx, argv,
                  recommends->host->boolean(recommends, 0) ? "--setopt=install_weak_deps=True"
                                                           : "--setopt=install_weak_deps=False");
    words_add_array(ctx, argv, jobs_option(jobs, "options"));
    tool_words(ctx, argv, "shell", "/dev/stdin");
    *script = "";
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].failed && jobs->at[i].argument)
            *script = words_join(
                ctx, *script,
                rhost_fmt(ctx, "%s %s\n", jobs->at[i].gone ? "remove" : "install", jobs->at[i].argument));
    *script = words_join(ctx, *script, "transaction run\n");
}

static void
take_row(rhost_ctx *ctx, struct rpm_plan *plan, const char *heading, const char *text)
{
    const char *field[3];

    for (int i = 0; i < 3; i++) {
        size_t n;

        text += strspn(text, " ");
        n = strcspn(text, " ");
        if (!n)
            return;
        field[i] = rhost_copy(ctx, text, n);
        text += n;
    }
    plan->rows[plan->n++] = (struct rpm_row){ field[0], field[1], field[2], heading };
}

/* "NAME.ARCH VERSION", beneath the row of what takes its place. */
static void
take_replaced(rhost_ctx *ctx, struct rpm_plan *plan, const char *text)
{
    size_t n, name;
    const char *version;

    text += strspn(text, " ");
    n = strcspn(text, " ");
    version = text + n + strspn(text + n, " ");
    for (name = n; name && text[name] != '.'; name--)
        ;
    if (name && *version)
        plan->rows[plan->n++] =
            (struct rpm_row){ rhost_copy(ctx, text, name), rhost_copy(ctx, text + name + 1, n - name - 1),
                              rhost_copy(ctx, version, strcspn(version, " ")), "Removing" };
}

/* Headings stand at the margin and end with ':', rows are indented by one, and go on, where they are
 * long, on lines that are indented by more. */
static void
parse_table(rhost_ctx *ctx, const char *printed, struct rpm_plan *plan)
{
    char *text = tool_text(ctx, printed), *line;
    const char *heading = NULL, *row = NULL;
    size_t lines = 2;

    for (const char *at = printed; *at; at++)
        lines += *at == '\n';
    *plan = (struct rpm_plan){ .rows = rhost_alloc(ctx, lines * sizeof *plan->rows) };
    while ((line = words_line(&text))) {
        size_t n = strlen(line);

        if (row && words_after(line, "  ")) {
            const char *replaced = words_after(line + strspn(line, " "), "replacing ");

            if (replaced)
                take_replaced(ctx, plan, replaced);
            else
                row = rhost_fmt(ctx, "%s %s", row, line);
            continue;
        }
        if (row && heading)
            take_row(ctx, plan, heading, row);
        row = heading && line[0] == ' ' && line[1] > ' ' ? line : NULL;
        if (n && line[0] != ' ')
            heading = line[n - 1] == ':' ? line : NULL;
    }
}

/* A job_trial. */
static int
simulate(rhost_ctx *ctx, const struct jobs *jobs, void *data, const char **printed)
{
    struct rpm_plan *plan = data;
    struct words argv = { 0 };
    struct rhost_output out;
    const char *script;

    command(ctx, jobs, 1, &argv, &script);
    if (tool_try(ctx, &argv, script, &out) < 0)
        return -1;
    parse_table(ctx, out.out, plan);
    *printed = out.out;
    return rpm_plan_check(ctx, jobs, plan, printed);
}

static int32_t
carry_out(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *before)
{
    struct words argv = { 0 };
    struct rhost_output out = { .out = "" };
    const char *script;
    struct rpms now;

    command(ctx, jobs, 0, &argv, &script);
    if (jobs_left(jobs) && tool_act(ctx, &argv, script, jobs_longest(jobs, "timeout", 3600), &out) < 0)
        return -1;
    if (rpms_query(ctx, NULL, &now) < 0)
        return -1;
    rpms_judge(ctx, jobs, &now, out.out);
    rpms_report(ctx, jobs, before);
    rpms_report_others(ctx, jobs, before, &now);
    return 0;
}

static int32_t
set_group(rhost_ctx *ctx, struct jobs *jobs)
{
    struct rpm_plan plan = { 0 };
    struct rpms before;

    latest_refresh_for(ctx, jobs, refresh);
    if (rpms_query(ctx, NULL, &before) < 0 || rpm_lists_prepare(ctx, jobs, &lists) < 0
        || jobs_try(ctx, jobs, simulate, &plan, rpms_blame) < 0)
        return -1;
    rpm_plan_versions(jobs, &plan);
    if (!rhost_noop(ctx))
        return carry_out(ctx, jobs, &before);
    if (jobs_left(jobs))
        rpm_plan_report(ctx, jobs, &plan);
    rpms_report(ctx, jobs, &before);
    return 0;
}

static int32_t
dnf_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    if (jobs_in_groups(ctx, changes, n, rpms_locks, set_group) < 0)
        return -1;
    latest_forget(ctx);
    return 0;
}

static const char *const needs[] = { "root",
                                     "read[/proc]",
                                     "read[/usr/lib/sysimage/rpm]",
                                     "read[/var/cache/dnf]",
                                     "read[/var/lib/dnf]",
                                     "read[/var/lib/rpm]",
                                     "run[dnf]",
                                     "run[rpm]",
                                     "run[systemd-inhibit]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider dnf_provider = {
    RHOST_PROVIDER_OF("package", "dnf", "Install packages from repositories, with dnf."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .suits = dnf_suits,
    .open = latest_open,
    .close = latest_close,
    .canonicalize = rpms_canonicalize,
    .insync = dnf_insync,
    .get = dnf_get,
    .set = dnf_set,
};

RHOST_PLUGIN(package_dnf, "1.0", &dnf_provider)
