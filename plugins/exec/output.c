/* SPDX-License-Identifier: Apache-2.0 */
/* output - what a command printed: in the log, or as the reason why it failed. */
#include "output.h"

#include <rhost/lines.h>

#include <string.h>

static int
has_secret(const rhost_value *v)
{
    if (!v)
        return 0;
    if (v->host->sensitive(v))
        return 1;
    if (v->host->kind(v) != RHOST_ARRAY && v->host->kind(v) != RHOST_HASH)
        return 0;
    for (size_t i = 0; i < rhost_count(v); i++)
        if (has_secret(rhost_at(v, i, NULL)))
            return 1;
    return 0;
}

enum output_capture
output_capture(const rhost_value *should)
{
    const char *word = rhost_str_or(should, "capture", "no");

    return strcmp(word, "text") == 0        ? CAPTURE_TEXT
           : strcmp(word, "sensitive") == 0 ? CAPTURE_SENSITIVE
                                            : CAPTURE_NO;
}

int
output_is_secret(const rhost_value *should)
{
    return output_capture(should) == CAPTURE_SENSITIVE || has_secret(should);
}

static void
put(rhost_value *result, const char *name, const char *s, size_t n, int secret)
{
    if (!memchr(s, '\0', n) && rhost_is_utf8(s, n))
        result->host->put_string(result, name, s, n);
    else
        result->host->put_binary(result, name, s, n);
    if (secret)
        result->host->mark_sensitive(result, name);
}

int32_t
output_report(rhost_ctx *ctx, const rhost_value *should, const struct rhost_output *output)
{
    rhost_value *result = ctx->host->new_hash(ctx);
    int secret = output_is_secret(should);

    result->host->put_integer(result, "exit_code", output->status);
    if (output_capture(should) == CAPTURE_NO)
        return ctx->host->emit(ctx, result);
    if (output->truncated)
        return rhost_fail_attr(ctx, "output_limit",
                               "the command printed more than %lld bytes, and its output is to be captured",
                               (long long)rhost_int(should, "output_limit", 65536));
    put(result, "stdout", output->out, output->out_len, secret);
    put(result, "stderr", output->err, output->err_len, secret);
    return ctx->host->emit(ctx, result);
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
    /* With `capture` they are apart: why it failed is mostly in what is for errors. */
    const char *start = output->err_len ? output->err : output->out;
    const char *end = start + (output->err_len ? output->err_len : output->out_len), *from;
    int lines = 0;

    while (end > start && strchr(" \t\r\n", end[-1]))
        end--;
    for (from = end; from > start && end - from < 2000; from--)
        if (from[-1] == '\n' && ++lines == 5)
            break;
    if (output->signal)
        return rhost_fail(ctx, "the command was killed by signal %d", (int)output->signal);
    if (from == end)
        return rhost_fail(ctx, "the command failed with status %d without any output", (int)output->status);
    if (output_is_secret(should))
        return rhost_fail(ctx, "the command failed with status %d: [redacted]", (int)output->status);
    return rhost_fail(ctx, "the command failed with status %d: %.*s", (int)output->status, (int)(end - from),
                      from);
}
