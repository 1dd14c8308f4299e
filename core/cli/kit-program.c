/* SPDX-License-Identifier: Apache-2.0 */
/* kit-program - runs the program that makes and checks kits. */
#include "config.h"

#include "cli/kit.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "provider/command.h"

#include <rhost/exec.h>

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { TIME_LIMIT = 600000 /* ms */, LARGEST_OUTPUT = 16 << 20 };

/* The first line of what it said, without its name. */
static const char *
reason(struct rh_arena *a, const struct rhost_output *output)
{
    static const char name[] = "rhost-kit: ";
    const char *text = output->err ? output->err : "";

    if (strncmp(text, name, sizeof name - 1) == 0)
        text += sizeof name - 1;
    return *text ? rh_arena_strndup(a, text, strcspn(text, "\n"))
                 : rh_arena_printf(a, "rhost-kit ended with exit status %d", (int)output->status);
}

const char *
rh_kit_program(struct rh_arena *a, const char *const *arguments, struct rh_error *err)
{
    rh_autofree char *program = rh_installation_program("rhost-kit");
    const char *const env[] = { NULL };
    char here[PATH_MAX];
    const char **argv;
    struct rhost_output output = { .struct_size = sizeof output };
    struct rhost_command command = {
        .struct_size = sizeof command,
        .env = env,
        .cwd = getcwd(here, sizeof here),
        .output_limit = LARGEST_OUTPUT,
        .umask = -1,
        .timeout = TIME_LIMIT,
        .flags = RHOST_EXEC_READS | RHOST_EXEC_STOPPABLE,
    };
    size_t n = 0;

    if (access(program, X_OK) < 0) {
        rh_error_set(err, RH_ESYSTEM, "cannot make or read kits: '%s' is not installed", program);
        return NULL;
    }
    while (arguments[n])
        n++;
    argv = rh_arena_alloc(a, (n + 2) * sizeof *argv);
    argv[0] = program;
    memcpy(argv + 1, arguments, (n + 1) * sizeof *argv);
    command.argv = argv;
    if (rh_command_run(a, &command, &output, err) < 0)
        return NULL;
    if (output.status != 0) {
        rh_error_set(err, RH_EINPUT, "%s", reason(a, &output));
        return NULL;
    }
    return rh_arena_printf(a, "%s\n", output.out ? output.out : "");
}
