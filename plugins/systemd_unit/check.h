/* SPDX-License-Identifier: Apache-2.0 */
/* check - what is wrong with a unit on every machine: lines that are no settings, and misspelt ones. */
#ifndef SYSTEMD_UNIT_CHECK_H
#define SYSTEMD_UNIT_CHECK_H

#include <rhost/provider.h>

/* Of `content` and `settings` of the resource. 0, or -1 with each fault given. */
int check_unit(rhost_ctx *ctx, const rhost_value *resource);

#endif
