/* SPDX-License-Identifier: Apache-2.0 */
/* push - rhost push TARGET... FILE...: apply manifests to other machines, containers and directories. */
#include "config.h"

#include "reach/push.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/source.h"
#include "base/status-line.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/ask-password.h"
#include "cli/command.h"
#include "cli/push-command.h"
#include "cli/refusal.h"
#include "cli/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LONGEST_PASSWORD = 1024,
    USUAL_JOBS = 10,
    USUAL_TIMEOUT = 10,
    USUAL_PERSIST = 60,
    KEPT_PUSHES = 50 /* as of runs */
};

/* What the command line asks for. */
struct asked {
    struct rh_settings *s;
    struct rh_arena *arena;
    struct rh_inventory inv;
    struct rh_site site;
    struct rh_push_command command;
    struct rh_push_options options;
    struct rh_push_target **targets;
    size_t n;
    char *password;
    size_t password_bytes; /* of the file, which may go on after its first line */
    struct rh_kit *kits, *plain;
    size_t n_kits;
};

/* --- Targets. ------------------------------------------------------------------------------------ */

static int
read_inventory(struct asked *q, struct rh_complaints *complaints)
{
    int rc = 0;

    q->inv.arena = q->arena;
    q->inv.complaints = complaints;
    if (q->s->targets)
        rc = rh_inventory_read(&q->inv, q->s->targets);
    if (rc == 0)
        rc = rh_inventory_resolve(&q->inv);
    if (rc < 0)
        rh_refuse_complaints(complaints, rh_session_colour(q->s, STDERR_FILENO), "no target was reached");
    return rc;
}

/* A pattern or a group may have targets that are not selected. A name is meant as it stands. */
static int
check_canary_names(const struct asked *q, struct rh_error *err)
{
    char *rest = rh_arena_strdup(q->arena, q->s->canary), *word;

    while ((word = strsep(&rest, ","))) {
        const struct rh_push_target *one = rh_map_get(&q->inv.by_name, word);
        size_t i = 0;

        while (i < q->n && q->targets[i] != one)
            i++;
        if (one && i == q->n)
            return rh_error_set(err, RH_EINPUT, "--canary names '%s', which is not selected", word);
    }
    return 0;
}

