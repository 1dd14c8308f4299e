/* SPDX-License-Identifier: Apache-2.0 */
/* check - rhost check PLUGIN: whether a plugin keeps what the ABI asks of it. */
#include "config.h"

#include "check/check.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "plugin/load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { N_VERDICTS = RH_CHECK_CRASH + 1 };

struct tally {
    struct rh_arena *arena;
    struct rh_value *list; /* for JSON; NULL: lines, as they come */
    size_t counts[N_VERDICTS];
};

static void
take_line(const struct rh_check_result *r)
{
    bool two = r->provider && r->type && strcmp(r->type, r->provider) != 0;
    rh_autofree char *who = !r->type ? rh_xstrdup("")
                            : two    ? rh_printf("%s/%s", r->type, r->provider)
                                     : rh_xstrdup(r->type);

    if (*who || *r->text)
        (void)printf("%-5s  %-15s  %s%s%s\n", rh_verdict_name(r->verdict), r->check, who,
                     *who && *r->text ? ": " : "", r->text);
    else
        (void)printf("%-5s  %s\n", rh_verdict_name(r->verdict), r->check);
    (void)fflush(stdout);
}

static void
take(void *data, const struct rh_check_result *r)
{
    struct tally *tally = data;
    struct rh_arena *a = tally->arena;
    struct rh_value *v;

    tally->counts[r->verdict]++;
    if (!tally->list) {
        take_line(r);
        return;
    }
    v = rh_value_new(a, RH_HASH);
    rh_value_put(v, "check", rh_value_string(a, r->check));
    rh_value_put(v, "group", rh_value_string(a, r->group));
    if (r->type)
        rh_value_put(v, "type", rh_value_string(a, r->type));
    if (r->provider)
        rh_value_put(v, "provider", rh_value_string(a, r->provider));
    rh_value_put(v, "result", rh_value_string(a, rh_verdict_name(r->verdict)));
    if (*r->text)
        rh_value_put(v, "text", rh_value_string(a, r->text));
    rh_value_put(v, "seconds", rh_value_float(a, r->seconds));
    rh_value_append(tally->list, v);
}

static void
print_json(const struct tally *tally, const struct rh_check_options *o)
{
    struct rh_arena *a = tally->arena;
    struct rh_value *whole = rh_value_new(a, RH_HASH), *counts = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf b = { 0 };

    for (int i = 0; i < N_VERDICTS; i++)
        rh_value_put(counts, rh_verdict_name((enum rh_verdict)i),
                     rh_value_integer(a, (int64_t)tally->counts[i]));
    rh_value_put(whole, "plugin", rh_value_string(a, o->path));
    rh_value_put(whole, "seed", rh_value_string(a, rh_arena_printf(a, "%llu", (unsigned long long)o->seed)));
    rh_value_put(whole, "counts", counts);
    rh_value_put(whole, "checks", tally->list);
    rh_value_to_json_pretty(&b, whole, false);
    (void)printf("%s\n", rh_buf_text(&b));
}

static void
print_counts(const struct tally *tally, const struct rh_check_options *o)
{
    const char *comma = "";

    (void)putchar('\n');
    for (int i = 0; i < N_VERDICTS; i++)
        if (tally->counts[i]) {
            (void)printf("%s%zu %s", comma, tally->counts[i], rh_verdict_name((enum rh_verdict)i));
            comma = ", ";
        }
    (void)printf("; seed %llu\n", (unsigned long long)o->seed);
}

/* Names of checks that are none are refused, rather than nothing being checked. */
static bool
knows_all(const struct rh_settings *settings)
{
    for (size_t i = 0; i < settings->only.n; i++) {
        struct rh_suggest s;

        if (rh_check_exists(settings->only.v[i]))
            continue;
        rh_suggest_init(&s, settings->only.v[i]);
        rh_check_suggest(&s);
        (void)rh_usage_unknown(&rh_command_check, s.best, NULL, "unknown check '%s'", settings->only.v[i]);
        return false;
    }
    return true;
}

static int
check(const struct rh_settings *settings, const struct rh_check_options *options)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct tally tally = { .arena = arena };
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    rh_autoerror struct rh_error err = { 0 };
    int rc;

    if (settings->format == RH_FORMAT_JSON)
        tally.list = rh_value_new(arena, RH_ARRAY);
    rc = rh_check_run(options, take, &tally, &complaints, &err);
    if (rh_complaints_count(&complaints))
        rh_complaints_print(&complaints, stderr, rh_session_colour(settings, STDERR_FILENO));
    if (rc < 0 && err.message)
        rh_refuse_error(NULL, &err);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    if (rc < 0)
        return RH_EXIT_REFUSED;
    if (tally.list)
        print_json(&tally, options);
    else
        print_counts(&tally, options);
    return tally.counts[RH_CHECK_FAIL] || tally.counts[RH_CHECK_CRASH] ? RH_EXIT_FAILED : RH_EXIT_OK;
}

/* A shared object; or, in a folder, the file that says what its program does. */
static bool
find_plugin(const char *name, char path[PATH_MAX])
{
    const char *file = NULL;
    struct stat st;
    size_t n;

    if (!realpath(name, path) || stat(path, &st) < 0) {
        rh_refuse("cannot read '%s': %s", name, strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode))
        return true;
    file = rh_bridge_file_in(path);
    n = strlen(path);
    if (!file || n + strlen(file) + 2 > PATH_MAX) {
        rh_refuse("cannot check '%s': the directory does not contain 'type.yaml'", name);
        return false;
    }
    (void)snprintf(path + n, PATH_MAX - n, "/%s", file);
    return true;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct timespec now = { 0 };
    char path[PATH_MAX];

    if (argc != 1)
        return rh_usage_error(&rh_command_check, "expected one PLUGIN: a shared object or a directory");
    if (!knows_all(settings))
        return RH_EXIT_REFUSED;
    if (!find_plugin(argv[0], path))
        return RH_EXIT_REFUSED;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return check(settings, &(struct rh_check_options){
                               .path = path,
                               .fixture = settings->fixture,
                               .only = settings->only.v,
                               .n_only = settings->only.n,
                               .time_limit = settings->time_limit,
                               .allocations = settings->allocations,
                               .faults = settings->faults,
                               .rounds = settings->rounds,
                               .seed = settings->seed ? settings->seed : (uint64_t)now.tv_nsec % 1000000 + 1,
                           });
}

const struct rh_command rh_command_check = {
    .name = "check",
    .arguments = "PLUGIN",
    .summary = "check a plugin against the ABI contract",
    .text =
        "Each check runs in its own process and passes, warns, is skipped, fails or crashes. Reading is\n"
        "checked on this machine as it is; writing is checked only with a fixture, which says what to try.",
    .options = RH_OPT_COMMON | RH_OPT_CHECK | RH_OPT_FORMAT,
    .run = run,
};
