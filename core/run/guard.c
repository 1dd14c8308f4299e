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

/* One command. 1: it lets the resource go; 0: it doesn't, and *why; -1: it could not be run. */
static int
ask_one(const struct rh_value *guard, const char *word, bool success, char **why, struct rh_error *err)
{
    rh_autobuf struct rh_buf shown = { 0 };
    int answer = ask(guard, err);

    if (answer < 0)
        return rh_error_prefix(err, "%s", word);
    if (answer == success)
        return 1;
    rh_value_show(&shown, guard, 60);
    *why = rh_printf("%s %s %s", word, rh_buf_text(&shown), success ? "failed" : "succeeded");
    return 0;
}

/* All of them, up to the first that decides. */
static int
ask_all(const struct rh_value *guard, const char *word, bool success, char **why, struct rh_error *err)
{
    int answer = 1;

    if (!guard)
        return 1;
    if (!rh_guard_is_list(guard))
        return ask_one(guard, word, success, why, err);
    for (size_t i = 0; answer == 1 && i < guard->count; i++)
        answer = ask_one(rh_value_at(guard, i), word, success, why, err);
    return answer;
}

int
rh_guards_ask(const struct rh_conduct *conduct, char **why, struct rh_error *err)
{
    int answer = ask_all(conduct->only_if, "only_if", true, why, err);

    return answer == 1 ? ask_all(conduct->not_if, "not_if", false, why, err) : answer;
}