/* Those of the canary come first, the others in the order of the file. */
static int
order(struct asked *q, struct rh_error *err)
{
    const char *canary = q->s->canary;
    size_t n = 0;

    q->targets = rh_arena_alloc(q->arena, (q->inv.n_targets + 1) * sizeof(struct rh_push_target *));
    for (size_t i = 0; i < q->inv.n_targets; i++)
        if (q->inv.targets[i]->selected)
            q->targets[n++] = q->inv.targets[i];
    q->n = n;
    if (!canary)
        return 0;
    if (strspn(canary, "0123456789") == strlen(canary)) {
        q->options.n_canary = strtoul(canary, NULL, 10);
        return q->options.n_canary
                   ? 0
                   : rh_error_set(
                       err, RH_EINPUT,
                       "invalid value '%s' for --canary: expected targets, or a number of 1 or more", canary);
    }
    if (check_canary_names(q, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        q->targets[i]->selected = false;
    if (rh_inventory_select(&q->inv, canary, err) < 0)
        return rh_error_prefix(err, "--canary");
    for (size_t i = 0, at = 0; i < n; i++)
        if (q->targets[i]->selected) {
            struct rh_push_target *one = q->targets[i];

            memmove(q->targets + at + 1, q->targets + at, (i - at) * sizeof(struct rh_push_target *));
            q->targets[at++] = one;
            q->options.n_canary = at;
        }
    return q->options.n_canary ? 0
                               : rh_error_set(err, RH_EINPUT, "--canary names none of the selected targets");
}

/* Operands: selections and URIs, then files. */
static int
read_operands(struct asked *q, int argc, char **argv)
{
    rh_autoerror struct rh_error err = { 0 };
    int files = argc;

    while (files > 0 && !q->s->command && !q->s->list_targets && rh_push_is_file(argv[files - 1]))
        files--;
    for (int i = 0; i < files; i++) {
        if (rh_push_is_file(argv[i]))
            return rh_usage_error(&rh_command_push, "'%s' is a file: files come after the targets", argv[i]);
        if (rh_inventory_select(&q->inv, argv[i], &err) < 0) {
            rh_refuse_error(NULL, &err);
            return -1;
        }
    }
    if (!files)
        return rh_usage_error(
            &rh_command_push,
            "no target given: name a host, a URI such as ssh://HOST, or 'all' with --targets");
    if (files == argc && !q->s->command && !q->s->list_targets)
        return rh_usage_error(&rh_command_push,
                              "no manifest given: name a FILE after the targets, or a command after '--'");
    if (order(q, &err) < 0
        || (q->s->command        ? rh_push_command_parse(&q->command, q->arena, &q->site, q->s, &err)
            : q->s->list_targets ? 0
                                 : rh_push_command_apply(&q->command, q->arena, &q->site, q->s, argv + files,
                                                         (size_t)(argc - files), &err))
               < 0) {
        rh_refuse_error(NULL, &err);
        return -1;
    }
    return 0;
}

static bool
is_to_be_confirmed(const struct asked *q)
{
    bool waits = q->s->confirm_within;

    for (size_t i = 0; i < q->command.n; i++)
        waits |= strncmp(q->command.words[i], "--confirm-within", strlen("--confirm-within")) == 0;
    return waits;
}

/* What has begun in a directory ends with the push: nothing would be there at the deadline, or after the
 * connection was lost. A push is root there, and its state is root's. */
static int
check_directories(const struct asked *q)
{
    bool waits = is_to_be_confirmed(q);

    for (size_t i = 0; i < q->n; i++) {
        const struct rh_push_target *t = q->targets[i];

        if (t->at.connector != RH_CONNECT_CHROOT)
            continue;
        if (waits)
            return rh_usage_error(&rh_command_push,
                                  "--confirm-within is for machines that run: '%s' is a directory", t->name);
        if (q->s->detach)
            return rh_usage_error(&rh_command_push, "--detach is for machines that run: '%s' is a directory",
                                  t->name);
        if (t->settings.become_user && strcmp(t->settings.become_user, "root") != 0)
            return rh_usage_error(&rh_command_push,
                                  "become_user is for machines that run: '%s' is a directory, and a push is "
                                  "root there",
                                  t->name);
    }
    return 0;
}

static int
list_targets(const struct asked *q)
{
    struct rh_value *list = rh_value_new(q->arena, RH_ARRAY);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < q->n; i++) {
        struct rh_value *one = rh_value_new(q->arena, RH_HASH), *groups = rh_value_new(q->arena, RH_ARRAY);

        for (size_t k = 0; k < q->targets[i]->n_groups; k++)
            rh_value_append(groups, rh_value_string(q->arena, q->targets[i]->groups[k]));
        rh_value_put(one, "target", rh_value_string(q->arena, q->targets[i]->name));
        rh_value_put(one, "connect", rh_value_string(q->arena, q->targets[i]->at.text));
        rh_value_put(one, "groups", groups);
        rh_value_append(list, one);
        if (q->s->format == RH_FORMAT_TEXT)
            (void)printf("%s  %s\n", q->targets[i]->name, q->targets[i]->at.text);
    }
    if (q->s->format != RH_FORMAT_TEXT) {
        rh_value_to_json_pretty(&text, list, false);
        (void)printf("%s\n", rh_buf_text(&text));
    }
    return RH_EXIT_OK;
}

/* --- The password of sudo. ----------------------------------------------------------------------- */

static int
find_password(struct asked *q, struct rh_error *err)
{
    if (q->s->become_password_file) {
        q->password = rh_read_file(q->s->become_password_file, LONGEST_PASSWORD, &q->password_bytes, err);
        if (!q->password)
            return -1;
        q->password[strcspn(q->password, "\r\n")] = '\0';
    } else if (q->s->ask_become) {
        q->password = rh_ask_password("Password for sudo on the targets: ", err);
        if (!q->password)
            return -1;
        q->password_bytes = strlen(q->password);
    }
    q->options.password = q->password;
    return 0;
}

/* --- How. ---------------------------------------------------------------------------------------- */

static int
read_share(struct rh_share *share, const char *name, const char *value, struct rh_error *err)
{
    if (!value || rh_share_read(share, value) == 0)
        return 0;
    return rh_error_set(err, RH_EINPUT,
                        "invalid value '%s' for --%s: expected a whole number, or one with %%", value, name);
}

/* Where the reports of this push are kept: push/ID in the state directory. */
static int
make_reports_dir(struct asked *q, struct rh_error *err)
{
    rh_autofree char *state_dir = rh_session_safe_state_dir(q->s);
    struct timespec now;
    struct tm tm;
    char when[32];

    if (!state_dir)
        return rh_error_set(err, RH_ESYSTEM, "the reports of the targets cannot be kept");
    if (clock_gettime(CLOCK_REALTIME, &now) < 0 || !gmtime_r(&now.tv_sec, &tm)
        || !strftime(when, sizeof when, "%Y%m%dT%H%M%S", &tm))
        return rh_error_system(err, errno, "cannot read the clock");
    q->options.push = rh_arena_printf(q->arena, "%s.%03ldZ-%ld", when, now.tv_nsec / 1000000, (long)getpid());
    q->options.state_dir = rh_arena_strdup(q->arena, state_dir);
    q->options.reports_dir = rh_arena_printf(q->arena, "%s/push/%s", state_dir, q->options.push);
    rh_push_prune(state_dir, KEPT_PUSHES - 1);
    return rh_make_directory(q->options.reports_dir, 0700, err);
}

/* The newest kit for each architecture, for targets that have no rhost of their own. A target can be without
 * gzip: there is a second form of each. Both are opened when the first target needs them, so that a damaged
 * one stops no other target. */
static int
find_kits(struct asked *q, struct rh_error *err)
{
    size_t n = 0, kept = 0;

    if (q->s->remote_rhost)
        return 0;
    if (rh_kit_list(&q->kits, &n, NULL, err) < 0)
        return -1;
    q->n_kits = n;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < kept && strcmp(q->kits[k].arch, q->kits[i].arch) != 0)
            k++;
        if (k == kept || q->kits[i].made > q->kits[k].made) {
            struct rh_kit swapped = q->kits[i];

            q->kits[i] = q->kits[k];
            q->kits[k] = swapped;
            kept += k == kept;
        }
    }
    q->plain = rh_xalloc((kept + 1) * sizeof *q->plain);
    q->options.kits = q->kits;
    q->options.plain_kits = q->plain;
    for (size_t i = 0; i < kept; i++) {
        if (rh_kit_describe(&q->plain[i], q->kits[i].path, err) < 0)
            return -1;
        q->options.n_kits = i + 1;
    }
    return 0;
}

