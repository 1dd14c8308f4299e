/* SPDX-License-Identifier: Apache-2.0 */
/* tool - mounting and unmounting, by mount(8) and umount(8). */

#include "tool.h"

#include "mounts.h"
#include "unmount.h"

#include <rhost/path.h>

#include <sys/stat.h>

/* What it said, in one line, without its name. */
static const char *
failure_of(rhost_ctx *ctx, const struct rhost_output *output)
{
    char *text = rhost_alloc(ctx, output->err_len + 1), *to = text;
    const char *from = output->err;

    for (const char *line = from; *line;) {
        size_t n = strcspn(line, "\n");

        if (n && !memmem(line, n, "dmesg(1) may have", 17)) {
            if (strncmp(line, "mount: ", 7) == 0 || strncmp(line, "umount: ", 8) == 0) {
                size_t name = strcspn(line, " ") + 1;

                line += name;
                n -= name;
            }
            if (to > text)
                *to++ = ' ';
            memcpy(to, line, n);
            to += n;
        }
        line += n + (line[n] == '\n');
    }
    while (to > text && (to[-1] == '.' || to[-1] == ' '))
        to--;
    *to = '\0';
    if (to == text)
        snprintf(text = rhost_alloc(ctx, 40), 40, "exit status %d", (int)output->status);
    return text;
}

/* 0; 1 when it refused, with the reason; -1 after the reason was given. */
static int
run(rhost_ctx *ctx, const char *const *argv, uint32_t timeout, const char **why)
{
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .timeout = timeout,
        .umask = -1,
    };
    struct rhost_output output;

    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (output.status == 0)
        return 0;
    *why = failure_of(ctx, &output);
    return 1;
}

