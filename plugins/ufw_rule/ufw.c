/* SPDX-License-Identifier: Apache-2.0 */
/* ufw - runs ufw, and explains what it refuses. */

#include "ufw.h"

#include <rhost/exec.h>
#include <rhost/path.h>

enum { MOST_ARGUMENTS = 40 };

int32_t
ufw_suits(rhost_ctx *ctx)
{
    static const char *const places[] = { "/usr/sbin/ufw", "/usr/bin/ufw", "/sbin/ufw",
                                          "/usr/local/sbin/ufw" };
    struct stat st;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (rhost_path_stat(ctx, places[i], RHOST_PATH_FOLLOW, &st) == 0)
            return 10;
    (void)rhost_fail(ctx, "ufw is not installed");
    return 0;
}

/* The line of an error without its mark, or the last line. */
static const char *
reason(rhost_ctx *ctx, const char *text)
{
    static const char mark[] = "ERROR: ";
    const char *error = strstr(text, mark);
    size_t end = strlen(text), from;

    if (error) {
        error += sizeof mark - 1;
        return rhost_copy(ctx, error, strcspn(error, "\n"));
    }
    while (end && text[end - 1] == '\n')
        end--;
    for (from = end; from && text[from - 1] != '\n'; from--)
        ;
    return end > from ? rhost_copy(ctx, text + from, end - from) : "it gives no reason";
}

int32_t
ufw_run(rhost_ctx *ctx, const char *const *arguments, int reads, const char **out)
{
    return ufw_run_hint(ctx, arguments, reads, out, "");
}

int32_t
ufw_run_hint(rhost_ctx *ctx, const char *const *arguments, int reads, const char **out, const char *hint)
{
    static const char *const env[] = { "LC_ALL=C.UTF-8", NULL };
    const char *argv[MOST_ARGUMENTS + 2] = { "ufw" };
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .flags = reads ? RHOST_EXEC_READS : 0,
    };
    struct rhost_output output;

    for (size_t n = 0; arguments[n] && n < MOST_ARGUMENTS; n++)
        argv[n + 1] = arguments[n];
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (out)
        *out = output.out;
    if (output.status == 0)
        return 0;
    return rhost_fail(ctx, "ufw failed: %s%s", reason(ctx, *output.err ? output.err : output.out), hint);
}
