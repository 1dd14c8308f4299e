/* SPDX-License-Identifier: Apache-2.0 */
/* why - what a unit says for itself when it did not do as it was asked. */

#include "why.h"

#include "ended.h"
#include "log.h"

#include <stdlib.h>
#include <sys/wait.h>

/* The first of the commands under `property` that has failed; NULL: none has. */
static const char *
failed_command(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *property)
{
    char *object = bus_object(ctx, unit), who[400];
    sd_bus_message *reply = NULL;
    const char *found = NULL, *path;
    int r = -1, ignore, code, status;
    uint64_t times[4];
    uint32_t pid;

    if (object)
        r = sd_bus_get_property(bus, BUS_NAME, object, BUS_NAME ".Service", property, NULL, &reply,
                                "a(sasbttttuii)");
    r = r < 0 ? r : sd_bus_message_enter_container(reply, 'a', "(sasbttttuii)");
    while (r >= 0 && !found && sd_bus_message_enter_container(reply, 'r', "sasbttttuii") > 0) {
        r = sd_bus_message_read(reply, "s", &path);
        r = r < 0 ? r : sd_bus_message_skip(reply, "as");
        r = r < 0 ? r
                  : sd_bus_message_read(reply, "bttttuii", &ignore, &times[0], &times[1], &times[2],
                                        &times[3], &pid, &code, &status);
        r = r < 0 ? r : sd_bus_message_exit_container(reply);
        if (r < 0 || ignore || !code || (code == CLD_EXITED && status == 0))
            continue;
        snprintf(who, sizeof who, "%s (%s)", path, property);
        found = ended_how(ctx, who, code, status);
    }
    sd_bus_message_unref(reply);
    return found;
}

static int32_t
number(sd_bus *bus, const char *object, const char *property)
{
    int32_t value = 0;

    if (sd_bus_get_property_trivial(bus, BUS_NAME, object, BUS_NAME ".Service", property, NULL, 'i', &value)
        < 0)
        return 0;
    return value;
}

/* What keeps a timer, a socket or a path from starting: that what it would start can't be. NULL: nothing. */
static const char *
unloaded_trigger(rhost_ctx *ctx, sd_bus *bus, const char *unit)
{
    const char *object = bus_object(ctx, unit), *found = NULL;
    char **names = NULL;

    if (!object || sd_bus_get_property_strv(bus, BUS_NAME, object, BUS_UNIT, "Triggers", NULL, &names) < 0)
        return NULL;
    for (size_t i = 0; names && names[i]; i++) {
        const char *load = bus_property(ctx, bus, names[i], BUS_UNIT, "LoadState");

        if (!found && *load && strcmp(load, "loaded") != 0)
            found = strcmp(load, "not-found") == 0
                        ? rhost_fmt(ctx, "unit '%s', which it starts, does not exist", names[i])
                        : rhost_fmt(ctx, "%s, which it starts, is not loaded ('%s')", names[i], load);
        free(names[i]);
    }
    free(names);
    return found;
}

/* A result that tells nothing: systemd refused before the unit did anything. */
static const char *
refusal(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *result)
{
    const char *trigger = unloaded_trigger(ctx, bus, unit);

    if (trigger)
        return trigger;
    if (!*result || strcmp(result, "success") == 0)
        return rhost_fmt(ctx, "systemd refused and gives no reason; 'systemctl status %s' may show one",
                         unit);
    return rhost_fmt(ctx, "its result is '%s'", result);
}

/* What a service's result means. */
static const char *
service_result(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *result)
{
    static const char *const phases[] = { "ExecCondition", "ExecStartPre", "ExecStart",
                                          "ExecStartPost", "ExecReload",   "ExecStop" };
    const char *object = bus_object(ctx, unit), *found = ended_means(result);
    int code = object ? number(bus, object, "ExecMainCode") : 0;

    for (size_t i = 0; i < sizeof phases / sizeof phases[0] && !found; i++)
        found = failed_command(ctx, bus, unit, phases[i]);
    if (!found && code)
        found = ended_how(ctx, "its main process", code, number(bus, object, "ExecMainStatus"));
    return found ? found : refusal(ctx, bus, unit, result);
}

/* Those of a unit's dependencies that have failed. */
static const char *
failed_needs(rhost_ctx *ctx, sd_bus *bus, const char *unit)
{
    static const char *const kinds[] = { "Requires", "Requisite", "BindsTo" };
    const char *object = bus_object(ctx, unit), *found = "";

    for (size_t k = 0; object && k < sizeof kinds / sizeof kinds[0]; k++) {
        char **names = NULL;

        if (sd_bus_get_property_strv(bus, BUS_NAME, object, BUS_UNIT, kinds[k], NULL, &names) < 0)
            continue;
        for (size_t i = 0; names && names[i]; i++) {
            const char *active = bus_property(ctx, bus, names[i], BUS_UNIT, "ActiveState");

            if (strcmp(active, "failed") == 0 || (k == 1 && strcmp(active, "active") != 0))
                found = rhost_fmt(ctx, "%s%s%s (%s)", found, *found ? ", " : "", names[i], active);
            free(names[i]);
        }
        free(names);
    }
    return found;
}