static int
check_place(rhost_ctx *ctx, const struct tool_mount *m)
{
    int bind = options_have(&m->options, "bind") || options_have(&m->options, "rbind");
    struct stat st;

    for (size_t i = 0; i < m->options.n; i++)
        if (strncmp(m->options.at[i], "x-mount.mkdir", 13) == 0)
            return 0;
    if (rhost_path_stat(ctx, m->target, RHOST_PATH_FOLLOW, &st) < 0) {
        if (errno == ENOENT)
            return rhost_fail(ctx, "mount point '%s' does not exist: 'directory: %s' creates it", m->target,
                              m->target);
        return rhost_fail_path(ctx, "cannot stat '%s'", m->target);
    }
    if (!bind && !S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' is not a directory", m->target);
    if (bind && rhost_path_stat(ctx, m->device, RHOST_PATH_FOLLOW, &st) < 0)
        return rhost_fail_path(ctx, "cannot show '%s' elsewhere", m->device);
    return 0;
}

static int
is_among(struct libmnt_table *table, struct libmnt_fs *fs)
{
    struct libmnt_iter *i = mnt_new_iter(MNT_ITER_FORWARD);
    struct libmnt_fs *one;
    int found = 0;

    while (i && !found && mnt_table_next_fs(table, i, &one) == 0)
        found = mnt_fs_get_id(one) == mnt_fs_get_id(fs)
                && strcmp(mnt_fs_get_target(one), mnt_fs_get_target(fs)) == 0;
    mnt_free_iter(i);
    return found;
}

/* What was mounted of the device since `before`; NULL: nothing. */
static struct libmnt_fs *
find_new(struct libmnt_table *before, struct libmnt_table *now, const char *device)
{
    struct libmnt_iter *i = mnt_new_iter(MNT_ITER_BACKWARD);
    struct libmnt_fs *fs, *found = NULL;

    while (i && !found && mnt_table_next_fs(now, i, &fs) == 0)
        if (mnt_fs_get_source(fs) && strcmp(mnt_fs_get_source(fs), device) == 0 && !is_among(before, fs))
            found = fs;
    mnt_free_iter(i);
    return found;
}

/* mount(8) follows what it finds in the path. When a user has put a link there since we looked, the mount is
 * somewhere else: it is undone. 0; 1 with the reason; -1 after the reason was given. */
static int
check_astray(rhost_ctx *ctx, const struct tool_mount *m, struct libmnt_table *before, const char **why)
{
    struct libmnt_table *now = mounts_read(ctx);
    struct libmnt_fs *there = NULL, *fs;
    const char *place, *stuck;
    struct stat st;
    int result = 0;

    if (!now)
        return -1;
    if (rhost_path_stat(ctx, m->target, RHOST_PATH_FOLLOW, &st) == 0)
        there = mounts_at(ctx, now, m->target);
    fs = there && !is_among(before, there) ? NULL : find_new(before, now, m->device);
    if (fs) {
        place = rhost_strdup(ctx, mnt_fs_get_target(fs));
        result = tool_unmount(ctx, place, m->timeout, &stuck);
        *why = rhost_fmt(ctx, "'%s' was replaced meanwhile, so that it was mounted at '%s', and %s%s",
                         m->target, place, result > 0 ? "cannot be unmounted there: " : "unmounted again",
                         result > 0 ? stuck : "");
        result = result < 0 ? -1 : 1;
    }
    mnt_unref_table(now);
    return result;
}

int
tool_mount(rhost_ctx *ctx, const struct tool_mount *m, const char **why)
{
    const char *const argv[] = {
        "mount", "-t", m->type, "-o", options_text(ctx, &m->options, NULL), "--", m->device, m->target, NULL,
    };
    struct libmnt_table *before = check_place(ctx, m) < 0 ? NULL : mounts_read(ctx);
    int result = before ? run(ctx, argv, m->timeout, why) : -1;

    if (result == 0)
        result = check_astray(ctx, m, before, why);
    mnt_unref_table(before);
    return result;
}

int
tool_remount(rhost_ctx *ctx, const struct tool_mount *m, const struct options *was, const char **why)
{
    const char *back = options_taken_back(ctx, was, &m->options);
    const char *first = back ? rhost_fmt(ctx, "remount,%s", back) : "remount";
    const char *const argv[] = {
        "mount", "-t", m->type, "-o", options_text(ctx, &m->options, first), "--", m->device, m->target, NULL,
    };

    return run(ctx, argv, m->timeout, why);
}

/* In a mount namespace of its own, which ends with the command. The kernel refuses a device twice at one
 * mount point, so the root directory serves as one; and -n leaves no trace in the list of mount(8). */
int
tool_try(rhost_ctx *ctx, const struct tool_mount *m, const char **why)
{
    const char *const argv[] = {
        "unshare", "--mount", "mount", "-n", "-t", m->type, "-o", options_text(ctx, &m->options, NULL),
        "--",      m->device, "/",     NULL,
    };
    int result = run(ctx, argv, m->timeout, why);

    if (result > 0 && strncmp(*why, "/: ", 3) == 0)
        *why += 3;
    return result;
}

/* Whether only root can have another file system be at the path by the time that umount(8) uses it. What is
 * mounted there stays in its directory; whether it could be replaced is a matter of the directories above. */
static int
is_fixed(rhost_ctx *ctx, const char *path)
{
    int above = (int)(strrchr(path, '/') - path);

    return rhost_path_trusted(ctx, rhost_fmt(ctx, "%.*s/rhost", above, path)) == 0;
}

/* The list that mount(8) keeps of options of its own goes by the path alone. */
static void
forget_options(rhost_ctx *ctx, const char *path)
{
    const char *const argv[] = {
        "umount", "--fake", "--internal-only", "--no-canonicalize", "--", path, NULL
    };
    const char *why;

    if (access("/run/mount/utab", F_OK) == 0)
        (void)run(ctx, argv, 10000, &why);
}

int
tool_unmount(rhost_ctx *ctx, const char *path, uint32_t timeout, const char **why)
{
    const char *const argv[] = { "umount", "--", path, NULL };
    const char *name;
    int directory, refused;

    if (is_fixed(ctx, path))
        return run(ctx, argv, timeout, why);
    directory = rhost_path_parent(ctx, path, 0, &name);
    if (directory < 0)
        return rhost_fail_path(ctx, "cannot open the directory of '%s'", path);
    refused = unmount_at(rhost_fmt(ctx, "/proc/self/fd/%d/%s", directory, name), timeout);
    rhost_path_close(directory);
    if (refused == 0)
        forget_options(ctx, path);
    else
        *why = rhost_fmt(ctx, "%s: %s", path, refused == EBUSY ? "target is busy" : strerror(refused));
    return refused != 0;
}

void
tool_reload_systemd(rhost_ctx *ctx)
{
    static const char *const argv[] = { "systemctl", "daemon-reload", NULL };
    struct rhost_command command = { .struct_size = sizeof command, .argv = argv, .umask = -1 };
    struct rhost_output output;
    struct stat st;

    if (lstat("/run/systemd/system", &st) < 0 || !S_ISDIR(st.st_mode))
        return;
    if (rhost_run(ctx, &command, &output) == 0 && output.status != 0)
        rhost_warning(ctx, "systemd has not read fstab again: %s", failure_of(ctx, &output));
}
