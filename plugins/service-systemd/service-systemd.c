/* SPDX-License-Identifier: Apache-2.0 */
/* service-systemd - keep services, and other units, as they should be, by talking to systemd.
 *
 * Commands run only in an image and for presets. A unit that does not exist is one that is stopped and not
 * enabled, so that a manifest may say so of what is not installed. */

#include "batch.h"
#include "bus.h"
#include "offline.h"
#include "preset.h"
#include "started.h"
#include "systemctl.h"

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = NAMES_TYPE,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The unit; without a type it is a service. An alias means the unit itself." },
    { .name = "ensure", .type = "Optional[Enum[running, stopped]]", .desc = "Whether it should run now." },
    { .name = "enable",
      .type = PRESET_TYPE,
      .desc = "Whether it should be started with the machine, or whatever its [Install] section says; "
              "preset: as the preset files say." },
    { .name = "mask", .type = "Optional[Boolean]", .desc = "Whether nobody should be able to start it." },
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

/* --- What this run has started, or cannot start. --------------------------------------------- */

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
service_open(rhost_ctx *ctx)
{
    struct memory *m = calloc(1, sizeof *m);

    if (!m)
        return rhost_fail(ctx, "out of memory");
    m->image = systemctl_has_image();
    *ctx->host->state(ctx) = m;
    return 0;
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

static void
remember(rhost_ctx *ctx, const char *unit)
{
    started_note(&memory(ctx)->started, unit);
}

static void
service_close(rhost_ctx *ctx)
{
    struct memory *m = memory(ctx);

    if (m)
        started_forget(&m->started);
    free(m);
}

/* --- Callbacks. ------------------------------------------------------------------------------ */

static int32_t
service_suits(rhost_ctx *ctx)
{
    const char *why = bus_why_not();

    if (!why)
        return 10;
    if (systemctl_has_image())
        return systemctl_is_init() ? 10 : 3;
    (void)rhost_fail(ctx, "%s", why);
    return 0;
}

static int32_t
service_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *why;
    int running = strcmp(rhost_str_or(resource, "ensure", ""), "running") == 0;
    char full[NAMES_MAX];

    if (rhost_bool(resource, "mask", 0) && running)
        return rhost_fail_attr(ctx, "mask",
                               "what is masked cannot be started: 'ensure: running' "
                               "contradicts it");
    if (rhost_bool(resource, "mask", 0) && rhost_bool(resource, "enable", 0))
        return rhost_fail_attr(ctx, "mask",
                               "what is masked cannot be enabled: 'enable: true' "
                               "contradicts it");
    if (!name)
        return 0;
    why = names_complete(name, full);
    if (why)
        return rhost_fail_attr(ctx, "name", "'%s' is not a valid name of a unit: %s", name, why);
    names_follow(full);
    if (names_is_template(full) && running)
        return rhost_fail_attr(ctx, "name",
                               "'%s' is a template, which cannot be started: name an instance "
                               "of it, such as '%.*s@one%s'",
                               name, (int)strcspn(full, "@"), full, names_type(full));
    why = preset_wanted(resource) ? preset_why_not(full) : NULL;
    if (why)
        return rhost_fail_attr(ctx, "enable", "%s", why);
    if (strcmp(full, name) != 0)
        rhost_put_str(resource, "name", full);
    return 0;
}

static int
emit(rhost_ctx *ctx, const struct unit *unit)
{
    rhost_value *resource = ctx->host->new_hash(ctx);

    rhost_put_str(resource, "name", unit->name);
    if (!memory(ctx)->image && (unit_running(unit) || unit_stopped(unit)))
        rhost_put_str(resource, "ensure", unit_running(unit) ? "running" : "stopped");
    rhost_put_bool(resource, "enable", unit_enabled(unit));
    rhost_put_bool(resource, "mask", unit_masked(unit));
    return ctx->host->emit(ctx, resource);
}

