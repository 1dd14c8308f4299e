/* SPDX-License-Identifier: Apache-2.0 */
/* unit - what systemd says of a unit, and what that means for a resource. */
#ifndef SERVICE_SYSTEMD_UNIT_H
#define SERVICE_SYSTEMD_UNIT_H

#include <rhost/provider.h>

/* What systemd says of a unit; text that lives as long as the call, never NULL. */
struct unit {
    const char *name;
    const char *load;   /* loaded, not-found, masked, ... */
    const char *active; /* active, inactive, failed, ... */
    const char *sub;
    const char *file; /* enabled, disabled, static, ...; "" where there is no file */
};

/* What counts as running, stopped, enabled and masked. One that is starting, stopping, or waiting to be
 * restarted after a failure is neither running nor stopped. */
int unit_running(const struct unit *unit);
int unit_stopped(const struct unit *unit);
int unit_enabled(const struct unit *unit);
int unit_masked(const struct unit *unit);

/* Why it can't be enabled; `source` is what its unit is made from, or "". */
const char *why_not_enabled(rhost_ctx *ctx, const struct unit *unit, const char *source);

#endif
