/* SPDX-License-Identifier: Apache-2.0 */
/* below - opening what is below a directory. */
#include "config.h"

#include "manifest/load/below.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each folder on the way, and the file, without following a link. */
static int
open_plainly(int folder, const char *path, int flags)
{
    rh_autofree char *copy = rh_xstrdup(path);
    rh_autoclose int at = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    char *rest = copy, *slash;

    while (at >= 0 && (slash = strchr(rest, '/'))) {
        int next;

        *slash = '\0';
        next = openat(at, rest, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        (void)close(at);
        at = next;
        rest = slash + 1;
    }
    return at < 0 ? -1 : openat(at, rest, flags | O_NOFOLLOW);
}

int
rh_load_open_below(int folder, const char *path)
{
    const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, folder, path, &how, sizeof how);

    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open_plainly(folder, path, flags);
    return (int)fd;
}
