/* SPDX-License-Identifier: Apache-2.0 */
/* systemctl - units of an image: a directory that systemd will start from, where no manager runs yet.
 *
 * systemctl changes the files of such units itself. Nothing can be started there. */
#ifndef SERVICE_SYSTEMD_SYSTEMCTL_H
#define SERVICE_SYSTEMD_SYSTEMCTL_H

#include <rhost/provider.h>

/* Whether we are in an image that has systemctl. */
int systemctl_has_image(void);

/* Whether the image starts with systemd, or with no init that is known. */
int systemctl_is_init(void);

/* What systemctl calls the state of the unit's file (enabled, disabled, static, masked, ...), in memory of
 * the call;
 * "" where there is no such unit. NULL after the reason was given. */
const char *systemctl_state(rhost_ctx *ctx, const char *unit);

/* enable, disable, mask or unmask. NULL when that is done, or why it is not, in memory of the call. */
const char *systemctl_change(rhost_ctx *ctx, const char *verb, const char *unit);

/* Lines "NAME STATE ..." of the unit files that fit the pattern, as a text that can be changed. NULL after
 * the reason was given. */
char *systemctl_list(rhost_ctx *ctx, const char *pattern);

#endif
