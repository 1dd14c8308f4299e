/* SPDX-License-Identifier: Apache-2.0 */
/* program - what a program that tells facts prints. */
#include "config.h"

#include "facts/probe.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "provider/command.h"

#include <rhost/exec.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OUTPUT = 1 << 20 };

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
    struct rhost_output output = { 0 };
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

    if (rh_command_run(arena, &command, &output, err) < 0)
        return NULL;
    if (output.status != 0) {
        rh_autofree char *detail = first_line(&output);

        if (output.signal)
            rh_error_set(err, RH_ESYSTEM, "it was killed by a signal: %s%s", strsignal(output.signal),
                         detail);
        else
            rh_error_set(err, RH_ESYSTEM, "it exited with status %d%s", output.status, detail);
        return NULL;
    }
    if (output.truncated) {
        rh_error_set(err, RH_ESYSTEM, "it printed more than %d bytes", MOST_OUTPUT);
        return NULL;
    }
    text = rh_xalloc(output.out_len + 1);
    memcpy(text, output.out, output.out_len);
    *n = output.out_len;
    return text;
}
