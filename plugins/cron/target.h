/* SPDX-License-Identifier: Apache-2.0 */
/* target - where jobs are kept: a file in the form of cron.d, or the crontab of a user. */
#ifndef CRON_TARGET_H
#define CRON_TARGET_H

#include <rhost/lines.h>

#define TARGET_DEFAULT "/etc/cron.d/rhost"
#define TARGET_CRONTAB "crontab:" /* in front of a user */

/* For the slots `open` and `close`: lines that were read are kept. */
int32_t target_open(rhost_ctx *ctx);
void target_close(rhost_ctx *ctx);

/* Whose crontab a target is; NULL: it is a file. */
const char *target_user(const char *target);
/* -1 with errno when that can't be told. */
int target_user_exists(const char *user);

/* Its lines, read again unless they are seen to be what they were; NULL after the reason was given. */
struct rhost_lines *target_lines(rhost_ctx *ctx, const char *target);

/* As in rhost_lines_how. */
typedef const char *target_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change);

/* For the slot `set`: one reading and one writing of each target. */
int32_t target_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n, target_edit *edit);

#endif