/* The condition that kept it from being started, or those that may have: systemd forgets what came of
 * them with a unit that nobody needs. NULL: there are none. */
static const char *
failed_condition(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *property)
{
    const char *object = bus_object(ctx, unit), *found = NULL, *maybe = NULL, *name, *parameter;
    sd_bus_message *reply = NULL;
    int trigger, negate, r = -1;
    int32_t state;

    if (object)
        r = sd_bus_get_property(bus, BUS_NAME, object, BUS_UNIT, property, NULL, &reply, "a(sbbsi)");
    r = r < 0 ? r : sd_bus_message_enter_container(reply, 'a', "(sbbsi)");
    while (r >= 0 && !found
           && (r = sd_bus_message_read(reply, "(sbbsi)", &name, &trigger, &negate, &parameter, &state)) > 0)
        if (state < 0)
            found = rhost_fmt(ctx, "%s=%s%s", name, negate ? "!" : "", parameter);
        else if (state == 0)
            maybe = rhost_fmt(ctx, "%s%s%s=%s%s", maybe ? maybe : "", maybe ? ", " : "", name,
                              negate ? "!" : "", parameter);
    sd_bus_message_unref(reply);
    return found ? found : maybe;
}

static const char *
with_log(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *message)
{
    const char *lines = log_lines(ctx, bus, unit);

    return *lines ? rhost_fmt(ctx, "%s; its last output:\n%s", message, lines) : message;
}

/* A unit that failed: its result. */
static const char *
failure(rhost_ctx *ctx, sd_bus *bus, const char *unit)
{
    const char *type = names_type(unit), *result;
    char interface[80];

    if (strcmp(type, ".service") == 0) {
        result = bus_property(ctx, bus, unit, BUS_NAME ".Service", "Result");
        return service_result(ctx, bus, unit, result);
    }
    snprintf(interface, sizeof interface, BUS_NAME ".%c%s", type[1] - 'a' + 'A', type + 2);
    return refusal(ctx, bus, unit, bus_property(ctx, bus, unit, interface, "Result"));
}

const char *
why_job(rhost_ctx *ctx, sd_bus *bus, const struct job *job, const char *what)
{
    const char *result = job->result, *needs, *condition;

    if (!result) {
        const char *active = bus_property(ctx, bus, job->unit, BUS_UNIT, "ActiveState");
        const char *sub = bus_property(ctx, bus, job->unit, BUS_UNIT, "SubState");

        if (!job->path)
            return rhost_fmt(ctx, "cannot %s %s: %s", what, job->unit, job->error);
        return with_log(ctx, bus, job->unit,
                        rhost_fmt(ctx, "cannot %s %s: %s (it is '%s', '%s' now)", what, job->unit, job->error,
                                  active, sub));
    }
    if (strcmp(result, "dependency") == 0) {
        needs = failed_needs(ctx, bus, job->unit);
        return rhost_fmt(ctx, "cannot %s %s: what it needs has failed%s%s", what, job->unit,
                         *needs ? ": " : "", needs);
    }
    if (strcmp(result, "canceled") == 0)
        return rhost_fmt(ctx, "cannot %s %s: another job for it was queued meanwhile", what, job->unit);
    if (strcmp(result, "assert") == 0) {
        condition = failed_condition(ctx, bus, job->unit, "Asserts");
        return rhost_fmt(ctx, "cannot %s %s: an assertion of its unit failed%s%s", what, job->unit,
                         condition ? ": " : "", condition ? condition : "");
    }
    if (strcmp(result, "skipped") == 0)
        return rhost_fmt(ctx, "cannot %s %s: it does not run", what, job->unit);
    if (strcmp(result, "failed") == 0 || strcmp(result, "timeout") == 0)
        return with_log(ctx, bus, job->unit,
                        rhost_fmt(ctx, "cannot %s %s: %s", what, job->unit, failure(ctx, bus, job->unit)));
    return rhost_fmt(ctx, "cannot %s %s: systemd says '%s'", what, job->unit, result);
}

const char *
why_not_running(rhost_ctx *ctx, sd_bus *bus, const struct unit *unit)
{
    const char *condition, *type;

    if (strcmp(unit->active, "failed") == 0 || strcmp(unit->sub, "auto-restart") == 0)
        return with_log(
            ctx, bus, unit->name,
            rhost_fmt(ctx, "%s was started and failed: %s", unit->name, failure(ctx, bus, unit->name)));
    if (strcmp(unit->active, "inactive") != 0)
        return NULL;
    condition = bus_flag(bus, unit->name, "ConditionResult")
                    ? NULL
                    : failed_condition(ctx, bus, unit->name, "Conditions");
    if (condition)
        return rhost_fmt(ctx, "%s was not started: condition %s of its unit is not met", unit->name,
                         condition);
    type = bus_property(ctx, bus, unit->name, BUS_NAME ".Service", "Type");
    if (!*type || strcmp(type, "oneshot") == 0)
        return NULL;
    return with_log(ctx, bus, unit->name,
                    rhost_fmt(ctx, "%s was started, and has ended already", unit->name));
}
