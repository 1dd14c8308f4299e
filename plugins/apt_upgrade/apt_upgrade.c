/* SPDX-License-Identifier: Apache-2.0 */
/* apt_upgrade - bring all packages of a machine to the versions that apt prefers, in one transaction.
 *
 * What it would do is simulated first, also where nothing is changed: a dry run names the packages, and what
 * would remove one is refused unless that is permitted. */

#include "../package/apt-lists.h"
#include "../package/apt-repair.h"
#include "../package/plan.h"
#include "../package/starts.h"
#include "../package/tool.h"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Enum[all]", .behaviour = RHOST_NAMEVAR, .desc = "Always all: all packages." },
    { .name = "state",
      .type = "Enum[current, outdated]",
      .default_value = "\"current\"",
      .desc = "Whether apt has nothing to upgrade." },
    { .name = "pending",
      .type = "Array[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "What an upgrade would change, such as 'curl 7.88.1-10 → 7.88.1-12'." },
    { .name = "mode",
      .type = "Enum[upgrade, dist-upgrade]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"upgrade\"",
      .desc = "What is upgraded: what removes no package, or all." },
    { .name = "removals",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether dist-upgrade may remove packages." },
    { .name = "autoremove",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether packages go that only others needed, and none needs any more." },
    { .name = "config_files",
      .type = "Enum[keep, replace]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"keep\"",
      .desc = "What happens to configuration files that were edited and come in a new version." },
    { .name = "default_release",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The release that versions are taken from first, like bookworm-backports." },
    { .name = "options",
      .type = "Optional[Array[String[1]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Further options for apt-get, word for word." },
    { .name = "refresh",
      .type = "Optional[Variant[Boolean, Integer[0]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Bring the package lists up to date first, once in a run: always (true), or when "
              "they are older than so many seconds." },
    { .name = "lock_timeout",
      .type = "Integer[0, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "300",
      .desc = "Seconds to wait while somebody else uses the package manager." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "3600",
      .desc = "Seconds after which the package manager is ended." },
};

/* What apt-get would do. */
struct upgrade {
    struct plan plan;
    struct words unneeded;   /* what nobody needs any more */
    const char *broken;      /* why it can do nothing yet; NULL: it can */
    struct words incomplete; /* packages whose installation was interrupted or failed */
    const char *back;        /* packages that are kept back, with blanks between them */
};

/* What decides about the run stands before the options, whose last one could take the next word as its own.
 */
static void
command(rhost_ctx *ctx, const struct jobs *jobs, int simulated, int autoremove, struct words *argv)
{
    const rhost_value *should = jobs->at[0].change->should;
    const char *release = rhost_str(should, "default_release");

    words_add(ctx, argv, "apt-get");
    if (simulated) /* what its planner was asked is logged for a simulation as well, which leaves no trace */
        tool_words(ctx, argv, "-s", "-o", "Dir::Log::Planner=/dev/null");
    else if (!autoremove && !rhost_bool(should, "removals", 0)) /* should it plan otherwise by now */
        words_add(ctx, argv, "--no-remove");
    tool_words(
        ctx, argv, "-q", "-y", "-o", "Dpkg::Use-Pty=0", "-o",
        rhost_fmt(ctx, "DPkg::Lock::Timeout=%lld", (long long)jobs_longest(jobs, "lock_timeout", 300)));
    deb_config_options(ctx, argv, jobs, "-o");
    if (release)
        tool_words(ctx, argv, "-t", release);
    words_add_array(ctx, argv, rhost_get(should, "options"));
    tool_words(ctx, argv, "-o",
               autoremove ? "APT::Get::AutomaticRemove=true" : "APT::Get::AutomaticRemove=false");
    if (strcmp(rhost_str_or(should, "mode", "upgrade"), "upgrade") == 0)
        tool_words(ctx, argv, "--with-new-pkgs", "upgrade");
    else
        words_add(ctx, argv, "dist-upgrade");
}

/* The names behind "The following packages have been kept back:". */
static const char *
kept_back(rhost_ctx *ctx, const char *printed)
{
    const char *list = strstr(printed, "have been kept back:\n"), *names = "";

    for (list = list ? strchr(list, '\n') + 1 : ""; *list == ' ';
         list += strcspn(list, "\n"), list += *list == '\n') {
        size_t blanks = strspn(list, " ");

        names = rhost_fmt(ctx, "%s%s%s", names, *names ? " " : "",
                          rhost_copy(ctx, list + blanks, strcspn(list + blanks, "\n")));
    }
    return names;
}

/* 0; 1 where apt-get refuses, with *printed; -1 after fail(). */
static int
simulate(rhost_ctx *ctx, const struct jobs *jobs, int autoremove, struct plan *plan, const char **printed)
{
    const struct jobs none = { 0 };
    struct words argv = { 0 };
    struct rhost_output out;

    *plan = (struct plan){ .native = "" };
    command(ctx, jobs, 1, autoremove, &argv);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    *printed = words_join(ctx, out.out, out.err);
    if (out.status)
        return 1;
    plan_read(ctx, &none, out.out, plan);
    return 0;
}

/* apt-get does nothing as long as packages are incomplete, which is repaired before. */
static int
is_interrupted(const char *printed)
{
    return strstr(printed, "dpkg was interrupted") || strstr(printed, "Unmet dependencies")
           || strstr(printed, "--fix-broken") || strstr(printed, "needs to be reinstalled");
}

static int32_t
find_incomplete(rhost_ctx *ctx, struct upgrade *upgrade)
{
    struct debs debs;

    if (deb_query(ctx, NULL, &debs) < 0)
        return -1;
    for (size_t i = 0; i < debs.n; i++)
        if (!deb_is_complete(&debs.at[i]))
            words_add(ctx, &upgrade->incomplete,
                      rhost_fmt(ctx, "%s (%s)", deb_title(ctx, &debs, &debs.at[i]), debs.at[i].state));
    return 0;
}

static int32_t
look(rhost_ctx *ctx, const struct jobs *jobs, struct upgrade *upgrade)
{
    struct plan whole;
    const char *printed;
    int answer = simulate(ctx, jobs, 0, &upgrade->plan, &printed);

    upgrade->unneeded = upgrade->incomplete = (struct words){ 0 };
    upgrade->broken = NULL;
    upgrade->back = "";
    if (answer < 0 || find_incomplete(ctx, upgrade) < 0)
        return -1;
    if (answer && is_interrupted(printed)) {
        upgrade->broken = lines_of_error(ctx, printed);
        return 0;
    }
    if (answer)
        return rhost_fail(ctx, "apt-get cannot plan an upgrade: %s", lines_of_error(ctx, printed));
    upgrade->back = kept_back(ctx, printed);
    if (!rhost_bool(jobs->at[0].change->should, "autoremove", 0))
        return 0;
    answer = simulate(ctx, jobs, 1, &whole, &printed);
    if (answer)
        return answer < 0
                   ? -1
                   : rhost_fail(ctx, "apt-get cannot plan an upgrade: %s", lines_of_error(ctx, printed));
    for (size_t i = 0; i < whole.removes.n; i++)
        if (!words_have(&upgrade->plan.removes, whole.removes.at[i]))
            words_add(ctx, &upgrade->unneeded, whole.removes.at[i]);
    return 0;
}

/* All that would change, in words. */
static struct words
pending(rhost_ctx *ctx, const struct upgrade *u)
{
    struct words all = { 0 };

    for (size_t i = 0; i < u->plan.changes.n; i++)
        words_add(ctx, &all, u->plan.changes.at[i]);
    for (size_t i = 0; i < u->plan.brings.n; i++)
        words_add(ctx, &all, rhost_fmt(ctx, "%s (new)", u->plan.brings.at[i]));
    for (size_t i = 0; i < u->plan.removes.n; i++)
        words_add(ctx, &all, rhost_fmt(ctx, "%s (removed)", u->plan.removes.at[i]));
    for (size_t i = 0; i < u->unneeded.n; i++)
        words_add(ctx, &all, rhost_fmt(ctx, "%s (not needed any more)", u->unneeded.at[i]));
    return all;
}

/* A change as the callbacks for reading have none, so that the options are found in one place. */
static struct jobs
jobs_of(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    struct rhost_change *change = rhost_alloc(ctx, sizeof *change);
    struct jobs jobs = { .at = rhost_alloc(ctx, sizeof *jobs.at), .n = 1 };

    *change = (struct rhost_change){ .struct_size = sizeof *change, .name = name, .should = should };
    *jobs.at = (struct job){ .change = change, .name = "" };
    return jobs;
}

static int32_t
upgrade_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *mode = rhost_str_or(resource, "mode", "upgrade");

    if (strcmp(rhost_str_or(resource, "state", "current"), "current") != 0)
        return rhost_fail_attr(ctx, "state", "it can only be made 'current'");
    if (rhost_bool(resource, "removals", 0) && strcmp(mode, "upgrade") == 0)
        return rhost_fail_attr(ctx, "removals", "it needs 'mode: dist-upgrade': an upgrade removes nothing");
    return 0;
}

static int32_t
upgrade_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct jobs jobs = jobs_of(ctx, name, should ? should : name);
    struct upgrade upgrade;
    struct words all;
    rhost_value *list;

    if (look(ctx, &jobs, &upgrade) < 0)
        return -1;
    all = pending(ctx, &upgrade);
    rhost_put_str(current, "state", all.n || upgrade.broken || upgrade.incomplete.n ? "outdated" : "current");
    list = current->host->put_array(current, "pending");
    for (size_t i = 0; i < all.n; i++)
        rhost_put_str(list, NULL, all.at[i]);
    return 0;
}

static int32_t
upgrade_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    struct jobs jobs = jobs_of(ctx, change->name, change->should);
    struct upgrade upgrade;
    struct words all;
    const char *why;

    if (strcmp(attribute, "state") != 0)
        return RHOST_DEFAULT_COMPARISON;
    if (apt_lists_refresh(ctx, change->should, &why) < 0)
        return rhost_fail_attr(ctx, "refresh", "%s", why);
    if (look(ctx, &jobs, &upgrade) < 0)
        return -1;
    if (upgrade.incomplete.n)
        return rhost_differs(ctx, "packages are incomplete: %s", words_list(ctx, &upgrade.incomplete, 8));
    if (upgrade.broken)
        return rhost_differs(ctx, "apt-get can do nothing yet: %s", upgrade.broken);
    if (*upgrade.back)
        rhost_info(ctx, "kept back: %s", upgrade.back);
    all = pending(ctx, &upgrade);
    return all.n ? rhost_differs(ctx, "%s", words_list(ctx, &all, 50)) : 0;
}

