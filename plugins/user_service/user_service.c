/* SPDX-License-Identifier: Apache-2.0 */
/* user_service - keep services, and other units, of users as they should be: those of systemctl --user.
 *
 * A unit that does not exist is one that is stopped and not enabled, and so are all of a user that does not
 * exist. While a user's manager does not run none of its units does, and they can be enabled and masked all
 * the same. */

#include "apply.h"
#include "manager.h"

#include "../service-systemd/names.h"
#include "../service-systemd/preset.h"
#include "../service-systemd/started.h"

#include <rhost/dry-run.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = NAMES_TYPE,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The unit; without a type it is a service." },
    { .name = "user",
      .type = "Pattern[/\\A[^\\s:\\/.-][^\\s:\\/]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The user whose unit it is." },
    { .name = "ensure", .type = "Optional[Enum[running, stopped]]", .desc = "Whether it should run now." },
    { .name = "enable",
      .type = PRESET_TYPE,
      .desc = "Whether it should be started with the user's manager, or whatever its [Install] section says; "
              "preset: as the preset files for users say." },
    { .name = "mask", .type = "Optional[Boolean]", .desc = "Whether the user should be unable to start it." },
    { .name = "linger",
      .type = "Optional[Boolean]",
      .desc =
          "Whether the user's manager should run from boot on, and not only while the user is logged in. It "
          "is the same for all units of the user." },
    { .name = "on_refresh",
      .type = "Enum[restart, reload, nothing]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"restart\"",
      .desc = "What a notification does to it, if it runs." },
    { .name = "timeout",
      .type = "Variant[Integer[1, 86400], Float[0.1, 86400.0]]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "300",
      .desc = "Seconds to wait until it is started, stopped or reloaded." },
};

static const char *const title_patterns[] = { "\\A(?<user>[^\\s:\\/]+):(?<name>.+)\\z",
                                              "\\A(?<name>[^:]+)\\z", NULL };

static const char *const relations[] = { "autorequire user[$user]", NULL };

static const struct rhost_action actions[] = {
    { .name = "start", .desc = "Start it, if it does not run.", .overlay = "{\"ensure\":\"running\"}" },
    { .name = "stop", .desc = "Stop it, if it runs.", .overlay = "{\"ensure\":\"stopped\"}" },
    { .name = "restart", .desc = "Stop it and start it again; start it, if it does not run." },
    { .name = "reload", .desc = "Have it read its configuration again." },
    { .name = "try_restart", .desc = "Restart it, if it runs." },
    { .name = "reload_or_restart", .desc = "Reload it if it can do that, and restart it else." },
    { .name = "try_reload_or_restart", .desc = "The same, if it runs." },
    { .name = "refresh",
      .desc = "What on_refresh says, if it runs. What this run has started itself is not refreshed again." },
};

struct memory {
    struct started *started;
    int image, warned; /* 1: we are in an image, where nothing is started; and that was said */
};

static struct memory *
memory(rhost_ctx *ctx)
{
    return *ctx->host->state(ctx);
}

static int32_t
user_service_open(rhost_ctx *ctx)
{
    struct memory *m = calloc(1, sizeof *m);

    if (!m)
        return rhost_fail(ctx, "out of memory");
    m->image = rhost_in_chroot();
    *ctx->host->state(ctx) = m;
    return 0;
}

static void
user_service_close(rhost_ctx *ctx)
{
    struct memory *m = memory(ctx);

    if (m)
        started_forget(&m->started);
    free(m);
}

/* Once in a run: an image is built from the manifests of the machines that will run it. */
static void
warn_of_image(rhost_ctx *ctx, const char *what)
{
    struct memory *m = memory(ctx);

    if (!m->warned)
        rhost_warning(ctx,
                      "services do not run in an image: '%s' is left to the machine that starts from it; "
                      "'enable' and 'mask' are applied",
                      what);
    m->warned = 1;
}

static const char *
key_of(rhost_ctx *ctx, const rhost_value *name)
{
    return rhost_fmt(ctx, "%s:%s", rhost_str(name, "user"), rhost_str(name, "name"));
}

static void
remember(rhost_ctx *ctx, const rhost_value *name)
{
    started_note(&memory(ctx)->started, key_of(ctx, name));
}

/* --- Callbacks. ------------------------------------------------------------------------------- */

static int32_t
user_service_suits(rhost_ctx *ctx)
{
    if (access("/usr/bin/systemctl", X_OK) == 0 || access("/bin/systemctl", X_OK) == 0)
        return 1;
    (void)rhost_fail(ctx, "systemctl is not installed");
    return 0;
}

