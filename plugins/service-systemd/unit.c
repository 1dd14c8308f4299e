/* SPDX-License-Identifier: Apache-2.0 */
/* unit - what systemd says of a unit, and what that means for a resource. */

#include "unit.h"

#include <string.h>

int
unit_running(const struct unit *unit)
{
    return strcmp(unit->active, "active") == 0 || strcmp(unit->active, "reloading") == 0
           || strcmp(unit->active, "refreshing") == 0;
}

int
unit_stopped(const struct unit *unit)
{
    return strcmp(unit->active, "inactive") == 0 || strcmp(unit->active, "failed") == 0
           || strcmp(unit->active, "maintenance") == 0;
}

int
unit_enabled(const struct unit *unit)
{
    return strcmp(unit->file, "enabled") == 0;
}

int
unit_masked(const struct unit *unit)
{
    return strncmp(unit->file, "masked", 6) == 0;
}

const char *
why_not_enabled(rhost_ctx *ctx, const struct unit *unit, const char *source)
{
    if (strcmp(unit->file, "static") == 0)
        return rhost_fmt(ctx,
                         "%s cannot be enabled: its unit file has no [Install] section, as others start it "
                         "when they need it",
                         unit->name);
    if (strcmp(unit->file, "generated") == 0 && strncmp(source, "/etc/init.d/", 12) == 0)
        return rhost_fmt(ctx,
                         "%s cannot be enabled by systemd, as its unit is made from %s: 'provider: sysv' can",
                         unit->name, source);
    if (strcmp(unit->file, "generated") == 0)
        return rhost_fmt(ctx, "%s cannot be enabled: its unit is made anew at each boot%s%s", unit->name,
                         *source ? ", from " : "", source);
    if (strcmp(unit->file, "transient") == 0)
        return rhost_fmt(ctx,
                         "%s cannot be enabled: it was made by a program, and is gone with the next boot",
                         unit->name);
    if (strcmp(unit->file, "indirect") == 0)
        return rhost_fmt(ctx,
                         "%s is not enabled itself: its [Install] section only names others (Also=, "
                         "DefaultInstance=), which should be named instead",
                         unit->name);
    if (unit_masked(unit))
        return rhost_fmt(ctx, "%s cannot be enabled: it is masked; 'mask: false' unmasks it", unit->name);
    return rhost_fmt(ctx, "%s is '%s' after it was enabled", unit->name,
                     *unit->file ? unit->file : unit->load);
}
