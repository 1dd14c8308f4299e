/* SPDX-License-Identifier: Apache-2.0 */
/* home - home directories of accounts that exist. useradd makes one along with the account only. */

#include "home.h"

#include "change.h"
#include "system.h"
#include "tools.h"

#include <rhost/path.h>

#include <sys/stat.h>

/* As useradd computes it. */
static mode_t
home_mode(void)
{
    return (mode_t)system_number("HOME_MODE", 07777, 0777 & ~system_number("UMASK", 0777, 022));
}

/* Helpers of older systems know no mode. */
static int32_t
check_mode(rhost_ctx *ctx, const char *home, mode_t mode)
{
    int fd = rhost_path_open(ctx, home, 0, O_RDONLY | O_DIRECTORY, 0);
    struct stat st;
    int32_t result = 0;

    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s', which was made as home directory", home);
    if (fstat(fd, &st) < 0 || ((st.st_mode & 07777) != mode && rhost_path_own(ctx, fd, -1, -1, mode) < 0))
        result = rhost_fail_errno(ctx, "cannot set the mode of '%s'", home);
    rhost_path_close(fd);
    return result;
}

int32_t
home_make(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *home = change_home(change);
    mode_t mode = home_mode();
    struct tools_command c = {
        .words = { "mkhomedir_helper", rhost_str(change->name, "name"), "0022",
                   rhost_str_or(change->should, "skel", "/etc/skel"), rhost_fmt(ctx, "%#o", mode) },
        .n = 5,
    };

    if (!rhost_bool(change->should, "create_home", 0) || change_home_exists(home))
        return 0;
    if (tools_run(ctx, change, &c) < 0)
        return -1;
    if (!change_home_exists(home))
        return rhost_fail_attr(ctx, "create_home", "'%s' could not be made", home);
    return check_mode(ctx, home, mode);
}
