/* SPDX-License-Identifier: Apache-2.0 */
/* batch - bring many services to their state at once.
 *
 * The order is: read unit files anew where they are newer than what systemd knows, stop, change what is
 * enabled and masked, read the files anew if that changed any, start. All jobs of a kind are queued
 * before the first is waited for. */

#include "batch.h"

#include "jobs.h"
#include "preset.h"
#include "why.h"

#include <stdlib.h>
#include <unistd.h>

enum { GRACE = 100000 }; /* microseconds in which a program that can't run mostly is gone */

struct item {
    const struct rhost_change *change;
    const char *name;
    struct unit unit;
    int run, enable, mask; /* 1 and 0: to be so; -1: stays as it is */
    int preset;            /* `enable` is what its preset says */
    int failed;
};

struct batch {
    rhost_ctx *ctx;
    sd_bus *bus;
    struct item *items;
    size_t n;
};

static void
item_fail(struct batch *b, struct item *it, const char *why)
{
    if (!it->failed)
        (void)b->ctx->host->did(b->ctx, RHOST_FAILING, &it->change->title, 1, NULL, NULL, why);
    it->failed = 1;
}

/* --- What is to be done. -------------------------------------------------------------------- */

static int
to_run(const struct rhost_change *change)
{
    const char *wanted = rhost_str(change->should, "ensure");

    if (!wanted || strcmp(wanted, rhost_str_or(change->is, "ensure", "")) == 0)
        return -1;
    return strcmp(wanted, "running") == 0;
}

static int
read_units(struct batch *b)
{
    const char **names = rhost_alloc(b->ctx, (b->n + 1) * sizeof *names);
    struct unit *units = rhost_alloc(b->ctx, (b->n + 1) * sizeof *units);

    for (size_t i = 0; i < b->n; i++)
        names[i] = b->items[i].name;
    if (bus_units(b->ctx, b->bus, names, b->n, units) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++)
        b->items[i].unit = units[i];
    return 0;
}

static int
is_there(const struct unit *unit)
{
    return strcmp(unit->load, "not-found") != 0 || *unit->file;
}

/* Whether systemd should look at the unit's files again before it acts. */
static int
is_stale(struct batch *b, const struct item *it)
{
    return it->run >= 0
           && (!is_there(&it->unit) || strcmp(it->unit.load, "error") == 0
               || bus_flag(b->bus, it->name, "NeedDaemonReload"));
}

static const char *
why_disabled(struct batch *b, const struct unit *unit)
{
    return why_not_enabled(b->ctx, unit, bus_property(b->ctx, b->bus, unit->name, BUS_UNIT, "SourcePath"));
}

static void
check(struct batch *b, struct item *it)
{
    int unmasked = it->mask == 0;

    if (!is_there(&it->unit) && (it->run == 1 || it->enable == 1 || it->preset)) {
        const char *like = bus_suggest(b->ctx, b->bus, it->name);

        item_fail(b, it,
                  rhost_fmt(b->ctx, "unknown unit '%s'%s%s%s", it->name, like ? ": did you mean '" : "",
                            like ? like : "", like ? "'?" : ""));
    } else if (it->run == 1 && unit_masked(&it->unit) && !unmasked) {
        item_fail(
            b, it,
            rhost_fmt(b->ctx, "%s cannot be started: it is masked; 'mask: false' unmasks it", it->name));
    } else if (it->enable == 1 && !unmasked
               && (unit_masked(&it->unit) || strcmp(it->unit.file, "static") == 0
                   || strcmp(it->unit.file, "generated") == 0 || strcmp(it->unit.file, "transient") == 0)) {
        item_fail(b, it, why_disabled(b, &it->unit));
    } else if (it->run == 1 && !unmasked
               && (strcmp(it->unit.load, "bad-setting") == 0 || strcmp(it->unit.load, "error") == 0)) {
        item_fail(b, it,
                  rhost_fmt(b->ctx,
                            "%s cannot be started: systemd cannot load its unit file ('%s'); "
                            "'systemctl status %s' says why",
                            it->name, it->unit.load, it->name));
    }
}

static int
prepare(struct batch *b, const struct rhost_change *const *changes)
{
    int stale = 0;

    for (size_t i = 0; i < b->n; i++)
        b->items[i] = (struct item){
            .change = changes[i],
            .name = rhost_str(changes[i]->name, "name"),
            .run = to_run(changes[i]),
            .enable = change_flag(changes[i], "enable"),
            .mask = change_flag(changes[i], "mask"),
            .preset = preset_wanted(changes[i]->should),
        };
    if (read_units(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n && !stale; i++)
        stale = is_stale(b, &b->items[i]);
    if (stale && (bus_reload(b->ctx, b->bus) < 0 || read_units(b) < 0))
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct item *it = &b->items[i];

        if (it->preset && is_there(&it->unit) && preset_becomes(b->ctx, NULL, it->name, &it->enable) < 0)
            return -1;
        check(b, it);
    }
    return 0;
}