static int
emit_named(rhost_ctx *ctx, sd_bus *bus, const rhost_value *names) /* `bus` NULL: of an image */
{
    size_t n = rhost_count(names);
    const char **list = rhost_alloc(ctx, (n + 1) * sizeof *list);
    struct unit *units = rhost_alloc(ctx, (n + 1) * sizeof *units);

    for (size_t i = 0; i < n; i++)
        list[i] = rhost_str(rhost_at(names, i, NULL), "name");
    if (bus ? bus_units(ctx, bus, list, n, units) < 0 : offline_units(ctx, list, n, units) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (emit(ctx, &units[i]) < 0)
            return -1;
    return 0;
}

static int32_t
service_get(rhost_ctx *ctx, const rhost_value *names)
{
    sd_bus *bus;
    int result;

    if (memory(ctx)->image)
        return names ? emit_named(ctx, NULL, names) : offline_each(ctx, "*.service", emit);
    bus = bus_open(ctx);
    if (!bus)
        return -1;
    result = names ? emit_named(ctx, bus, names) : bus_each(ctx, bus, "*.service", emit);
    bus_close(bus);
    return result;
}

/* What is neither running nor stopped differs from both: there is a job to wait for. */
static int32_t
service_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *name = rhost_str(change->name, "name"), *doing;
    struct unit unit;
    sd_bus *bus;
    int r;

    if (strcmp(attribute, "enable") == 0 && preset_wanted(change->should))
        return preset_insync(ctx, NULL, name);
    if (strcmp(attribute, "ensure") == 0 && memory(ctx)->image) {
        if (strcmp(rhost_str_or(change->should, "ensure", ""), "running") == 0)
            warn_of_image(ctx, "ensure: running");
        return 0;
    }
    if (strcmp(attribute, "ensure") != 0 || rhost_has(change->is, "ensure"))
        return RHOST_DEFAULT_COMPARISON;
    bus = bus_open(ctx);
    r = bus ? bus_units(ctx, bus, &name, 1, &unit) : -1;
    bus_close(bus);
    if (r < 0)
        return -1;
    doing = strcmp(unit.sub, "auto-restart") == 0      ? "waiting to be restarted after a failure"
            : strcmp(unit.active, "activating") == 0   ? "starting"
            : strcmp(unit.active, "deactivating") == 0 ? "stopping"
                                                       : unit.active;
    return rhost_differs(ctx, "%s → %s", doing, rhost_str_or(change->should, "ensure", ""));
}

static int32_t
service_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    sd_bus *bus;
    int32_t result;

    if (memory(ctx)->image)
        return offline_set(ctx, changes, n);
    bus = bus_open(ctx);
    result = bus ? batch_set(ctx, bus, changes, n, remember) : -1;
    bus_close(bus);
    return result;
}

/* What a notification means, as another action; NULL: nothing. */
static const char *
refreshing(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *how = rhost_str_or(change->should, "on_refresh", "restart");

    if (strcmp(how, "nothing") == 0 || strcmp(rhost_str_or(change->should, "ensure", ""), "stopped") == 0
        || started_has(memory(ctx)->started, rhost_str(change->name, "name")))
        return NULL;
    return strcmp(how, "reload") == 0 ? "try_reload_or_restart" : "try_restart";
}

static int32_t
service_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    static const struct {
        const char *action, *method, *what;
    } methods[] = {
        { "restart", "RestartUnit", "restart" },
        { "reload", "ReloadUnit", "reload" },
        { "try_restart", "TryRestartUnit", "restart" },
        { "reload_or_restart", "ReloadOrRestartUnit", "reload or restart" },
        { "try_reload_or_restart", "ReloadOrTryRestartUnit", "reload or restart" },
    };
    int32_t result = 0;
    sd_bus *bus;

    if (memory(ctx)->image) {
        if (strcmp(action, "refresh") != 0) /* which is for what runs */
            warn_of_image(ctx, action);
        return 0;
    }
    if (strcmp(action, "refresh") == 0)
        action = refreshing(ctx, change);
    if (!action)
        return 0;
    bus = bus_open(ctx);
    if (!bus)
        return -1;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(action, methods[i].action) == 0)
            result = batch_act(ctx, bus, change, methods[i].method, methods[i].what);
    bus_close(bus);
    return result;
}

static const char *const needs[] = { "root",
                                     "dbus[org.freedesktop.systemd1]",
                                     "socket[/run/systemd/private]",
                                     "run[systemctl]",
                                     "read[/etc/machine-id]",
                                     "read[/run/log/journal]",
                                     "read[/var/log/journal]",
                                     NULL };

static const struct rhost_provider service_provider = {
    RHOST_PROVIDER_OF("service", "systemd", "Keep services running, stopped, enabled or masked, by systemd."),
    RHOST_ATTRS(attrs),
    .needs = needs,
    RHOST_ACTIONS(actions),
    .features = RHOST_SIMPLE_GET_FILTER,
    .refresh_action = "refresh",
    .suits = service_suits,
    .open = service_open,
    .close = service_close,
    .canonicalize = service_canonicalize,
    .insync = service_insync,
    .get = service_get,
    .set = service_set,
    .act = service_act,
};

RHOST_PLUGIN(service_systemd, "1.0", &service_provider)