/* Why this must not be done; NULL: it may. */
static const char *
objection(rhost_ctx *ctx, const rhost_value *should, const struct upgrade *u)
{
    const char *lost = jobs_would_lose(ctx, &u->plan.removes);

    if (!lost)
        lost = jobs_would_lose(ctx, &u->unneeded);
    if (lost)
        return rhost_fmt(ctx, "this would remove '%s', which package[%s] wants to be there", lost, lost);
    if (u->plan.removes.n && !rhost_bool(should, "removals", 0))
        return rhost_fmt(ctx, "this would remove %s; 'removals: true' permits it",
                         words_list(ctx, &u->plan.removes, 50));
    return NULL;
}

/* What was said about the first package that is not whole now, or about the failure at all. */
static const char *
reason(rhost_ctx *ctx, const struct debs *now, const char *printed)
{
    const char *about = NULL;

    for (size_t i = 0; i < now->n && !about; i++)
        if (!deb_is_complete(&now->at[i]))
            about = lines_about(ctx, printed, now->at[i].name);
    return about ? about : lines_of_error(ctx, printed);
}

static int32_t
carry_out(rhost_ctx *ctx, struct jobs *jobs, const struct debs *before)
{
    int autoremove = rhost_bool(jobs->at[0].change->should, "autoremove", 0);
    const struct jobs none = { 0 };
    struct words argv = { 0 };
    struct rhost_output out;
    struct debs now;

    command(ctx, jobs, 0, autoremove, &argv);
    if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0
        || deb_query(ctx, NULL, &now) < 0)
        return -1;
    deb_report_config_files(ctx, out.out);
    deb_report_others(ctx, &none, before, &now);
    if (out.status)
        jobs_fail(ctx, jobs, "apt-get failed: %s", reason(ctx, &now, out.out));
    return 0;
}