/* --- Files. --------------------------------------------------------------------------------- */

struct file_change {
    const char *method, *what;
    int force; /* -1: the method has no such argument */
    int (*wanted)(const struct item *it);
    int runtime;
};

static int
wants_unmask(const struct item *it)
{
    return it->mask == 0 && strcmp(it->unit.file, "masked-runtime") != 0;
}

static int
wants_unmask_runtime(const struct item *it)
{
    return it->mask == 0 && strcmp(it->unit.file, "masked-runtime") == 0;
}

static int
wants_mask(const struct item *it)
{
    return it->mask == 1;
}

static int
wants_enable(const struct item *it)
{
    return it->enable == 1 && !it->preset;
}

static int
wants_disable(const struct item *it)
{
    return it->enable == 0 && !it->preset;
}

static int
wants_preset(const struct item *it)
{
    return it->enable >= 0 && it->preset;
}

/* One call for all; if that fails, one for each, which tells whose fault it is. Returns how many. */
static size_t
change_files(struct batch *b, const struct file_change *f)
{
    const char **names = rhost_alloc(b->ctx, (b->n + 1) * sizeof *names);
    sd_bus_error error = SD_BUS_ERROR_NULL;
    size_t n = 0;
    int r;

    for (size_t i = 0; i < b->n; i++)
        if (!b->items[i].failed && f->wanted(&b->items[i]))
            names[n++] = b->items[i].name;
    if (!n)
        return 0;
    r = bus_files(b->bus, f->method, names, f->runtime, f->force, &error);
    sd_bus_error_free(&error);
    for (size_t i = 0; i < b->n && r < 0; i++) {
        const char *one[] = { b->items[i].name, NULL };
        int r1;

        if (b->items[i].failed || !f->wanted(&b->items[i]))
            continue;
        r1 = bus_files(b->bus, f->method, one, f->runtime, f->force, &error);
        if (r1 < 0)
            item_fail(b, &b->items[i],
                      rhost_fmt(b->ctx, "cannot %s %s: %s", f->what, b->items[i].name,
                                bus_reason(b->ctx, &error, r1)));
        sd_bus_error_free(&error);
    }
    return n;
}

/* Says of each that was to be enabled why it is not. */
static int
check_enabled(struct batch *b)
{
    if (read_units(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct item *it = &b->items[i];

        if (it->enable == 1 && !it->failed && !unit_enabled(&it->unit))
            item_fail(b, it, why_disabled(b, &it->unit));
    }
    return 0;
}

static int
all_files(struct batch *b)
{
    static const struct file_change changes[] = {
        { "UnmaskUnitFiles", "unmask", -1, wants_unmask, 0 },
        { "UnmaskUnitFiles", "unmask", -1, wants_unmask_runtime, 1 },
        { "DisableUnitFiles", "disable", -1, wants_disable, 0 },
        { "EnableUnitFiles", "enable", 0, wants_enable, 0 },
        { "PresetUnitFiles", "apply the preset of", 0, wants_preset, 0 },
        { "MaskUnitFiles", "mask", 0, wants_mask, 0 },
    };
    size_t n = 0;

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        n += change_files(b, &changes[i]);
    if (!n)
        return 0;
    return bus_reload(b->ctx, b->bus) < 0 ? -1 : check_enabled(b);
}

/* --- Jobs. ---------------------------------------------------------------------------------- */

static double
limit_of(const struct rhost_change *change)
{
    return rhost_real(change->should, "timeout", BATCH_LIMIT);
}

static void
run_jobs(struct batch *b, int run, const char *method, const char *what)
{
    struct job *jobs = rhost_alloc(b->ctx, (b->n + 1) * sizeof *jobs);
    struct item **of = rhost_alloc(b->ctx, (b->n + 1) * sizeof *of);
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct item *it = &b->items[i];

        if (it->run != run || it->failed)
            continue;
        /* A start would wait for the restart that is scheduled, however far off. */
        jobs[n] =
            (struct job){ .unit = it->name,
                          .method = run && strcmp(it->unit.sub, "auto-restart") == 0 ? "RestartUnit" : method,
                          .limit = limit_of(it->change) };
        of[n++] = it;
    }
    jobs_run(b->ctx, b->bus, jobs, n);
    for (size_t i = 0; i < n; i++)
        if (!jobs[i].result || strcmp(jobs[i].result, "done") != 0)
            item_fail(b, of[i], why_job(b->ctx, b->bus, &jobs[i], what));
}

