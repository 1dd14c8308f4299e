/* SPDX-License-Identifier: Apache-2.0 */
/* service-sysv - keep services that are scripts in /etc/init.d, as the LSB describes them.
 *
 * A script that is not there is a service that is stopped and not enabled, as with systemd. */

#include "levels.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#include <dirent.h>
#include <unistd.h>

#define FOLDER "/etc/init.d"

enum { LIMIT = 300, STATUS_LIMIT = 60 }; /* seconds */

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9:_.\\\\@-]{1,255}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of its script; '.service' behind it is ignored." },
    { .name = "ensure", .type = "Optional[Enum[running, stopped]]", .desc = "Whether it should run now." },
    { .name = "enable",
      .type = "Optional[Variant[Boolean, Enum[preset]]]",
      .desc = "Whether it should be started with the machine; preset is for systemd." },
    { .name = "on_refresh",
      .type = "Enum[restart, reload, nothing]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"restart\"",
      .desc = "What a notification does to it, if it runs." },
    { .name = "timeout",
      .type = "Variant[Integer[1, 86400], Float[0.1, 86400.0]]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "300",
      .desc = "Seconds that its script may take; then it is ended." },
    { .name = "init_d",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" FOLDER "\"",
      .desc = "The directory of scripts, with the rc?.d beside it." },
};

static const char *const relations[] = {
    "autorequire directory[$init_d]",
    NULL,
};

static const struct rhost_action actions[] = {
    { .name = "start", .desc = "Start it, if it does not run.", .overlay = "{\"ensure\":\"running\"}" },
    { .name = "stop", .desc = "Stop it, if it runs.", .overlay = "{\"ensure\":\"stopped\"}" },
    { .name = "restart", .desc = "Stop it and start it again; start it, if it does not run." },
    { .name = "reload", .desc = "Have it read its configuration again." },
    { .name = "try_restart", .desc = "Restart it, if it runs." },
    { .name = "reload_or_restart", .desc = "Reload it if it can do that, and restart it else." },
    { .name = "try_reload_or_restart", .desc = "The same, if it runs." },
    { .name = "refresh", .desc = "What on_refresh says, if it runs." },
};

/* The words that each action tries one after the other, as long as one is not known. */
static const struct {
    const char *action, *first, *second;
    int if_running;
} meanings[] = {
    { "restart", "restart", NULL, 0 },
    { "reload", "reload", NULL, 0 },
    { "try_restart", "restart", NULL, 1 },
    { "reload_or_restart", "reload", "restart", 0 },
    { "try_reload_or_restart", "reload", "restart", 1 },
};

static int32_t
service_suits(rhost_ctx *ctx)
{
    if (access(FOLDER, R_OK | X_OK) == 0)
        return access("/run/systemd/system", F_OK) == 0 ? 2 : 5;
    (void)rhost_fail(ctx, FOLDER " does not exist");
    return 0;
}

static int32_t
service_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name");
    size_t len = name ? strlen(name) : 0;

    rhost_tidy_path(ctx, resource, "init_d");
    if (strcmp(rhost_str_or(resource, "enable", ""), "preset") == 0)
        return rhost_fail_attr(ctx, "enable",
                               "scripts in " FOLDER
                               " have no presets, which are systemd's: use 'true' or 'false'");
    if (!name)
        return 0;
    if (len > 8 && strcmp(name + len - 8, ".service") == 0)
        rhost_put_bytes(resource, "name", name, len - 8);
    else if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return rhost_fail_attr(ctx, "name", "'%s' is not a valid name of a script", name);
    return 0;
}

/* Its status by the LSB: 0 when it runs, 1 to 3 when it does not, more when it does not know. */
static int
ask(rhost_ctx *ctx, const struct script *s, const char **printed)
{
    const char *argv[] = { s->path, "status", NULL };

    return script_run(ctx, argv, 1, STATUS_LIMIT, printed);
}

/* Whether nothing is started: the scripts are those of an image. */
static int
is_image(const struct script *s)
{
    return strcmp(s->folder, FOLDER) == 0 && rhost_in_chroot();
}

/* Once in a run: an image is built from the manifests of the machines that will run it. */
static void
warn_of_image(rhost_ctx *ctx, const char *what)
{
    static char warned;
    void **state = ctx->host->state(ctx);

    if (!*state)
        rhost_warning(ctx,
                      "services do not run in an image: '%s' is left to the machine that starts from it; "
                      "'enable' is applied",
                      what);
    *state = &warned;
}

