/* SPDX-License-Identifier: Apache-2.0 */
/* preset - `enable: preset`: a unit is enabled or not as the preset files say; see systemd.preset(5). */
#ifndef SERVICE_SYSTEMD_PRESET_H
#define SERVICE_SYSTEMD_PRESET_H

#include "systemctl.h"

#define PRESET_TYPE "Optional[Variant[Boolean, Enum[preset]]]"

/* Whether these desired values say so. False for NULL. */
int preset_wanted(const rhost_value *should);

/* Why a unit of this name cannot be as its preset says; NULL: it can. */
const char *preset_why_not(const char *unit);

/* What the preset makes of a unit: *becomes is 1 or 0 where it would be enabled or disabled by it, and -1
 * where it is in sync already, has nothing to enable, or does not exist. systemctl reads the files itself, as
 * what a manager has read may be older. -1 after the reason was given. */
int preset_becomes(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit, int *becomes);

/* insync() for `enable: preset`. */
int32_t preset_insync(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit);

/* 1 or 0 where a Boolean is to become so; -1 where nothing is wanted, or it is so. */
int change_flag(const struct rhost_change *change, const char *attribute);

#endif