static void
clear_kits(struct asked *q)
{
    for (size_t i = 0; i < q->n_kits; i++)
        rh_kit_clear(&q->kits[i]);
    for (size_t i = 0; i < q->options.n_kits; i++)
        rh_kit_clear(&q->plain[i]);
    free(q->kits);
    free(q->plain);
}

/* Connections of ssh are kept for the next push. A confirmation says that the machine can still be reached:
 * only a new connection shows that. */
static void
share_connections(struct asked *q)
{
    rh_autofree char *dir = NULL;
    unsigned seconds = q->s->ssh_persist_specified ? q->s->ssh_persist : USUAL_PERSIST;
    bool any = false;

    for (size_t i = 0; i < q->n; i++)
        any |= q->targets[i]->at.connector == RH_CONNECT_SSH;
    q->options.new_connections =
        is_to_be_confirmed(q) || (q->command.n && strcmp(q->command.words[0], "confirm") == 0);
    if (any && seconds && !q->options.new_connections)
        dir = rh_ssh_share_dir();
    q->options.ssh_dir = dir ? rh_arena_strdup(q->arena, dir) : NULL;
    q->options.ssh_persist = seconds;
}

static int
set_options(struct asked *q, struct rh_error *err)
{
    struct rh_push_options *o = &q->options;
    const struct rh_settings *s = q->s;

    o->command = q->command.words;
    o->n_command = q->command.n;
    o->report = q->command.report;
    o->plans = q->command.makes_plans || q->command.applies_plans ? &q->command.plans : NULL;
    o->makes_plans = q->command.makes_plans;
    o->changes = q->command.changes;
    o->attributes = q->command.attributes;
    o->detach = s->detach;
    o->resolv_conf = s->resolv_conf;
    o->quiet = s->quiet;
    o->json = s->format == RH_FORMAT_JSON;
    o->colour = !o->json && rh_session_colour(s, STDOUT_FILENO);
    o->live = !s->quiet && rh_status_line_possible(STDERR_FILENO);
    o->site = &q->site.frames;
    o->site_bytes = q->site.bytes;
    o->sources = q->inv.complaints->sources;
    o->rhost = s->remote_rhost;
    o->become_specified = s->become != NULL;
    o->become = !s->become                       ? RH_BECOME_NONE
                : strcmp(s->become, "sudo") == 0 ? RH_BECOME_SUDO
                : strcmp(s->become, "doas") == 0 ? RH_BECOME_DOAS
                                                 : RH_BECOME_NONE;
    o->jobs = s->jobs ? s->jobs : USUAL_JOBS;
    o->connect_timeout = s->connect_timeout ? s->connect_timeout : USUAL_TIMEOUT;
    share_connections(q);
    if (o->rhost && (*o->rhost != '/' || !rh_endpoint_is_path(o->rhost)))
        return rh_error_set(
            err, RH_EINPUT,
            "--remote-rhost must be an absolute path of letters, digits, '.', '_', '+' and '-'");
    if (read_share(&o->batch, "batch", s->batch_share, err) < 0
        || read_share(&o->max_failures, "max-failures", s->max_failures, err) < 0 || find_kits(q, err) < 0
        || find_password(q, err) < 0)
        return -1;
    if (make_reports_dir(q, err) < 0)
        return -1;
    return o->makes_plans ? rh_plans_create(o->plans, o->push, err) : 0;
}

