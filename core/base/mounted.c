/* SPDX-License-Identifier: Apache-2.0 */
/* mounted - whether something is mounted where a walk is about to go on. */
#include "config.h"

#include "base/mounted.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef STATX_BASIC_STATS
/* A musl that has no statx() of its own yet. */
#include <linux/stat.h>
#include <sys/syscall.h>

static int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *to)
{
    return (int)syscall(SYS_statx, dir, path, flags, mask, to);
}
#endif

/* By the numbers of the devices: for a kernel before 5.8. */
static bool
is_another_device(int dir, const char *name)
{
    const char *slash = strrchr(name, '/');
    rh_autofree char *parent = rh_xstrndup(name, slash > name ? (size_t)(slash - name) : slash ? 1 : 0);
    struct stat st, above;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH)) == 0
           && fstatat(dir,
                      *parent ? parent
                      : *name ? "."
                              : "..",
                      &above, 0)
                  == 0
           && st.st_dev != above.st_dev;
}

bool
rh_is_mounted(int dir, const char *name)
{
    struct statx x = { 0 };
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);

    if (statx(dir, name, flags, STATX_BASIC_STATS, &x) < 0)
        return false;
    if (x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
        return x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
    return is_another_device(dir, name);
}

/* It is about the namespace in which it was opened, as that is when it is read. */
static int kept = -1;
static bool has_changed;

void
rh_mounts_keep(void)
{
    if (kept < 0)
        kept = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    has_changed = false;
}

/* proc_pid_mountinfo(5): a blank, a tab, a newline and a backslash are three octal digits. */
static void
unescape(char *s)
{
    char *to = s;

    for (; *s; s++)
        if (*s == '\\' && s[1] >= '0' && s[1] <= '3' && strspn(s + 1, "01234567") >= 3) {
            *to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
        } else {
            *to++ = *s;
        }
    *to = '\0';
}

/* Whether a line of the list is of what is mounted on `path`: the fifth word says where. */
static bool
is_at(char *line, const char *path)
{
    char *word = NULL;

    for (int i = 0; i < 5; i++)
        word = strsep(&line, " ");
    if (!word)
        return false;
    unescape(word);
    return strcmp(word, path) == 0;
}

static bool
lists(const char *path)
{
    rh_autoclose int fd = lseek(kept, 0, SEEK_SET) == 0 ? fcntl(kept, F_DUPFD_CLOEXEC, 0) : -1;
    rh_autofclose FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    rh_autofree char *line = NULL;
    size_t room = 0;
    bool found = false;

    if (!f)
        return false;
    (void)rh_take_fd(&fd); /* it is closed with the file */
    while (!found && getline(&line, &room, f) >= 0)
        found = is_at(line, path);
    return found;
}

bool
rh_is_mounted_unseen(int dir, const char *name)
{
    struct pollfd change = { .fd = kept, .events = POLLPRI };
    char link[64], path[PATH_MAX + NAME_MAX + 2] = "";
    ssize_t n = 0;

    if (kept < 0)
        return false;
    has_changed = has_changed || poll(&change, 1, 0) > 0; /* which it tells once */
    if (!has_changed)
        return false;
    if (*name != '/') {
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
        n = dir == AT_FDCWD ? -1 : readlink(link, path, PATH_MAX);
        if (n <= 0 || n >= PATH_MAX)
            return false;
        if (*name && path[n - 1] != '/')
            path[n++] = '/';
    }
    (void)snprintf(path + n, sizeof path - (size_t)n, "%s", name);
    return lists(path);
}
