/* SPDX-License-Identifier: Apache-2.0 */
/* program - runs the programs that come with rhost in packages of their own. */
#include "config.h"

#include "cli/program.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "provider/command.h"

#include <rhost/exec.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIME_LIMIT = 600000 /* ms */, LARGEST_OUTPUT = 16 << 20 };

/* The first line of what it said, without its name. */
static const char *
reason(struct rh_arena *a, const char *name, const struct rhost_output *output)
{
    const char *text = output->err ? output->err : "";
    size_t n = strlen(name);

    if (strncmp(text, name, n) == 0 && strncmp(text + n, ": ", 2) == 0)
        text += n + 2;
    return *text ? rh_arena_strndup(a, text, strcspn(text, "\n"))
                 : rh_arena_printf(a, "%s ended with exit status %d", name, (int)output->status);
}

static void
say_missing(const char *name, const char *program, struct rh_error *err)
{
    rh_error_set(err, RH_ESYSTEM, "'%s' is not installed", program);
    rh_discard(rh_error_suggest(err, NULL,
                                strcmp(name, "rhost-kit") == 0       ? "install the package rhost-kit"
                                : strcmp(name, "rhost-collect") == 0 ? "install the package rhost-collect"
                                : strcmp(name, "rhost-nats") == 0    ? "install the package rhost-nats"
                                : strcmp(name, "rhost-fleet") == 0   ? "install the package rhost-fleet"
                                : strcmp(name, "rhost-agent") == 0   ? "install the package rhost-agent"
                                                                     : "install the package rhost-bundle"));
}

const char *
rh_program_output(struct rh_arena *a, const char *name, const char *const *arguments, struct rh_error *err)
{
    rh_autofree char *program = rh_installation_program(name);
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
        say_missing(name, program, err);
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
        rh_error_set(err, RH_EINPUT, "%s", reason(a, name, &output));
        return NULL;
    }
    return rh_arena_printf(a, "%s\n", output.out ? output.out : "");
}

void
rh_program_exec(const char *program, const char *const *arguments, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    size_t n = 0;
    char **argv;
    int number;

    while (arguments[n])
        n++;
    argv = rh_arena_alloc(a, (n + 2) * sizeof *argv);
    argv[0] = rh_arena_strdup(a, program);
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = rh_arena_strdup(a, arguments[i]);
    (void)fflush(NULL);
    (void)execvp(program, argv);
    number = errno;
    rh_error_system(err, number, "cannot start '%s'", program);
}

void
rh_program_become(const char *name, const char *const *arguments, struct rh_error *err)
{
    rh_autofree char *program = rh_installation_program(name);

    if (access(program, X_OK) < 0)
        say_missing(name, program, err);
    else
        rh_program_exec(program, arguments, err);
}