static int32_t
user_service_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *why;
    int running = strcmp(rhost_str_or(resource, "ensure", ""), "running") == 0;
    char full[NAMES_MAX];

    if (!name)
        return 0;
    why = names_complete(name, full);
    if (why)
        return rhost_fail_attr(ctx, "name", "'%s' is not a valid name of a unit: %s", name, why);
    if (names_is_template(full) && running)
        return rhost_fail_attr(ctx, "name",
                               "'%s' is a template, which cannot be started: name an instance "
                               "of it, such as '%.*s@one%s'",
                               name, (int)strcspn(full, "@"), full, names_type(full));
    if (strcmp(full, name) != 0)
        rhost_put_str(resource, "name", full);
    return 0;
}

static int32_t
user_service_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    int masked = rhost_bool(resource, "mask", 0);
    const char *why = preset_wanted(resource) ? preset_why_not(rhost_str_or(resource, "name", "")) : NULL;

    if (masked && strcmp(rhost_str_or(resource, "ensure", ""), "running") == 0)
        return rhost_fail_attr(ctx, "mask",
                               "what is masked cannot be started: 'ensure: running' contradicts it");
    if (masked && rhost_bool(resource, "enable", 0))
        return rhost_fail_attr(ctx, "mask",
                               "what is masked cannot be enabled: 'enable: true' contradicts it");
    return why ? rhost_fail_attr(ctx, "enable", "%s", why) : 0;
}

/* Fills in what there is; `shown` NULL: it is not known whether it runs. */
static void
put(const struct account *a, const char *file, const struct shown *shown, rhost_value *to)
{
    const struct unit unit = { .file = file };

    if (shown && (unit_running(&shown->unit) || unit_stopped(&shown->unit)))
        rhost_put_str(to, "ensure", unit_running(&shown->unit) ? "running" : "stopped");
    rhost_put_bool(to, "enable", unit_enabled(&unit));
    rhost_put_bool(to, "mask", unit_masked(&unit));
    rhost_put_bool(to, "linger", account_lingers(a));
}

static int
wants_more(const rhost_value *should)
{
    return rhost_bool(should, "enable", 0) || rhost_bool(should, "mask", 0) || rhost_bool(should, "linger", 0)
           || preset_wanted(should) || strcmp(rhost_str_or(should, "ensure", ""), "running") == 0;
}

static int32_t
user_service_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *unit = rhost_str(name, "name"), *user = rhost_str(name, "user"), *file = "";
    struct shown shown = { .unit = { .active = "inactive" } };
    int image = memory(ctx)->image;
    struct account a;

    if (account_find(ctx, user, &a) < 0)
        return -1;
    if (!a.exists && rhost_looks_ahead(ctx, should) && wants_more(should)
        && rhost_foresee_account(ctx, "user", 0, user) < 0)
        return -1;
    if (a.exists) {
        file = systemctl_state(ctx, &a.owner, unit);
        if (!file)
            return -1;
        if (rhost_wants(ctx, "ensure") && !names_is_template(unit)
            && manager_show(ctx, &a, &unit, 1, &shown) < 0)
            return -1;
    }
    put(&a, file, image ? NULL : &shown, current);
    return 0;
}

/* --- A list. ---------------------------------------------------------------------------------- */

struct listed {
    const char **names,
        **files; /* the state of its file; NULL: a unit that is loaded, of which it is not known */
    size_t n, room;
};

static void
listed_add(rhost_ctx *ctx, struct listed *l, const char *name, const char *file)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->names[i], name) == 0)
            return;
    if (l->n == l->room) {
        const char **names = rhost_alloc(ctx, (2 * l->n + 64) * sizeof *names);
        const char **files = rhost_alloc(ctx, (2 * l->n + 64) * sizeof *files);

        for (size_t i = 0; i < l->n; i++) {
            names[i] = l->names[i];
            files[i] = l->files[i];
        }
        l->room = 2 * l->n + 64;
        l->names = names;
        l->files = files;
    }
    l->names[l->n] = rhost_strdup(ctx, name);
    l->files[l->n++] = file ? rhost_strdup(ctx, file) : NULL;
}

/* Services with a file, without templates and aliases; then those that are only loaded. */
static int
collect(rhost_ctx *ctx, const struct account *a, struct listed *l)
{
    char *list = systemctl_list(ctx, &a->owner, "*.service");
    const char *name, *state, *preset;

    if (!list)
        return -1;
    while ((name = systemctl_next(&list, &state, &preset)))
        if (!names_is_template(name) && strcmp(state, "alias") != 0)
            listed_add(ctx, l, name, state);
    list = manager_list(ctx, a, "*.service");
    while (list && (name = manager_next(&list)))
        listed_add(ctx, l, name, NULL);
    return 0;
}

