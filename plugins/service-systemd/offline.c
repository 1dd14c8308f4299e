/* SPDX-License-Identifier: Apache-2.0 */
/* offline - services of an image: enabled, disabled and masked, and never started. */

#include "offline.h"

#include "preset.h"
#include "systemctl.h"
#include "why.h"

static int
read_unit(rhost_ctx *ctx, const char *name, struct unit *unit)
{
    const char *state = systemctl_state(ctx, NULL, name);

    if (!state)
        return -1;
    *unit =
        (struct unit){ .name = name, .load = "loaded", .active = "inactive", .sub = "dead", .file = state };
    if (!*state)
        unit->load = "not-found";
    return 0;
}

int
offline_units(rhost_ctx *ctx, const char *const *names, size_t n, struct unit *units)
{
    for (size_t i = 0; i < n; i++)
        if (read_unit(ctx, names[i], &units[i]) < 0)
            return -1;
    return 0;
}

/* The next name of a list that is a unit of its own: no template, no alias. NULL: there is none any more. */
static const char *
next_name(char **list, char name[NAMES_MAX])
{
    const char *listed, *state, *preset;

    while ((listed = systemctl_next(list, &state, &preset))) {
        if (names_is_template(listed))
            continue;
        memcpy(name, listed, strlen(listed) + 1);
        names_follow(name);
        if (strcmp(name, listed) == 0)
            return name;
    }
    return NULL;
}

int
offline_each(rhost_ctx *ctx, const char *pattern, int (*visit)(rhost_ctx *ctx, const struct unit *unit))
{
    char *list = systemctl_list(ctx, NULL, pattern), name[NAMES_MAX];
    struct unit unit;

    if (!list)
        return -1;
    while (next_name(&list, name))
        if (read_unit(ctx, rhost_strdup(ctx, name), &unit) < 0 || visit(ctx, &unit) < 0)
            return -1;
    return 0;
}

/* One step, and why it failed. */
static const char *
step(rhost_ctx *ctx, const char *verb, const char *name)
{
    const char *const units[] = { name, NULL };
    const char *why = systemctl_change(ctx, NULL, verb, units);

    return why ? rhost_fmt(ctx, "cannot %s %s: %s", verb, name, why) : NULL;
}

static const char *
enable(rhost_ctx *ctx, struct unit *unit, const char *verb)
{
    const char *why;

    if (unit_masked(unit) || strcmp(unit->file, "static") == 0 || strcmp(unit->file, "generated") == 0)
        return why_not_enabled(ctx, unit, "");
    why = step(ctx, verb, unit->name);
    if (why)
        return why;
    if (read_unit(ctx, unit->name, unit) < 0)
        return "its state cannot be read";
    return unit_enabled(unit) ? NULL : why_not_enabled(ctx, unit, "");
}

/* NULL, or why not. */
static const char *
bring(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *why = NULL;
    int to_enable = change_flag(change, "enable"), to_mask = change_flag(change, "mask");
    int preset = preset_wanted(change->should);
    struct unit unit;

    if (to_mask == 0)
        why = step(ctx, "unmask", name);
    if (!why && read_unit(ctx, name, &unit) < 0)
        return "its state cannot be read";
    if (!why && preset && *unit.file && preset_becomes(ctx, NULL, name, &to_enable) < 0)
        return "its preset cannot be read";
    if (!why && (to_enable == 1 || (preset && !*unit.file)))
        why = *unit.file ? enable(ctx, &unit, preset ? "preset" : "enable")
                         : systemctl_unknown(ctx, NULL, name);
    if (!why && to_enable == 0)
        why = step(ctx, preset ? "preset" : "disable", name);
    if (!why && to_mask == 1)
        why = step(ctx, "mask", name);
    return why;
}

int32_t
offline_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *why = bring(ctx, changes[i]);

        if (why)
            (void)ctx->host->did(ctx, RHOST_FAILING, &changes[i]->title, 1, NULL, NULL, why);
    }
    return 0;
}