static int32_t
upgrade_group(rhost_ctx *ctx, struct jobs *jobs)
{
    const char *printed = "", *why;
    struct words repairs = { 0 };
    struct upgrade upgrade;
    struct debs before;

    if (deb_query(ctx, NULL, &before) < 0 || deb_repair(ctx, jobs, &before, &printed) < 0
        || apt_repair(ctx, jobs, &before, &repairs, &printed) < 0)
        return -1;
    if (look(ctx, jobs, &upgrade) < 0)
        return -1;
    if (upgrade.broken && !rhost_noop(ctx))
        jobs_fail(ctx, jobs, "apt-get can do nothing: %s", upgrade.broken);
    else if ((why = objection(ctx, jobs->at[0].change->should, &upgrade)))
        jobs_fail(ctx, jobs, "%s", why);
    else if (!rhost_noop(ctx) && pending(ctx, &upgrade).n)
        return carry_out(ctx, jobs, &before);
    else if (!rhost_noop(ctx) && upgrade.incomplete.n)
        jobs_fail(ctx, jobs, "packages are incomplete, and could not be repaired: %s",
                  reason(ctx, &before, printed));
    return 0;
}

static int32_t
work(rhost_ctx *ctx, struct jobs *jobs)
{
    int32_t result = starts_prevent(ctx);

    if (result < 0)
        return -1;
    result = upgrade_group(ctx, jobs);
    starts_release(ctx);
    return result;
}

static int32_t
upgrade_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    return jobs_in_groups(ctx, changes, n, apt_locks, work);
}

static const char *const needs[] = { "root",
                                     "read[/etc/apt]",
                                     "read[/proc]",
                                     "read[/var/cache/apt]",
                                     "read[/var/lib/apt]",
                                     "read[/var/lib/dpkg]",
                                     "write[/run/rhost-policy-rc.d]",
                                     "write[/usr/sbin/policy-rc.d]",
                                     "run[apt-get]",
                                     "run[dpkg]",
                                     "run[dpkg-query]",
                                     "run[systemd-inhibit]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider apt_upgrade_provider = {
    RHOST_PROVIDER("apt_upgrade", "Bring all packages to the versions that apt prefers."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .needs = needs,
    .irreversible = "apt cannot go back to the versions that were there",
    .suits = apt_suits,
    .open = latest_open,
    .close = latest_close,
    .validate = upgrade_validate,
    .insync = upgrade_insync,
    .load = upgrade_load,
    .set = upgrade_set,
};

RHOST_PLUGIN(apt_upgrade, "1.0", &apt_upgrade_provider)
