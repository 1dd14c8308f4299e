/* SPDX-License-Identifier: Apache-2.0 */
/* tool - runs the programs of file systems, and says what they complain of. */

#include "tool.h"

#include <rhost/provider.h>

/* The first line that is one of an error; else the last one. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output, const char *program)
{
    const char *text = output->err && *output->err ? output->err : output->out, *last = NULL;
    size_t name = strlen(program);

    while (text && *text) {
        size_t len = strcspn(text, "\n"), skip = 0;

        /* The line "NAME VERSION (DATE)" of some is no complaint. */
        if (strncmp(text, program, name) == 0 && strncmp(text + name, ": ", 2) == 0)
            skip = name + 2;
        if (len > skip && !(strncmp(text, program, name) == 0 && text[name] == ' ')
            && strncmp(text, "Usage:", 6) != 0 && strncmp(text, "mke2fs ", 7) != 0) {
            last = rhost_copy(ctx, text + skip, len - skip);
            if (skip || strncmp(text, "ERROR: ", 7) == 0)
                break;
        }
        text += len + (text[len] == '\n');
    }
    return last ? last : rhost_fmt(ctx, "exit status %d", (int)output->status);
}

int
tool_run(rhost_ctx *ctx, const char *const *argv, const char **why)
{
    return tool_run_input(ctx, argv, "", why);
}

int
tool_run_input(rhost_ctx *ctx, const char *const *argv, const char *input, const char **why)
{
    static const char *const env[] = { "LC_ALL=C", NULL };
    struct rhost_command command = {
        .struct_size = sizeof command, .argv = argv, .env = env, .timeout = TOOL_LONGEST, .umask = -1
    };
    struct rhost_output output;

    command.input = *input ? input : NULL;
    command.input_len = strlen(input);
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    *why = complaint(ctx, &output, argv[0]);
    return output.status;
}

int
tool_exists(rhost_ctx *ctx, const char *name)
{
    const char *path = RHOST_EXEC_PATH;

    while (*path) {
        size_t len = strcspn(path, ":");

        if (access(rhost_fmt(ctx, "%.*s/%s", (int)len, path, name), F_OK) == 0)
            return 1;
        path += len + (path[len] == ':');
    }
    return 0;
}