/* 1: it runs, 0: it does not; -1 after the reason was given. */
static int
is_running(rhost_ctx *ctx, const struct script *s)
{
    const char *printed = "";
    int status;

    if (!s->there || is_image(s))
        return 0;
    if (!s->has_status)
        return rhost_fail(ctx, "'%s' cannot be asked whether it runs: it has no action 'status'", s->path);
    status = ask(ctx, s, &printed);
    if (status <= 0)
        return status < 0 ? -1 : 1;
    if (status <= 3)
        return 0;
    return rhost_fail(ctx, "'%s status' does not know whether it runs: it has status %d: %s", s->path, status,
                      *printed ? printed : "no output");
}

static int32_t
service_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct script s;
    int running, enabled, comes;

    if (script_read(ctx, &s, rhost_str_or(should, "init_d", FOLDER), rhost_str(name, "name")) < 0)
        return -1;
    comes = rhost_looks_ahead(ctx, should)
            && (rhost_will_exist(ctx, "file", s.path) || rhost_will_exist(ctx, "link", s.path));
    if (!s.there && !comes && rhost_looks_ahead(ctx, should)
        && (strcmp(rhost_str_or(should, "ensure", ""), "running") == 0 || rhost_bool(should, "enable", 0)))
        return ctx->host->fail(ctx, RHOST_MISSING, NULL, rhost_fmt(ctx, "no executable script '%s'", s.path));
    if (!s.there && !comes && should)
        rhost_warning(ctx, "service '%s' does not exist: no executable script '%s'", s.name, s.path);
    enabled = s.there ? script_enabled(ctx, &s) : 0;
    running = !should || rhost_has(should, "ensure") ? is_running(ctx, &s) : 0;
    if (running < 0 || enabled < 0)
        return -1;
    if (!is_image(&s))
        rhost_put_str(current, "ensure", running ? "running" : "stopped");
    rhost_put_bool(current, "enable", enabled);
    return 0;
}

static int32_t
service_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct dirent **list;
    int n = scandir(FOLDER, &list, NULL, alphasort), r = 0;

    (void)names;
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_errno(ctx, "cannot read '" FOLDER "'");
    for (int i = 0; i < n; i++) {
        rhost_value *resource;
        const char *printed = "";
        struct script s;
        int enabled;

        if (r == 0)
            r = script_read(ctx, &s, FOLDER, list[i]->d_name);
        if (r < 0 || list[i]->d_name[0] == '.' || !s.there || !s.has_status) {
            free(list[i]);
            continue;
        }
        resource = ctx->host->new_hash(ctx);
        rhost_put_str(resource, "name", s.name);
        r = is_image(&s) ? 3 : ask(ctx, &s, &printed);
        if (r > 3)
            rhost_warning(ctx, "ignoring '%s', which does not know whether it runs: %s", s.name, printed);
        if (!is_image(&s))
            rhost_put_str(resource, "ensure", r == 0 ? "running" : "stopped");
        enabled = script_enabled(ctx, &s);
        rhost_put_bool(resource, "enable", enabled > 0);
        r = r < 0 || enabled < 0 ? -1 : r > 3 ? 0 : ctx->host->emit(ctx, resource);
        free(list[i]);
    }
    free(list);
    return r;
}

/* Has the script do this; -1 after the reason was given. */
static int
run_word(rhost_ctx *ctx, const struct script *s, const char *word, double limit)
{
    const char *argv[] = { s->path, word, NULL }, *printed = "";
    int status = script_run(ctx, argv, 0, limit, &printed);

    if (status > 0)
        return rhost_fail(ctx, "'%s %s' failed with status %d: %s", s->path, word, status,
                          *printed ? printed : "no output");
    return status;
}

static int
set_running(rhost_ctx *ctx, const struct script *s, int run, double limit)
{
    int now;

    if (run_word(ctx, s, run ? "start" : "stop", limit) < 0)
        return -1;
    now = is_running(ctx, s);
    if (now < 0 || now == run)
        return now < 0 ? -1 : 0;
    return rhost_fail(ctx, "'%s %s' says that it did that, and '%s status' that it %s", s->path,
                      run ? "start" : "stop", s->path, run ? "does not run" : "still runs");
}

