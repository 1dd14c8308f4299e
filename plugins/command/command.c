/* SPDX-License-Identifier: Apache-2.0 */
/* command - a lookup whose answer is what a program of the operator prints. */

#include "../exec/words.h"
#include "../http/content.h"

#include <rhost/exec.h>
#include <rhost/posix.h>

enum { LONGEST_WORDS = 300 };

static const struct rhost_attr parameters[] = {
    { .name = "command",
      .type = "Array[Pattern[/\\A[^\\x00]*\\z/], 1]",
      .desc = "The program and its arguments. No shell reads them." },
    { .name = "format",
      .type = CONTENT_FORMAT,
      .default_value = "\"text\"",
      .desc = "What the output is read as: text without its last line end, the value of a JSON text, or a "
              "list of lines." },
    { .name = "absent",
      .type = "Array[Integer[1, 255]]",
      .default_value = "[]",
      .desc = "Exit statuses of a program that has no answer." },
    { .name = "directory",
      .type = RHOST_TYPE_PATH,
      .default_value = "\"/\"",
      .desc = "Where the program is run." },
    { .name = "timeout",
      .type = "Integer[1, 3600]",
      .default_value = "30",
      .desc = "Seconds after which it is ended." },
    { .name = "secret",
      .type = "Boolean",
      .default_value = "false",
      .desc = "Whether the answer is sensitive: it is shown nowhere." },
};

static int
is_absence(const rhost_value *p, int32_t status)
{
    const rhost_value *list = rhost_get(p, "absent");

    for (size_t i = 0; i < rhost_count(list); i++) {
        const rhost_value *one = rhost_at(list, i, NULL);

        if (one->host->integer(one, 0) == status)
            return 1;
    }
    return 0;
}

/* The last line of what it says on its standard error, where that can be shown. */
static const char *
last_words(rhost_ctx *ctx, const struct rhost_output *out)
{
    size_t end = out->err_len, from;

    while (end && strchr(" \t\r\n", out->err[end - 1]))
        end--;
    for (from = end; from && out->err[from - 1] != '\n';)
        from--;
    if (end == from)
        return "";
    return rhost_fmt(ctx, ": %.*s", (int)(end - from < LONGEST_WORDS ? end - from : LONGEST_WORDS),
                     out->err + from);
}

static int32_t
put_output(rhost_ctx *ctx, const rhost_value *p, const char *program, const struct rhost_output *out,
           rhost_value *answer)
{
    const char *format = rhost_str_or(p, "format", "text");
    size_t len = out->out_len;
    int secret = rhost_bool(p, "secret", 0);

    if (out->signal)
        return rhost_fail(ctx, "'%s' was ended by signal %d", program, (int)out->signal);
    if (is_absence(p, out->status))
        return RHOST_ABSENT;
    if (out->status != 0)
        return rhost_fail(ctx, "'%s' exited with status %d%s", program, (int)out->status,
                          secret ? "" : last_words(ctx, out));
    if (out->truncated)
        return rhost_fail(ctx, "the output of '%s' is larger than 1 MiB", program);
    if (strcmp(format, "text") == 0 && len && out->out[len - 1] == '\n')
        len--;
    if (content_put(ctx, answer, format, rhost_copy(ctx, out->out, len), len,
                    rhost_fmt(ctx, "the output of '%s'", program))
        < 0)
        return -1;
    if (secret)
        answer->host->mark_sensitive(answer, "value");
    return 0;
}

static int32_t
find(rhost_ctx *ctx, const rhost_value *p, rhost_value *answer)
{
    const rhost_value *list = rhost_get(p, "command");
    size_t n = rhost_count(list);
    const char **argv = rhost_alloc(ctx, (n + 1) * sizeof *argv);
    uint8_t *secret = rhost_alloc(ctx, n);
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .secret_args = secret,
        .cwd = rhost_str_or(p, "directory", "/"),
        .timeout = (uint32_t)rhost_int(p, "timeout", 30) * 1000,
        .flags = RHOST_EXEC_READS | RHOST_EXEC_STOPPABLE,
    };
    struct rhost_output output = { 0 };

    if (words_check_list(ctx, "command", list) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const rhost_value *one = rhost_at(list, i, NULL);

        argv[i] = one->host->string(one, NULL);
        if (one->host->sensitive(one))
            return rhost_fail(
                ctx, "argument %zu of '%s' is sensitive: every user can see the arguments of a program", i,
                i ? argv[0] : "the command");
    }
    if (!*argv[0])
        return rhost_fail(ctx, "the name of the program is empty");
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    return put_output(ctx, p, argv[0], &output, answer);
}

static const char *const needs[] = { "run[*]", NULL };

static const struct rhost_lookup command = {
    .struct_size = sizeof command,
    .attr_stride = sizeof parameters[0],
    .n_attrs = sizeof parameters / sizeof parameters[0],
    .attrs = parameters,
    .name = "command",
    .desc = "What a program prints.",
    .type = "Variant[Data, Binary]",
    .find = find,
    .needs = needs,
};

static const struct rhost_lookup *const lookups[] = { &command, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(command, "1.0", NULL, lookups, NULL)
