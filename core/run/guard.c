/* SPDX-License-Identifier: Apache-2.0 */
/* guard - the commands that say whether a resource has its turn.
 *
 * They run as plugins' commands do (sdk/rhost/exec.h). */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/conduct.h"
#include "provider/command.h"

#include <rhost/exec.h>
#include <string.h>

/* 1: it succeeded, 0: it did not, -1: it could not be run. */
static int
ask(const struct rh_value *guard, struct rh_error *err)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    size_t n = guard->kind == RH_ARRAY ? guard->count : 3;
    const char **argv = rh_arena_alloc(arena, (n + 1) * sizeof *argv);
    uint8_t *secret = rh_arena_alloc(arena, n + 1);
    struct rhost_output output = { .struct_size = sizeof output };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .umask = -1,
        .flags = RHOST_EXEC_READS,
        .secret_args = secret,
    };

    if (guard->kind == RH_ARRAY) {
        for (size_t i = 0; i < n; i++) {
            argv[i] = rh_value_at(guard, i)->u.string;
            secret[i] = rh_value_sensitive(rh_value_at(guard, i));
        }
    } else {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = guard->u.string;
        secret[2] = rh_value_sensitive(guard);
    }
    if (rh_command_run(arena, &command, &output, err) < 0)
        return -1;
    return output.status == 0;
}

int
rh_guards_ask(const struct rh_conduct *conduct, char **why, struct rh_error *err)
{
    const struct rh_value *guards[] = { conduct->only_if, conduct->not_if };
    static const char *const words[] = { "only_if", "not_if" };

    for (int i = 0; i < 2; i++) {
        rh_autobuf struct rh_buf shown = { 0 };
        int answer = guards[i] ? ask(guards[i], err) : i == 0;

        if (answer < 0)
            return rh_error_prefix(err, "%s", words[i]);
        if (answer == (i == 0))
            continue;
        rh_value_show(&shown, guards[i], 60);
        *why = rh_printf("%s %s %s", words[i], rh_buf_text(&shown), i ? "succeeded" : "failed");
        return 0;
    }
    return 1;
}
