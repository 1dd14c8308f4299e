/* SPDX-License-Identifier: Apache-2.0 */
/* crontab - the crontab of a user, by way of crontab(1), which knows where it lies and checks it. */
#ifndef CRON_CRONTAB_H
#define CRON_CRONTAB_H

#include <rhost/lines.h>

/* What crontab -l prints, for rhost_lines_free(); NULL after the reason was given. */
struct rhost_lines *crontab_read(rhost_ctx *ctx, const char *user);

/* Has crontab take these lines as its new content, or remove it when there are none. RHOST_FILE_CHANGED when
 * it is not what was read any more. */
int32_t crontab_write(rhost_ctx *ctx, const char *user, const struct rhost_lines *l);

/* Visits each user who has one, as far as we may know. `visit` returns -1 to end. */
int crontab_each(rhost_ctx *ctx, int (*visit)(rhost_ctx *ctx, const char *user));

/* Looks where crontabs usually lie; 0 when it is there. Two looks at one that did not change are equal. */
int crontab_stat(rhost_ctx *ctx, const char *user, struct stat *st);

#endif
