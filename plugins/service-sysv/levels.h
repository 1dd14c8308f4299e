/* SPDX-License-Identifier: Apache-2.0 */
/* levels - in which runlevels a script is started, as the links in rc?.d say. */
#ifndef SERVICE_SYSV_LEVELS_H
#define SERVICE_SYSV_LEVELS_H

#include <rhost/provider.h>

#include <limits.h>

struct script {
    const char *name;
    char folder[PATH_MAX];    /* /etc/init.d */
    char path[2 * PATH_MAX];  /* /etc/init.d/NAME */
    char start[16], stop[16]; /* runlevels, "2345" */
    int start_at, stop_at;    /* its place among others, 0 to 99 */
    int there, has_status;    /* whether there is such a script, and it can be asked */
};

/* Reads the header of the script: that of the LSB, or that of chkconfig. -1 after the reason was given;
 * that there is none is no failure. */
int script_read(rhost_ctx *ctx, struct script *s, const char *folder, const char *name);

/* Whether any link starts it when the machine is up; -1 after the reason was given. */
int script_enabled(rhost_ctx *ctx, const struct script *s);

/* With update-rc.d, chkconfig or insserv, whichever there is; by links where there is none, or the folder
 * is not /etc/init.d. -1 after the reason was given. */
int script_enable(rhost_ctx *ctx, const struct script *s, int enable);

/* Runs a command with these arguments, up to the first NULL. Its status, or -1 after the reason was
 * given. The last lines of what it said are left in `printed` (of the call), if that is not NULL. */
int script_run(rhost_ctx *ctx, const char *const *argv, int reads, double limit, const char **printed);

#endif
