/* SPDX-License-Identifier: Apache-2.0 */
/* guard - the commands that say whether a resource has its turn.
 *
 * They run as plugins' commands do (sdk/rhost/exec.h), with a handle of our own: the extension only
 * logs, allocates and fails through it. */
#include "config.h"

#include "run/guard.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/conduct.h"
#include "provider/ext-exec.h"

#include <rhost/exec.h>
#include <string.h>

struct asking {
    rhost_ctx ctx;
    struct rh_arena *arena;
    struct rh_error *err;
};

static void
on_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n, const char *message)
{
    (void)ctx;
    (void)level;
    (void)titles;
    (void)n;
    rh_debug("%s", message);
}

static int32_t
on_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message)
{
    struct asking *a = (struct asking *)(void *)ctx;

    (void)attribute;
    if (number)
        rh_error_set(a->err, RH_ESYSTEM, "%s: %s", message, strerror(number));
    else
        rh_error_set(a->err, RH_ESYSTEM, "%s", message);
    return -1;
}

static void *
on_alloc(rhost_ctx *ctx, size_t n)
{
    return rh_arena_alloc(((struct asking *)(void *)ctx)->arena, n);
}

static int32_t
is_noop(rhost_ctx *ctx)
{
    (void)ctx;
    return 0; /* guards only look */
}

static const struct rhost_host table = {
    .struct_size = sizeof table,
    .version = PACKAGE_VERSION,
    .log = on_log,
    .fail = on_fail,
    .alloc = on_alloc,
    .noop = is_noop,
};

/* 1: it succeeded, 0: it did not, -1: it could not be run. */
static int
ask(const struct rh_value *guard, struct rh_error *err)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct asking a = { .ctx = { .host = &table }, .arena = arena, .err = err };
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
    if (rh_ext_exec()->run(&a.ctx, &command, &output) < 0)
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
        int said = guards[i] ? ask(guards[i], err) : i == 0;

        if (said < 0)
            return rh_error_prefix(err, "%s", words[i]);
        if (said == (i == 0))
            continue;
        rh_value_show(&shown, guards[i], 60);
        *why = rh_printf("%s %s %s", words[i], rh_buf_text(&shown), i ? "succeeded" : "failed");
        return 0;
    }
    return 1;
}