static int
emit_account(rhost_ctx *ctx, struct account *a)
{
    struct listed l = { 0 };
    struct shown *shown;
    int runs;

    if (collect(ctx, a, &l) < 0)
        return -1;
    shown = rhost_alloc(ctx, (l.n + 1) * sizeof *shown);
    runs = manager_show(ctx, a, l.names, l.n, shown);
    for (size_t i = 0; i < l.n && runs >= 0; i++) {
        const char *file = l.files[i] ? l.files[i] : systemctl_state(ctx, &a->owner, l.names[i]);
        rhost_value *one = ctx->host->new_hash(ctx);

        if (!file)
            return -1;
        if (!l.files[i] && strcmp(shown[i].unit.load, "not-found") == 0)
            continue;
        rhost_put_str(one, "name", l.names[i]);
        rhost_put_str(one, "user", a->owner.user);
        rhost_put_fmt(one, "title", "%s:%s", a->owner.user, l.names[i]);
        put(a, file, memory(ctx)->image ? NULL : &shown[i], one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return runs < 0 ? -1 : 0;
}

static int32_t
user_service_get(rhost_ctx *ctx, const rhost_value *names)
{
    (void)names; /* those that are named are loaded */
    return account_each(ctx, emit_account);
}

/* --- Comparing and changing. ------------------------------------------------------------------ */

/* What is neither running nor stopped differs from both: there is a job to wait for. */
static int32_t
user_service_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *wanted = rhost_str_or(change->should, "ensure", "");
    struct account a;

    if (strcmp(attribute, "enable") == 0 && preset_wanted(change->should)) {
        if (account_find(ctx, rhost_str(change->name, "user"), &a) < 0)
            return -1;
        return a.exists ? preset_insync(ctx, &a.owner, rhost_str(change->name, "name"))
                        : rhost_differs(ctx, "unknown user: the preset applies once the user exists");
    }
    if (strcmp(attribute, "ensure") != 0 || rhost_has(change->is, "ensure"))
        return RHOST_DEFAULT_COMPARISON;
    if (!memory(ctx)->image)
        return rhost_differs(ctx, "starting or stopping → %s", wanted);
    if (strcmp(wanted, "running") == 0)
        warn_of_image(ctx, "ensure: running");
    return 0;
}

static int32_t
user_service_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    return apply_set(ctx, changes, n, remember);
}

/* What a notification means, as a verb of systemctl; NULL: nothing. */
static const char *
refreshing(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *how = rhost_str_or(change->should, "on_refresh", "restart");

    if (strcmp(how, "nothing") == 0 || strcmp(rhost_str_or(change->should, "ensure", ""), "stopped") == 0
        || started_has(memory(ctx)->started, key_of(ctx, change->name)))
        return NULL;
    return strcmp(how, "reload") == 0 ? "try-reload-or-restart" : "try-restart";
}

static int32_t
user_service_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    char *verb;

    if (memory(ctx)->image) {
        if (strcmp(action, "refresh") != 0) /* which is for what runs */
            warn_of_image(ctx, action);
        return 0;
    }
    if (strcmp(action, "refresh") == 0)
        action = refreshing(ctx, change);
    if (!action)
        return 0;
    verb = rhost_strdup(ctx, action);
    for (char *at = verb; (at = strchr(at, '_'));)
        *at = '-';
    return apply_act(ctx, change, verb);
}

static const char *const needs[] = { "user[$user]",     "run[systemctl]",
                                     "run[timeout]",    "run[journalctl]",
                                     "run[loginctl]",   "read[/var/lib/systemd/linger]",
                                     "read[/run/user]", NULL };

static const struct rhost_provider user_service_provider = {
    RHOST_PROVIDER("user_service",
                   "Keep services of users running, stopped, enabled or masked, by their own systemd."),
    RHOST_ATTRS(attrs),
    .needs = needs,
    .title_patterns = title_patterns,
    .relations = relations,
    RHOST_ACTIONS(actions),
    .refresh_action = "refresh",
    .suits = user_service_suits,
    .open = user_service_open,
    .close = user_service_close,
    .canonicalize = user_service_canonicalize,
    .validate = user_service_validate,
    .insync = user_service_insync,
    .load = user_service_load,
    .get = user_service_get,
    .set = user_service_set,
    .act = user_service_act,
};

RHOST_PLUGIN(user_service, "1.0", &user_service_provider)
