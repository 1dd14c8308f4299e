/* SPDX-License-Identifier: Apache-2.0 */
/* report-send - hands a report to the program that sends it: the library for HTTP is its own, and not the
 * host's. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/text.h"
#include "provider/command.h"
#include "run/report-format.h"

#include <limits.h>
#include <rhost/exec.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 60000 /* ms: it has a limit of its own below that */, PROXIES = 6 };

static const char program[] = "rhost-otlp";

/* NULL where it is not installed: a kit has none. */
char *
rh_report_sender(void)
{
    rh_autofree char *path = rh_installation_program(program);

    return access(path, X_OK) == 0 ? rh_take(&path) : NULL;
}

/* What of the environment says through which proxy; the rest is no business of it. */
static void
add_proxies(struct rh_arena *a, const char *env[PROXIES + 1])
{
    static const char *const names[PROXIES] = { "http_proxy", "https_proxy", "HTTPS_PROXY",
                                                "all_proxy",  "no_proxy",    "NO_PROXY" };
    size_t n = 0;

    for (size_t i = 0; i < PROXIES; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            env[n++] = rh_arena_printf(a, "%s=%s", names[i], value);
    }
    env[n] = NULL;
}

/* The first line of what it said. */
static const char *
reason_of(struct rh_arena *a, const struct rhost_output *output)
{
    const char *text = output->err ? output->err : "";

    if (strncmp(text, "rhost-otlp: ", strlen("rhost-otlp: ")) == 0)
        text += strlen("rhost-otlp: ");
    return *text ? rh_arena_strndup(a, text, strcspn(text, "\n"))
                 : rh_arena_printf(a, "exit status %d", (int)output->status);
}

int
rh_report_send(const char *url, const char *headers, const struct rh_buf *text, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *path = rh_report_sender();
    const char *argv[] = { path ? path : program, url, headers, NULL };
    const char *env[PROXIES + 1];
    char here[PATH_MAX];
    struct rhost_output output = { .struct_size = sizeof output };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .cwd = headers && getcwd(here, sizeof here) ? here : NULL, /* where the name of its file begins */
        .input = text->s,
        .input_len = text->n,
        .umask = -1,
        .timeout = LONGEST,
        .flags = RHOST_EXEC_READS | RHOST_EXEC_STOPPABLE,
    };
    rh_autoerror struct rh_error why = { 0 };

    add_proxies(a, env);
    if (rh_command_run(a, &command, &output, &why) < 0)
        return rh_error_set(err, RH_ESYSTEM, "cannot send the report to '%s': %s", url, why.message);
    if (output.status != 0)
        return rh_error_set(err, RH_ESYSTEM, "cannot send the report to '%s': %s", url,
                            reason_of(a, &output));
    return 0;
}
