/* SPDX-License-Identifier: Apache-2.0 */
/* command - a command that the host itself runs.
 *
 * The extension for plugins does it (sdk/rhost/exec.h), with a handle of our own: it only logs,
 * allocates and fails through that. */
#include "config.h"

#include "provider/command.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "provider/extensions.h"

#include <rhost/exec.h>

#include <errno.h>

struct calling {
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
    struct calling *a = (struct calling *)(void *)ctx;

    (void)attribute;
    if (number == ENOENT && a->err && !a->err->message) {
        (void)rh_error_system(a->err, number, "%s", message);
        a->err->kind = RH_EMISSING;
        return -1;
    }
    if (number)
        return rh_error_system(a->err, number, "%s", message);
    return rh_error_set(a->err, RH_ESYSTEM, "%s", message);
}

static void *
on_alloc(rhost_ctx *ctx, size_t n)
{
    return rh_arena_alloc(((struct calling *)(void *)ctx)->arena, n);
}

static int32_t
is_noop(rhost_ctx *ctx)
{
    (void)ctx;
    return 0; /* what the host runs only looks */
}

static const struct rhost_host table = {
    .struct_size = sizeof table,
    .version = PACKAGE_VERSION,
    .log = on_log,
    .fail = on_fail,
    .alloc = on_alloc,
    .noop = is_noop,
};

int
rh_command_run(struct rh_arena *a, const struct rhost_command *command, struct rhost_output *output,
               struct rh_error *err)
{
    struct calling c = { .ctx = { .host = &table }, .arena = a, .err = err };

    output->struct_size = sizeof *output;
    return rh_ext_exec()->run(&c.ctx, command, output) < 0 ? -1 : 0;
}
