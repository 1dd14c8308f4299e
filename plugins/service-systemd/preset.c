/* SPDX-License-Identifier: Apache-2.0 */
/* preset - `enable: preset`: a unit is enabled or not as the preset files say. */

#include "preset.h"

#include "names.h"

#include <string.h>

struct file {
    const char *state, *preset; /* as list-unit-files has them; "" where there is no such unit */
};

const char *
preset_why_not(const char *unit)
{
    return strchr(unit, '@')
               ? "the preset of a template enables instances of it: use 'enable: true' for each of them"
               : NULL;
}

int
preset_wanted(const rhost_value *should)
{
    return should && strcmp(rhost_str_or(should, "enable", ""), "preset") == 0;
}

int
change_flag(const struct rhost_change *change, const char *attribute)
{
    int wanted = rhost_bool(change->should, attribute, -1);

    return wanted == rhost_bool(change->is, attribute, -1) ? -1 : wanted;
}

static int
read_file(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit, struct file *f)
{
    char *list = systemctl_list(ctx, owner, unit);
    const char *name;

    *f = (struct file){ "", "" };
    if (!list)
        return -1;
    while ((name = systemctl_next(&list, &f->state, &f->preset)))
        if (strcmp(name, unit) == 0)
            return 0;
    *f = (struct file){ "", "" };
    return 0;
}

static int
is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return 1;
    return 0;
}

/* What systemctl preset would do to such a unit, as *becomes. -1: its preset is unknown. */
static int
decide(const struct file *f, int *becomes)
{
    static const char *const nothing[] = { "-", "ignored", NULL };
    static const char *const settled[] = { "enabled",  "static", "generated", "transient",
                                           "indirect", "alias",  NULL };

    *becomes = -1;
    if (strcmp(f->preset, "enabled") == 0)
        *becomes = is_one_of(f->state, settled) ? -1 : 1;
    else if (strcmp(f->preset, "disabled") == 0)
        *becomes = strcmp(f->state, "enabled") == 0 ? 0 : -1;
    else if (!is_one_of(f->preset, nothing))
        return -1;
    return 0;
}

static int
decide_for(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit, const struct file *f,
           int *becomes)
{
    *becomes = -1;
    if (!*f->state || decide(f, becomes) == 0)
        return 0;
    if (!*f->preset)
        return rhost_fail(ctx,
                          "this version of systemctl does not list presets: use 'enable: true' or 'false'");
    return rhost_fail(ctx,
                      "cannot tell what the preset of %s is: a file in /etc/systemd/%s-preset, or in the "
                      "directory of that name in /run/systemd or /usr/lib/systemd, cannot be read",
                      unit, owner ? "user" : "system");
}

int
preset_becomes(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit, int *becomes)
{
    struct file f;

    return read_file(ctx, owner, unit, &f) < 0 ? -1 : decide_for(ctx, owner, unit, &f, becomes);
}

int32_t
preset_insync(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit)
{
    struct file f;
    int becomes;

    if (read_file(ctx, owner, unit, &f) < 0 || decide_for(ctx, owner, unit, &f, &becomes) < 0)
        return -1;
    if (!*f.state)
        return rhost_differs(ctx, "unknown unit: its preset applies once it exists");
    if (becomes < 0)
        return 0;
    return rhost_differs(ctx, "%s → %s, its preset", becomes ? "false" : "true", becomes ? "true" : "false");
}
