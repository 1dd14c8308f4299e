/* SPDX-License-Identifier: Apache-2.0 */
/* use - whether something uses a device, and what.
 *
 * The kernel decides: who mounts a device or builds another one on it has it exclusively, and O_EXCL finds
 * that out. The tables are read for the message, and for files, of which the kernel keeps no such note. */

#include "use.h"

#include <dirent.h>
#include <sys/sysmacros.h>

enum { LARGEST_TABLE = 16 << 20 };

char *
use_unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7'
            && from[3] >= '0' && from[3] <= '7') {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return text;
}

/* Whether a path of a table of the kernel is the device. */
static int
names(rhost_ctx *ctx, const char *path, const struct device *d)
{
    struct stat st, ours;

    if (*path != '/' || rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) < 0 || fstat(d->fd, &ours) < 0)
        return 0;
    return d->number ? S_ISBLK(st.st_mode) && st.st_rdev == d->number
                     : st.st_dev == ours.st_dev && st.st_ino == ours.st_ino;
}

/* A line of /proc/self/mountinfo: where that is mounted, or NULL when it is another device. *id: of the
 * mount.
 */
static const char *
mounted_at(rhost_ctx *ctx, char *line, const struct device *d, uint64_t *id)
{
    char *words[5], *rest = line, *source;
    unsigned long long major_, minor_;

    for (size_t i = 0; i < 5; i++)
        if (!(words[i] = strsep(&rest, " ")))
            return NULL;
    *id = strtoull(words[0], NULL, 10);
    if (sscanf(words[2], "%llu:%llu", &major_, &minor_) == 2 && d->number && major(d->number) == major_
        && minor(d->number) == minor_)
        return use_unescape(words[4]);
    /* btrfs has numbers of its own. */
    source = rest ? strstr(rest, " - btrfs ") : NULL;
    if (!source)
        return NULL;
    source += strlen(" - btrfs ");
    source = strsep(&source, " ");
    return names(ctx, use_unescape(source), d) ? use_unescape(words[4]) : NULL;
}

/* Whether the path leads to this mount, and not to another one over it. */
static int
is_visible(rhost_ctx *ctx, const char *where, uint64_t id)
{
    int fd = rhost_path_open(ctx, where, RHOST_PATH_FOLLOW, O_PATH, 0);
    int visible = fd >= 0;
#ifdef STATX_MNT_ID
    struct statx st;

    /* A kernel before 5.8 does not say. */
    if (visible && statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) == 0 && st.stx_mask & STATX_MNT_ID)
        visible = st.stx_mnt_id == id;
#else
    (void)id;
#endif
    rhost_path_close(fd);
    return visible;
}

static const char *
find_mount(rhost_ctx *ctx, const struct device *d, int visible)
{
    char *table =
        d->number ? rhost_path_read(ctx, "/proc/self/mountinfo", 0, LARGEST_TABLE, NULL, NULL) : NULL;
    const char *found = NULL;

    while (table && !found) {
        char *line = strsep(&table, "\n");
        uint64_t id;

        found = mounted_at(ctx, line, d, &id);
        if (found && visible && !is_visible(ctx, found, id))
            found = NULL;
    }
    return found;
}

const char *
use_mount_point(rhost_ctx *ctx, const struct device *d)
{
    return find_mount(ctx, d, 0);
}

const char *
use_visible_mount(rhost_ctx *ctx, const struct device *d)
{
    return find_mount(ctx, d, 1);
}

int
use_is_swap(rhost_ctx *ctx, const struct device *d, int64_t *priority)
{
    char *table = rhost_path_read(ctx, "/proc/swaps", 0, LARGEST_TABLE, NULL, NULL);
    int found = 0;

    *priority = -1;
    while (table && !found) {
        char *line = strsep(&table, "\n"), *path = strsep(&line, " \t"), *last;

        found = names(ctx, use_unescape(path), d);
        last = found && line ? strrchr(line, '\t') : NULL;
        *priority = last ? strtoll(last + 1, NULL, 10) : -1;
    }
    return found;
}

/* The first name in a directory of sysfs about the device: of those with a file `with` in them, or of all.
 * NULL: none. */
static const char *
first_below(rhost_ctx *ctx, const struct device *d, const char *name, const char *with)
{
    const char *path = rhost_fmt(ctx, "/sys/dev/block/%u:%u/%s", major(d->number), minor(d->number), name),
               *found = NULL;
    DIR *directory = d->number ? opendir(path) : NULL;
    struct dirent *e;

    while (directory && !found && (e = readdir(directory)))
        if (*e->d_name != '.'
            && (!with || access(rhost_fmt(ctx, "%s/%s/%s", path, e->d_name, with), F_OK) == 0))
            found = rhost_strdup(ctx, e->d_name);
    if (directory)
        (void)closedir(directory);
    return found;
}

/* The loop device whose file this is; NULL: none. */
static const char *
loop_of(rhost_ctx *ctx, const struct device *d)
{
    DIR *directory = d->number ? NULL : opendir("/sys/block");
    const char *found = NULL;
    struct dirent *e;

    while (directory && !found && (e = readdir(directory))) {
        char *path;
        size_t len;

        if (strncmp(e->d_name, "loop", 4) != 0)
            continue;
        path = rhost_path_read(ctx, rhost_fmt(ctx, "/sys/block/%s/loop/backing_file", e->d_name),
                               RHOST_PATH_FOLLOW, LARGEST_TABLE, &len, NULL);
        if (path && len && path[len - 1] == '\n')
            path[len - 1] = '\0';
        if (path && names(ctx, path, d))
            found = rhost_strdup(ctx, e->d_name);
    }
    if (directory)
        (void)closedir(directory);
    return found;
}

/* Claims it as a mount does, and lets it go. */
static int
check_claim(rhost_ctx *ctx, const struct device *d)
{
    int fd = rhost_path_open(ctx, d->real, 0, O_RDONLY | O_EXCL | O_NONBLOCK, 0);

    if (fd < 0 && errno == EBUSY)
        return rhost_fail(ctx, "'%s' is in use; nothing was written", d->path);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", d->real);
    rhost_path_close(fd);
    return 0;
}

int
use_refuse_held(rhost_ctx *ctx, const struct device *d)
{
    const char *other = first_below(ctx, d, "holders", NULL);

    return other ? rhost_fail(ctx, "'%s' is a part of '/dev/%s', which is in use; nothing was written",
                              d->path, other)
                 : 0;
}

int
use_refuse_any(rhost_ctx *ctx, const struct device *d)
{
    const char *where = use_mount_point(ctx, d), *other, *flag = device_attribute(ctx, d, "ro");
    int64_t priority;

    if (where)
        return rhost_fail(ctx, "'%s' is mounted at '%s'; nothing was written", d->path, where);
    if (use_is_swap(ctx, d, &priority))
        return rhost_fail(ctx, "'%s' is a swap area in use; nothing was written", d->path);
    if (use_refuse_held(ctx, d) < 0)
        return -1;
    if ((other = first_below(ctx, d, "", "partition")))
        return rhost_fail(ctx, "'%s' has partitions ('%s'); nothing was written", d->path, other);
    if ((other = loop_of(ctx, d)))
        return rhost_fail(ctx, "'%s' is in use by '/dev/%s'; nothing was written", d->path, other);
    if (d->number && check_claim(ctx, d) < 0)
        return -1;
    if (flag && strcmp(flag, "0") != 0)
        return rhost_fail(ctx, "'%s' is read-only", d->path);
    return 0;
}
