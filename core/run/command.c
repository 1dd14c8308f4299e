/* SPDX-License-Identifier: Apache-2.0 */
/* command - a command that the host itself runs.
 *
 * The extension for plugins does it (sdk/rhost/exec.h), with a handle of our own: it only logs,
 * allocates and fails through that. */
#include "config.h"

#include "run/command.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "provider/ext-exec.h"

#include <rhost/exec.h>
#include <string.h>

enum { LARGEST_SECRET = 1 << 20, DECRYPT_TIMEOUT = 60000 };

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
    if (number)
        rh_error_set(a->err, RH_ESYSTEM, "%s: %s", message, strerror(number));
    else
        rh_error_set(a->err, RH_ESYSTEM, "%s", message);
    return -1;
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

/* Warnings come first. The caller's. */
static char *
last_line(const char *text)
{
    size_t n = strlen(text);
    const char *line;

    while (n && text[n - 1] == '\n')
        n--;
    line = memrchr(text, '\n', n);
    line = line ? line + 1 : text;
    return rh_xstrndup(line, n - (size_t)(line - text));
}

const char *
rh_command_decrypt(struct rh_arena *a, const char *name, const void *credential, size_t n,
                   size_t *length, struct rh_error *err)
{
    const char *slash = strrchr(name, '/');
    rh_autofree char *called = rh_printf("--name=%s", slash ? slash + 1 : name);
    /* By its path: what the environment says is not to be believed with a secret in hand. */
    const char *const argv[] = { "/usr/bin/systemd-creds", "decrypt", called, "-", "-", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .input = credential,
        .input_len = n,
        .output_limit = LARGEST_SECRET,
        .timeout = DECRYPT_TIMEOUT,
        .umask = -1,
        .flags = RHOST_EXEC_READS,
    };
    struct rhost_output output = { 0 };

    rh_arena_keep_secret(a);
    if (rh_command_run(a, &command, &output, err) < 0)
        return NULL;
    if (output.status != 0) {
        rh_autofree char *why = last_line(output.err);

        (void)rh_error_set(err, RH_EINPUT, "'%s' can't be decrypted: %s", name, why);
        return NULL;
    }
    *length = output.out_len;
    return output.out;
}