/* All that were refused: 1. Any that failed or was not reached: 4. */
static int
exit_status(const struct rh_push_result *r, bool detailed)
{
    const size_t *by = r->by_outcome;
    int status = RH_EXIT_OK;

    if (r->interrupted)
        return 128 + r->interrupted;
    if (by[RH_PUSH_REFUSED] == r->n)
        return RH_EXIT_REFUSED;
    if (by[RH_PUSH_FAILED] || by[RH_PUSH_REFUSED] || by[RH_PUSH_UNREACHABLE] || by[RH_PUSH_NOT_STARTED])
        status |= RH_EXIT_FAILED;
    if (detailed && by[RH_PUSH_CHANGED])
        status |= RH_EXIT_CHANGED;
    return status;
}

static int
push(struct asked *q)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_push_result result;

    if (set_options(q, &err) == 0) {
        rh_push(q->targets, q->n, &q->options, &result);
        return exit_status(&result, q->s->detailed || q->options.makes_plans);
    }
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

static int
show_last(const struct rh_settings *settings, int argc)
{
    rh_autofree char *state_dir = NULL;
    rh_autoerror struct rh_error err = { 0 };

    if (argc || settings->command)
        return rh_usage_error(&rh_command_push, "--last takes no targets and no files");
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (rh_push_show_last(state_dir, settings->format == RH_FORMAT_JSON, &err) == 0)
        return RH_EXIT_OK;
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct asked q = { .s = settings, .arena = arena };
    int status = RH_EXIT_REFUSED;

    if (settings->last_push)
        return show_last(settings, argc);
    if (settings->ask_become && settings->become_password_file)
        return rh_usage_error(&rh_command_push, "--ask-become and --become-password-file exclude each other");
    if (read_inventory(&q, &complaints) == 0 && read_operands(&q, argc, argv) == 0
        && check_directories(&q) == 0)
        status = settings->list_targets ? list_targets(&q) : push(&q);
    if (q.password)
        explicit_bzero(q.password, q.password_bytes);
    free(q.password);
    clear_kits(&q);
    rh_site_clear(&q.site);
    rh_inventory_clear(&q.inv);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return status;
}

const struct rh_command rh_command_push = {
    .name = "push",
    .arguments = "TARGET... FILE... | -- CMD",
    .summary = "apply manifests to other machines",
    .text = "TARGET is a host, ssh://USER@HOST:PORT, chroot:DIR, machine:NAME, podman:NAME, docker:NAME, "
            "local:, or\n"
            "with --targets a name, a group, a pattern or a condition: web1, 'web*', role=web, 'web&!web3'.\n"
            "The directory of each FILE is sent to the targets, where rhost applies it; with COMMAND, rhost "
            "runs\n"
            "that: resource, facts, undo. Exit status: 0 success, 1 refused, 4 a target failed or was not "
            "reached;\n"
            "with --detailed-exitcodes also 2 something was changed (or would be), 6 both.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_PUSH | RH_OPT_PUSHED,
    .run = run,
    .takes_command = true,
};
