/* SPDX-License-Identifier: Apache-2.0 */
/* tool - mounting and unmounting, by mount(8) and umount(8). */

#include "tool.h"
#include "mounts.h"

#include <sys/stat.h>

enum { LAYERS = 32 };

/* What it said, in one line, without its name. */
static const char *
said(rhost_ctx *ctx, const struct rhost_output *output)
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

/* 0; 1 when it said no; -1 after the reason was given. */
static int
run(rhost_ctx *ctx, const char *const *argv, uint32_t timeout, struct rhost_output *output)
{
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .timeout = timeout,
        .umask = -1,
    };

    if (rhost_run(ctx, &command, output) < 0)
        return -1;
    return output->status != 0;
}

static int
check_place(rhost_ctx *ctx, const struct tool_mount *m)
{
    int bind = options_have(&m->options, "bind") || options_have(&m->options, "rbind");
    struct stat st;

    for (size_t i = 0; i < m->options.n; i++)
        if (strncmp(m->options.at[i], "x-mount.mkdir", 13) == 0)
            return 0;
    if (stat(m->target, &st) < 0) {
        if (errno == ENOENT)
            return rhost_fail(ctx, "there is no directory '%s' to mount on: 'directory: %s' makes it",
                              m->target, m->target);
        return rhost_fail_errno(ctx, "cannot look at '%s'", m->target);
    }
    if (!bind && !S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' is no directory", m->target);
    if (bind && stat(m->device, &st) < 0)
        return rhost_fail_errno(ctx, "cannot show '%s' elsewhere", m->device);
    return 0;
}

int
tool_mount(rhost_ctx *ctx, const struct tool_mount *m)
{
    const char *const argv[] = {
        "mount", "-t", m->type, "-o", options_text(ctx, &m->options, NULL), "--", m->device, m->target, NULL,
    };
    struct rhost_output output;
    int result;

    if (check_place(ctx, m) < 0)
        return -1;
    result = run(ctx, argv, m->timeout, &output);
    if (result > 0)
        return rhost_fail(ctx, "cannot mount '%s': %s", m->device, said(ctx, &output));
    return result;
}

static int
is_mounted(rhost_ctx *ctx, const char *path, const char **target, const char **users)
{
    struct libmnt_table *table = mounts_read(ctx);
    struct libmnt_fs *fs;

    if (!table)
        return -1;
    fs = mounts_at(ctx, table, path);
    if (fs) {
        size_t size = strlen(mnt_fs_get_target(fs)) + 1;
        char *copy = rhost_alloc(ctx, size);

        memcpy(copy, mnt_fs_get_target(fs), size);
        *target = copy;
    }
    if (users)
        *users = mounts_users(ctx, table, path);
    mnt_unref_table(table);
    return fs != NULL;
}

int
tool_unmount(rhost_ctx *ctx, const char *path, uint32_t timeout)
{
    const char *target = path, *users;
    int mounted;

    for (int layer = 0; (mounted = is_mounted(ctx, path, &target, NULL)) > 0; layer++) {
        const char *const argv[] = { "umount", "--", target, NULL };
        struct rhost_output output;
        int result = layer < LAYERS
                         ? run(ctx, argv, timeout, &output)
                         : rhost_fail(ctx, "'%s' stays mounted, however often it is unmounted", path);

        if (result < 0)
            return -1;
        if (result == 0)
            continue;
        if (is_mounted(ctx, path, &target, &users) < 0)
            return -1;
        return rhost_fail(ctx, "cannot unmount '%s': %s%s%s", path, said(ctx, &output),
                          users ? "; " : "", users ? users : "");
    }
    return mounted;
}

/* Whether what is there would be lost with it. */
static int
lives_in_memory(const char *type)
{
    return strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0;
}

/* What is wanted, and not heeded by what is mounted; "" for nothing, NULL after the reason was given. */
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

int
tool_remount(rhost_ctx *ctx, const struct tool_mount *m, const struct options *was)
{
    const char *back = options_taken_back(ctx, was, &m->options), *first = "remount", *why;
    char *with_back;
    struct rhost_output output;
    int result;

    if (back) {
        size_t size = strlen(back) + 16;

        with_back = rhost_alloc(ctx, size);
        snprintf(with_back, size, "remount,%s", back);
        first = with_back;
    }
    {
        const char *const argv[] = {
            "mount", "-t", m->type, "-o", options_text(ctx, &m->options, first), "--", m->device, m->target,
            NULL,
        };

        result = run(ctx, argv, m->timeout, &output);
    }
    if (result < 0)
        return -1;
    if (result == 0) {
        why = still_unheeded(ctx, m);
        if (!why)
            return -1;
        if (!*why)
            return 0;
    } else {
        why = said(ctx, &output);
    }
    if (lives_in_memory(m->type))
        return rhost_fail_attr(ctx, "options", "cannot change it while it is mounted (%s), and "
                                               "unmounting it would lose what is in it", why);
    rhost_info(ctx, "'%s' can't be changed while it is mounted (%s): unmounting it", m->target, why);
    if (tool_unmount(ctx, m->target, m->timeout) < 0)
        return -1;
    return tool_mount(ctx, m);
}
