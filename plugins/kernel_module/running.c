/* SPDX-License-Identifier: Apache-2.0 */
/* running - modules of the running kernel, which modprobe(8) loads and unloads.
 *
 * A confined worker may not load modules by itself: modprobe is started outside of it, and resolves what the
 * module depends on, as at boot. */

#include "running.h"

#include "entry.h"

#include <rhost/exec.h>
#include <rhost/path.h>

#include <stdlib.h>
#include <sys/utsname.h>

#define MODULES "/sys/module"

enum { MOST_OPTIONS = 200, LARGEST = 4 << 20 };

/* Whether the list of what is built into the kernel has it: "kernel/fs/ext4/ext4.ko". */
static int
is_in_list(rhost_ctx *ctx, const char *name)
{
    struct utsname system;
    char *list;

    if (uname(&system) < 0)
        return 0;
    list = rhost_path_read(ctx, rhost_fmt(ctx, "/lib/modules/%s/modules.builtin", system.release),
                           RHOST_PATH_FOLLOW, LARGEST, NULL, NULL);
    for (char *line = list, *end; line && *line; line = end + (*end != '\0')) {
        char *base, *suffix;

        end = line + strcspn(line, "\n");
        line = rhost_copy(ctx, line, (size_t)(end - line));
        base = strrchr(line, '/') ? strrchr(line, '/') + 1 : line;
        suffix = strstr(base, ".ko");
        if (suffix)
            *suffix = '\0';
        entry_tidy_name(base);
        if (strcmp(base, name) == 0)
            return 1;
    }
    return 0;
}

int
running_state(rhost_ctx *ctx, const char *name)
{
    const char *folder = rhost_fmt(ctx, MODULES "/%s", name), *state;
    struct stat st;

    if (rhost_path_stat(ctx, folder, 0, &st) < 0) {
        if (errno == ENOENT)
            return is_in_list(ctx, name) ? RUNNING_BUILT_IN : RUNNING_NOT;
        return rhost_fail_path(ctx, "cannot read '%s'", folder);
    }
    state = rhost_path_read(ctx, rhost_fmt(ctx, "%s/initstate", folder), 0, LARGEST, NULL, NULL);
    if (!state && errno == ENOENT)
        return rhost_path_stat(ctx, folder, 0, &st) == 0 ? RUNNING_BUILT_IN : RUNNING_NOT;
    if (!state)
        return rhost_fail_path(ctx, "cannot read '%s/initstate'", folder);
    return strncmp(state, "going", 5) == 0 ? RUNNING_NOT : RUNNING_LOADED;
}

ssize_t
running_list(rhost_ctx *ctx, const char ***names)
{
    ssize_t n = rhost_path_list(ctx, MODULES, 0, names), left = 0;
    struct stat st;

    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '" MODULES "'");
    for (ssize_t i = 0; i < n; i++)
        if (rhost_path_stat(ctx, rhost_fmt(ctx, MODULES "/%s/initstate", (*names)[i]), 0, &st) == 0)
            (*names)[left++] = (*names)[i];
    return left;
}

/* The last line of what modprobe printed, without its name. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    static const char *const prefixes[] = { "modprobe: ", "FATAL: ", "ERROR: " };
    char *text = rhost_copy(ctx, output->err, output->err_len), *line;

    for (size_t n = strlen(text); n && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
        text[n - 1] = '\0';
    line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0)
            line += strlen(prefixes[i]);
    return *line ? line : "it gives no reason";
}

static int32_t
run(rhost_ctx *ctx, const char *const *argv, uint64_t flags, struct rhost_output *output)
{
    static const char *const env[] = { "LC_ALL=C", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command, .argv = argv, .env = env, .flags = flags
    };

    return rhost_run(ctx, &command, output);
}

int
running_known(rhost_ctx *ctx, const char *name)
{
    const char *const argv[] = { "modprobe", "--dry-run", "--quiet", name, NULL };
    struct rhost_output output;

    return run(ctx, argv, RHOST_EXEC_READS, &output) < 0 ? -1 : output.status == 0;
}

int32_t
running_load(rhost_ctx *ctx, const char *name, const rhost_value *options)
{
    const char *argv[MOST_OPTIONS + 3] = { "modprobe", name }, *key;
    struct rhost_output output;
    int state;

    if (rhost_count(options) > MOST_OPTIONS)
        return rhost_fail_attr(ctx, "options", "there are more than %d", MOST_OPTIONS);
    for (size_t i = 0; i < rhost_count(options); i++)
        if (rhost_at(options, i, &key))
            argv[2 + i] = rhost_fmt(ctx, "%s=%s", key, rhost_str_at(options, i));
    if (run(ctx, argv, 0, &output) < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(ctx, "modprobe cannot load the module: %s", complaint(ctx, &output));
    state = running_state(ctx, name);
    if (state == RUNNING_NOT)
        return rhost_fail(ctx,
                          "modprobe succeeded, but the kernel has no module '%s': it may be an alias; "
                          "'modprobe --resolve-alias %s' prints the name of the module",
                          name, name);
    return state < 0 ? -1 : 0;
}

int32_t
running_unload(rhost_ctx *ctx, const char *name)
{
    const char *const argv[] = { "modprobe", "--remove", name, NULL };
    const char **holders, *users = "";
    struct rhost_output output;
    ssize_t n;
    int state;

    if (run(ctx, argv, 0, &output) < 0)
        return -1;
    state = running_state(ctx, name);
    if (state == RUNNING_NOT)
        return 0;
    n = rhost_path_list(ctx, rhost_fmt(ctx, MODULES "/%s/holders", name), 0, &holders);
    for (ssize_t i = 0; i < n; i++)
        users = rhost_fmt(ctx, "%s%s%s", users, i ? ", " : "", holders[i]);
    if (n > 0)
        return rhost_fail(ctx, "modprobe cannot unload the module: it is used by %s", users);
    return state < 0 ? -1
                     : rhost_fail(ctx, "modprobe cannot unload the module: %s",
                                  output.status ? complaint(ctx, &output) : "it is loaded still");
}
