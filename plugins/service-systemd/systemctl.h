/* SPDX-License-Identifier: Apache-2.0 */
/* systemctl - what systemctl does by itself, without a manager: unit files, and whether they are enabled.
 *
 * So it is in an image, a directory that systemd will start from, and for accounts whose manager does not
 * run. */
#ifndef SERVICE_SYSTEMD_SYSTEMCTL_H
#define SERVICE_SYSTEMD_SYSTEMCTL_H

#include <rhost/exec.h>
#include <rhost/provider.h>

/* Whose units: those of an account, with which systemctl then runs. Where a pointer to this is NULL: the
 * system's. */
struct systemctl_owner {
    const char *user;
    int64_t uid;
    double limit; /* seconds after which timeout(1) ends systemctl, with SYSTEMCTL_LATE; 0: a minute, and the
                     call fails */
};

enum { SYSTEMCTL_LATE = 124 };

/* Whether we are in an image that has systemctl. */
int systemctl_has_image(void);

/* Whether the image starts with systemd, or with no init that is known. */
int systemctl_is_init(void);

/* Runs systemctl with these words, NULL-terminated; `offline`: it asks no manager. -1 after the reason was
 * given. */
int systemctl_run(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *const *words, int offline,
                  uint64_t flags, struct rhost_output *out);

/* The last line of what it said, in memory of the call, without what a terminal would obey. */
const char *systemctl_complaint(rhost_ctx *ctx, const struct rhost_output *out);

/* What systemctl calls the state of the unit's file (enabled, disabled, static, masked, ...), in memory of
 * the call;
 * "" where there is no such unit. NULL after the reason was given. */
const char *systemctl_state(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *unit);

/* enable, disable, mask, unmask or preset; `units` are NULL-terminated. NULL when that is done, or why it is
 * not, in memory of the call. */
const char *systemctl_change(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *verb,
                             const char *const *units);

/* That there is no unit of this name, and which one was probably meant; in memory of the call. */
const char *systemctl_unknown(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *name);

/* Lines "NAME STATE PRESET" of the unit files that fit the pattern, as a text that can be changed. NULL after
 * the reason was given. */
char *systemctl_list(rhost_ctx *ctx, const struct systemctl_owner *owner, const char *pattern);

/* The next name of such a list; `state` and `preset` are its other columns, "" where there
 * is none. NULL: it was the last. */
const char *systemctl_next(char **list, const char **state, const char **preset);

#endif
