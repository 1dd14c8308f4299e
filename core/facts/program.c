/* SPDX-License-Identifier: Apache-2.0 */
/* program - what a program that tells facts prints.
 *
 * It runs as plugins' commands do (sdk/rhost/exec.h), with a handle of our own: the extension only
 * logs, allocates and fails through it. */
#include "config.h"

#include "facts/program.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "provider/ext-exec.h"

#include <rhost/exec.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OUTPUT = 1 << 20 };

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
        return rh_error_system(a->err, number, "%s", message);
    return rh_error_set(a->err, RH_ESYSTEM, "%s", message);
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
    return 0; /* facts only look */
}

static const struct rhost_host table = {
    .struct_size = sizeof table,
    .version = PACKAGE_VERSION,
    .log = on_log,
    .fail = on_fail,
    .alloc = on_alloc,
    .noop = is_noop,
};

/* The first line of what it said about its failure. */
static char *
first_line(const struct rhost_output *o)
{
    rh_autobuf struct rh_buf b = { 0 };
    const char *text = o->err + strspn(o->err, " \t\r\n");
    size_t n = strcspn(text, "\r\n");

    rh_buf_add(&b, n ? ": " : "");
    rh_buf_add_safe(&b, text, n < 200 ? n : 200, false);
    return rh_buf_take(&b);
}

char *
rh_program_run(const char *path, unsigned time_limit, size_t *n, struct rh_error *err)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct asking a = { .ctx = { .host = &table }, .arena = arena, .err = err };
    struct rhost_output output = { .struct_size = sizeof output };
    rh_autofree char *here = path[0] == '/' ? NULL : getcwd(NULL, 0); /* it runs elsewhere */
    rh_autofree char *whole = here ? rh_printf("%s/%s", here, path) : rh_xstrdup(path);
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = (const char *const[]){ whole, NULL },
        .umask = -1,
        .flags = RHOST_EXEC_READS,
        .timeout = time_limit * 1000,
        .output_limit = MOST_OUTPUT,
    };
    char *text;

    if (rh_ext_exec()->run(&a.ctx, &command, &output) < 0)
        return NULL;
    if (output.status != 0) {
        rh_autofree char *said = first_line(&output);

        if (output.signal)
            rh_error_set(err, RH_ESYSTEM, "%s ended it%s", strsignal(output.signal), said);
        else
            rh_error_set(err, RH_ESYSTEM, "it exits with status %d%s", output.status, said);
        return NULL;
    }
    if (output.truncated) {
        rh_error_set(err, RH_ESYSTEM, "it prints more than %d bytes", MOST_OUTPUT);
        return NULL;
    }
    text = rh_xalloc(output.out_len + 1);
    memcpy(text, output.out, output.out_len);
    *n = output.out_len;
    return text;
}
