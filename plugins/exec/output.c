/* SPDX-License-Identifier: Apache-2.0 */
/* output - what a command printed: in the log, or as the reason why it failed. */
#include "output.h"

#include <string.h>

int
output_has_secret(const rhost_value *v)
{
    if (!v)
        return 0;
    if (v->host->sensitive(v))
        return 1;
    if (v->host->kind(v) != RHOST_ARRAY && v->host->kind(v) != RHOST_HASH)
        return 0;
    for (size_t i = 0; i < rhost_count(v); i++)
        if (output_has_secret(rhost_at(v, i, NULL)))
            return 1;
    return 0;
}

enum { MOST_LINES = 100 };

void
output_log(rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *end = output->out + output->out_len, *from, *stop;
    int lines = 0;

    while (end > output->out && strchr(" \t\r\n", end[-1]))
        end--;
    for (from = end; from > output->out; from--)
        if (from[-1] == '\n' && ++lines == MOST_LINES)
            break;
    for (; from < end; from = stop + 1) {
        stop = memchr(from, '\n', (size_t)(end - from));
        stop = stop ? stop : end;
        rhost_info(ctx, "%.*s", (int)(stop - from), from);
    }
}

int32_t
output_fail(rhost_ctx *ctx, const rhost_value *should, const struct rhost_output *output)
{
    const char *end = output->out + output->out_len, *from;
    int lines = 0;

    while (end > output->out && strchr(" \t\r\n", end[-1]))
        end--;
    for (from = end; from > output->out && end - from < 2000; from--)
        if (from[-1] == '\n' && ++lines == 5)
            break;
    if (output->signal)
        return rhost_fail(ctx, "the command was killed by signal %d", (int)output->signal);
    if (from == end)
        return rhost_fail(ctx, "the command failed with status %d without any output", (int)output->status);
    if (output_has_secret(should))
        return rhost_fail(ctx, "the command failed with status %d: [redacted]", (int)output->status);
    return rhost_fail(ctx, "the command failed with status %d: %.*s", (int)output->status, (int)(end - from),
                      from);
}
