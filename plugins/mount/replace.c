/* SPDX-License-Identifier: Apache-2.0 */
/* replace - unmounting, and mounting in place of what is mounted, which is put back if that fails.
 *
 * What something else is mounted in place of is kept as a detached copy of its mount, which the kernel
 * attaches again as it was. That does not do for other options of the same device, as the copy would keep
 * the file system with its present ones: the options are tried elsewhere before it is unmounted, and it is
 * mounted again by name. */

#include "replace.h"

#include <rhost/path.h>

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

enum { LAYERS = 32 };

/* Copies of mounts at one path, the upmost first. */
struct kept {
    int fd[LAYERS];
    size_t n;
};

static void
kept_close(struct kept *kept)
{
    while (kept->n)
        (void)close(kept->fd[--kept->n]);
}

/* Without a copy (an old kernel, a server that may not answer) what is unmounted is lost. */
static void
keep(rhost_ctx *ctx, struct kept *kept, struct libmnt_fs *fs)
{
#ifdef OPEN_TREE_CLONE
    int at = mnt_fs_is_netfs(fs) ? -1 : rhost_path_open(ctx, mnt_fs_get_target(fs), 0, O_PATH, 0);
    int fd = at < 0 ? -1 : open_tree(at, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

    rhost_path_close(at);
    if (fd >= 0)
        kept->fd[kept->n++] = fd;
#else
    (void)ctx;
    (void)kept;
    (void)fs;
#endif
}

/* Whether all of them are mounted again. */
static int
put_back(rhost_ctx *ctx, struct kept *kept, const char *path, size_t layers)
{
    int all = kept->n == layers;

#ifdef OPEN_TREE_CLONE
    while (kept->n) {
        int fd = kept->fd[--kept->n], at = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_PATH, 0);

        if (at < 0 || move_mount(fd, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
            all = 0;
        rhost_path_close(at);
        (void)close(fd);
    }
#else
    (void)ctx;
    (void)path;
#endif
    return all;
}

/* Unmounts all layers, and keeps them if `kept` is not NULL. 0; 1 with the reason; -1 after it was given. */
static int
unmount_all(rhost_ctx *ctx, const char *path, uint32_t timeout, struct kept *kept, size_t *layers,
            const char **why)
{
    for (*layers = 0;; ++*layers) {
        struct libmnt_table *table = mounts_read(ctx);
        struct libmnt_fs *fs = table ? mounts_at(ctx, table, path) : NULL;
        const char *users;
        int result;

        if (fs && *layers < LAYERS) {
            if (kept)
                keep(ctx, kept, fs);
            result = tool_unmount(ctx, rhost_strdup(ctx, mnt_fs_get_target(fs)), timeout, why);
            if (result != 0 && kept && kept->n > *layers)
                (void)close(kept->fd[--kept->n]); /* this one is still mounted */
        } else {
            result = !table ? -1 : fs ? 1 : 0;
            *why = "it stays mounted, however often it is unmounted";
        }
        users = result > 0 ? mounts_users(ctx, table, path) : NULL;
        if (users)
            *why = rhost_fmt(ctx, "%s; %s", *why, users);
        mnt_unref_table(table);
        if (result != 0 || !fs)
            return result;
    }
}

int
replace_nothing(rhost_ctx *ctx, const struct tool_mount *m)
{
    const char *why;
    int result = tool_mount(ctx, m, &why);

    return result > 0 ? rhost_fail(ctx, "cannot mount '%s': %s", m->device, why) : result;
}

int
replace_by_nothing(rhost_ctx *ctx, const char *path, uint32_t timeout)
{
    const char *why;
    size_t layers;
    int result = unmount_all(ctx, path, timeout, NULL, &layers, &why);

    return result > 0 ? rhost_fail(ctx, "cannot unmount '%s': %s", path, why) : result;
}

/* Says that something did not work (unless that was said already), and what became of what was mounted. */
static int
fail(rhost_ctx *ctx, int result, const char *what, const char *why, const char *became, int is_back)
{
    if (result > 0)
        return rhost_fail(ctx, "%s: %s; %s", what, why, became);
    rhost_log(ctx, is_back ? RHOST_INFO : RHOST_WARNING, "%s", became);
    return -1;
}

/* Unmounts it and mounts it with other options or as another type. */
static int
mount_again(rhost_ctx *ctx, const struct tool_mount *m, const struct tool_mount *former)
{
    const char *why, *why_not_back = "", *became;
    size_t layers;
    int result = unmount_all(ctx, m->target, m->timeout, NULL, &layers, &why), is_back;

    if (result != 0)
        return result > 0 ? rhost_fail(ctx, "cannot unmount '%s': %s", m->target, why) : -1;
    result = tool_mount(ctx, m, &why);
    if (result == 0)
        return 0;
    is_back = tool_mount(ctx, former, &why_not_back) == 0;
    became = is_back ? rhost_fmt(ctx, "'%s' is mounted again as before", m->target)
                     : rhost_fmt(ctx, "'%s' is not mounted now: cannot mount it as before%s%s", m->target,
                                 *why_not_back ? ": " : "", why_not_back);
    return fail(ctx, result, rhost_fmt(ctx, "cannot mount '%s'", m->device), why, became, is_back);
}

int
replace_other(rhost_ctx *ctx, const struct tool_mount *m, struct view *v)
{
    struct kept kept = { .n = 0 };
    const char *why = "", *what, *former = mnt_fs_get_source(v->fs);
    size_t layers;
    int result, is_back;

    if (mounts_is_of(ctx, v->table, v->fs, m->device)) { /* a copy would keep the device busy */
        const struct tool_mount by_name = {
            .device = m->device,
            .target = m->target,
            .type = rhost_strdup(ctx, mnt_fs_get_fstype(v->fs)),
            .options = mounts_options(ctx, v->fs),
            .timeout = m->timeout,
        };

        return mount_again(ctx, m, &by_name);
    }
    former = rhost_strdup(ctx, former ? former : "none");
    result = unmount_all(ctx, m->target, m->timeout, &kept, &layers, &why);
    what = rhost_fmt(ctx, "cannot unmount '%s'", m->target);
    if (result == 0) {
        what = rhost_fmt(ctx, "cannot mount '%s'", m->device);
        result = tool_mount(ctx, m, &why);
    }
    if (result == 0) {
        kept_close(&kept);
        return 0;
    }
    is_back = put_back(ctx, &kept, m->target, layers);
    return fail(ctx, result, what, why,
                is_back ? rhost_fmt(ctx, "'%s' is still mounted there", former)
                        : rhost_fmt(ctx, "'%s' is unmounted, and cannot be mounted again", former),
                is_back);
}

/* What is asked for, and not heeded by what is mounted; "" for nothing, NULL after the reason was given. */
static const char *
still_unheeded(rhost_ctx *ctx, const struct tool_mount *m)
{
    struct libmnt_table *table = mounts_read(ctx);
    struct libmnt_fs *fs = table ? mounts_at(ctx, table, m->target) : NULL;
    const char *word = "";

    if (fs) {
        struct options now = mounts_options(ctx, fs);

        word = options_unheeded(&m->options, &now);
    }
    mnt_unref_table(table);
    return !table ? NULL : word ? word : "";
}

/* Whether a device can be mounted with these options, as far as that can be tried: 1 with the reason when
 * they are refused, and 0 else. That of two mounts of one device one can't be read-only is no refusal. */
static int
are_refused(rhost_ctx *ctx, const struct tool_mount *m, struct libmnt_fs *fs, const char **why)
{
    const char *source = mnt_fs_get_source(fs);
    struct options own = options_split(ctx, mnt_fs_get_fs_options(fs));
    struct tool_mount other = *m;

    if (!source || strncmp(source, "/dev/", 5) != 0 || strncmp(mnt_fs_get_fstype(fs), "fuse", 4) == 0)
        return 0;
    other.device = rhost_strdup(ctx, source);
    other.options = options_for_twin(ctx, &m->options, options_have(&own, "ro") ? "ro" : "rw");
    return tool_try(ctx, &other, why);
}

/* How to mount it as it is, by name: what the kernel does not show is as it will be. */
static struct tool_mount
as_before(rhost_ctx *ctx, const struct tool_mount *m, const struct options *was)
{
    struct tool_mount former = *m;

    former.options = options_with_source(ctx, was, &m->options);
    return former;
}

int
replace_options(rhost_ctx *ctx, const struct tool_mount *m, const struct options *was, struct view *v)
{
    const struct tool_mount former = as_before(ctx, m, was);
    const char *why = NULL, *refused;
    int result = tool_remount(ctx, m, was, &why);

    if (result < 0)
        return -1;
    if (result == 0) {
        why = still_unheeded(ctx, m);
        if (!why)
            return -1;
        if (!*why)
            return 0;
    }
    if (mounts_is_in_memory(v->fs))
        return rhost_fail_attr(ctx, "options",
                               "cannot change it while it is mounted (%s), and "
                               "unmounting it would lose what is in it",
                               why);
    result = are_refused(ctx, m, v->fs, &refused);
    if (result != 0)
        return result < 0 ? -1
                          : rhost_fail_attr(ctx, "options",
                                            "cannot mount '%s' with these options: %s; it "
                                            "stays mounted as before",
                                            m->device, refused);
    rhost_info(ctx, "cannot change '%s' while it is mounted (%s): unmounting it", m->target, why);
    return mount_again(ctx, m, &former);
}