static int
read_for(rhost_ctx *ctx, struct script *s, const struct rhost_change *change)
{
    return script_read(ctx, s, rhost_str_or(change->should, "init_d", FOLDER),
                       rhost_str(change->name, "name"));
}

static int32_t
service_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    struct script s;

    if (strcmp(attribute, "ensure") != 0)
        return RHOST_DEFAULT_COMPARISON;
    if (read_for(ctx, &s, change) < 0)
        return -1;
    if (!is_image(&s))
        return RHOST_DEFAULT_COMPARISON;
    if (strcmp(rhost_str_or(change->should, "ensure", ""), "running") == 0)
        warn_of_image(ctx, "ensure: running");
    return 0;
}

static int32_t
service_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *wanted = rhost_str(change->should, "ensure"), *is = rhost_str_or(change->is, "ensure", "");
    double limit = rhost_real(change->should, "timeout", LIMIT);
    int enable = rhost_bool(change->should, "enable", -1);
    struct script s;

    if (read_for(ctx, &s, change) < 0)
        return -1;
    if (!s.there)
        return rhost_fail(ctx, "no executable script '%s'", s.path);
    if (enable >= 0) {
        int enabled = script_enabled(ctx, &s);

        if (enabled < 0 || (enable != enabled && script_enable(ctx, &s, enable) < 0))
            return -1;
    }
    if (wanted && strcmp(wanted, is) != 0 && !is_image(&s))
        return set_running(ctx, &s, strcmp(wanted, "running") == 0, limit);
    return 0;
}

/* What a notification means, as another action; NULL: nothing. */
static const char *
refreshing(const struct rhost_change *change)
{
    const char *how = rhost_str_or(change->should, "on_refresh", "restart");

    if (strcmp(how, "nothing") == 0 || strcmp(rhost_str_or(change->should, "ensure", ""), "stopped") == 0)
        return NULL;
    return strcmp(how, "reload") == 0 ? "try_reload_or_restart" : "try_restart";
}

static int32_t
service_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    double limit = rhost_real(change->should, "timeout", LIMIT);
    struct script s;
    size_t i = 0;
    int running;

    if (read_for(ctx, &s, change) < 0)
        return -1;
    if (is_image(&s)) {
        if (strcmp(action, "refresh") != 0) /* which is for what runs */
            warn_of_image(ctx, action);
        return 0;
    }
    if (strcmp(action, "refresh") == 0)
        action = refreshing(change);
    if (!action)
        return 0;
    if (!s.there)
        return rhost_fail(ctx, "no executable script '%s'", s.path);
    while (strcmp(meanings[i].action, action) != 0)
        if (++i == sizeof meanings / sizeof meanings[0])
            return rhost_fail(ctx, "'%s' is not an action of a script", action);
    running = meanings[i].if_running ? is_running(ctx, &s) : 1;
    if (running <= 0)
        return running;
    if (meanings[i].second) { /* a script that can't reload says so by its status */
        const char *argv[] = { s.path, meanings[i].first, NULL };
        int status = script_run(ctx, argv, 0, limit, NULL);

        return status <= 0 ? status : run_word(ctx, &s, meanings[i].second, limit);
    }
    return run_word(ctx, &s, meanings[i].first, limit);
}

static const char *const needs[] = { "root",
                                     "read[/etc]",
                                     "read[$init_d]",
                                     "write[$init_d/../rc0.d/]",
                                     "write[$init_d/../rc1.d/]",
                                     "write[$init_d/../rc2.d/]",
                                     "write[$init_d/../rc3.d/]",
                                     "write[$init_d/../rc4.d/]",
                                     "write[$init_d/../rc5.d/]",
                                     "write[$init_d/../rc6.d/]",
                                     "write[$init_d/../rcS.d/]",
                                     "run[$init_d/*]",
                                     "run[update-rc.d]",
                                     "run[chkconfig]",
                                     "run[insserv]",
                                     NULL };

static const struct rhost_provider service_provider = {
    RHOST_PROVIDER_OF("service", "sysv", "Keep services that are scripts in /etc/init.d."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .relations = relations,
    .needs = needs,
    .refresh_action = "refresh",
    .suits = service_suits,
    .canonicalize = service_canonicalize,
    .insync = service_insync,
    .load = service_load,
    .get = service_get,
    .update = service_update,
    .act = service_act,
};

RHOST_PLUGIN(service_sysv, "1.0", &service_provider)
