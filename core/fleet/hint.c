/* SPDX-License-Identifier: Apache-2.0 */
/* hint - has agents look at the channel now: rhost-nats sends it. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/arena.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/wait.h"

#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 8 };

static void
add(struct rh_arena *a, char **argv, size_t *n, const char *option, const char *value)
{
    if (value)
        argv[(*n)++] = rh_arena_printf(a, "%s=%s", option, value);
}

void
rh_rollout_hint(struct rh_arena *a, const struct rh_rollout_request *q)
{
    rh_autofree char *program = rh_installation_program("rhost-nats");
    char *argv[MOST_ARGUMENTS];
    size_t n = 0;
    int number, status = 0;
    pid_t pid;

    if (!q->hint)
        return;
    argv[n++] = rh_arena_strdup(a, "rhost-nats");
    add(a, argv, &n, "--ca", q->tls_ca);
    add(a, argv, &n, "--certificate", q->tls_certificate);
    add(a, argv, &n, "--key", q->tls_key);
    argv[n++] = rh_arena_strdup(a, "--");
    argv[n++] = rh_arena_strdup(a, "hint");
    argv[n++] = rh_arena_strdup(a, q->hint);
    argv[n] = NULL;
    number = posix_spawn(&pid, program, NULL, NULL, argv, environ);
    if (number)
        rh_log(RH_WARNING, "cannot start '%s': %s; agents look at the channel at their next turn", program,
               strerror(number));
    else if (rh_wait_child(pid, &status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rh_log(RH_WARNING, "the hint was not sent; agents look at the channel at their next turn");
}