/* Says of what was stopped who may start it again: a socket, a timer, ... */
static void
warn_of_triggers(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct item *it = &b->items[i];
        char *object = it->run == 0 && !it->failed ? bus_object(b->ctx, it->name) : NULL, **names = NULL;

        if (!object
            || sd_bus_get_property_strv(b->bus, BUS_NAME, object, BUS_UNIT, "TriggeredBy", NULL, &names) < 0)
            continue;
        for (size_t k = 0; names && names[k]; k++) {
            if (strcmp(bus_property(b->ctx, b->bus, names[k], BUS_UNIT, "ActiveState"), "active") == 0)
                rhost_warning(b->ctx, "%s is stopped, and %s may start it again", it->name, names[k]);
            free(names[k]);
        }
        free(names);
    }
}

/* How often it was started before does not count: systemd's limit is for what crashes, and not for what
 * somebody asks for. One that is not loaded has nothing to be forgiven. */
static void
forgive(sd_bus *bus, const char *unit)
{
    sd_bus_error error = SD_BUS_ERROR_NULL;

    (void)sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_MANAGER, "ResetFailedUnit", &error, NULL, "s",
                             unit);
    sd_bus_error_free(&error);
}

/* Of a service that counts as up as soon as it has a process, that says little: it is looked at again
 * a moment later. */
static int
is_hasty(struct batch *b, const char *name)
{
    const char *type = bus_property(b->ctx, b->bus, name, BUS_NAME ".Service", "Type");

    return strcmp(type, "simple") == 0 || strcmp(type, "idle") == 0;
}

static int
check_running(struct batch *b, void (*started)(rhost_ctx *ctx, const char *unit))
{
    size_t n = 0;
    int hasty = 0;

    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].run == 1 && !b->items[i].failed) {
            n++;
            hasty = hasty || is_hasty(b, b->items[i].name);
        }
    if (!n)
        return 0;
    if (hasty)
        usleep(GRACE);
    if (read_units(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct item *it = &b->items[i];
        const char *why;

        if (it->run != 1 || it->failed)
            continue;
        why = why_not_running(b->ctx, b->bus, &it->unit);
        if (why)
            item_fail(b, it, why);
        else
            started(b->ctx, it->name);
    }
    return 0;
}

int32_t
batch_set(rhost_ctx *ctx, sd_bus *bus, const struct rhost_change *const *changes, size_t n,
          void (*started)(rhost_ctx *ctx, const char *unit))
{
    struct batch b = { ctx, bus, rhost_alloc(ctx, (n + 1) * sizeof *b.items), n };

    if (prepare(&b, changes) < 0)
        return -1;
    run_jobs(&b, 0, "StopUnit", "stop");
    warn_of_triggers(&b);
    if (all_files(&b) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (b.items[i].run == 1 && !b.items[i].failed)
            forgive(bus, b.items[i].name);
    run_jobs(&b, 1, "StartUnit", "start");
    return check_running(&b, started);
}

int32_t
batch_act(rhost_ctx *ctx, sd_bus *bus, const struct rhost_change *change, const char *method,
          const char *what)
{
    struct job job = { .unit = rhost_str(change->name, "name"), .method = method, .limit = limit_of(change) };
    struct unit unit;
    const char *why;

    if (bus_flag(bus, job.unit, "NeedDaemonReload") && bus_reload(ctx, bus) < 0)
        return -1;
    if (bus_units(ctx, bus, &job.unit, 1, &unit) < 0)
        return -1;
    if (strstr(method, "Try") && !unit_running(&unit) && strcmp(unit.active, "activating") != 0)
        return 0;
    if (strstr(method, "Restart"))
        forgive(bus, job.unit);
    jobs_run(ctx, bus, &job, 1);
    if (!job.result || strcmp(job.result, "done") != 0)
        return rhost_fail(ctx, "%s", why_job(ctx, bus, &job, what));
    if (strstr(method, "Restart") && is_hasty(&(struct batch){ ctx, bus, NULL, 0 }, job.unit))
        usleep(GRACE);
    if (bus_units(ctx, bus, &job.unit, 1, &unit) < 0)
        return -1;
    why = strcmp(unit.active, "inactive") == 0 ? NULL : why_not_running(ctx, bus, &unit);
    return why ? rhost_fail(ctx, "%s", why) : 0;
}
