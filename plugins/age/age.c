/* SPDX-License-Identifier: Apache-2.0 */
/* age - a lookup of what a file has that age(1) encrypted. */

#include "../http/content.h"
#include "../http/secret.h"

#include <rhost/exec.h>
#include <rhost/path.h>
#include <rhost/posix.h>

enum { LARGEST = 4 << 20, LONGEST_WORDS = 300, TIMEOUT = 60000 };

static const struct rhost_attr parameters[] = {
    { .name = "path", .type = RHOST_TYPE_PATH, .desc = "The encrypted file, binary or armored." },
    { .name = "identity",
      .type = RHOST_TYPE_PATH,
      .desc = "The file with the identity, as age-keygen makes one, or the private key of SSH." },
    { .name = "format",
      .type = CONTENT_FORMAT,
      .default_value = "\"text\"",
      .desc = "What the content is read as: text without its last line end, the value of a JSON text, or a "
              "list of lines." },
};

/* What age says, without its name: "age: error: no identity matched any of the recipients". */
static const char *
words_of_age(rhost_ctx *ctx, const struct rhost_output *out)
{
    const char *from = strstr(out->err, "age: error: ");
    size_t n;

    from = from ? from + strlen("age: error: ") : out->err;
    n = strcspn(from, "\r\n");
    return rhost_copy(ctx, from, n < LONGEST_WORDS ? n : LONGEST_WORDS);
}

/* The identity must be a file that only we have. age reads it by its name. */
static int32_t
check_identity(rhost_ctx *ctx, const char *path)
{
    struct stat st;
    size_t len;

    if (!secret_read_file(ctx, path, &len))
        return -1;
    if (rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0 && (st.st_mode & (S_IRGRP | S_IROTH)))
        return rhost_fail(ctx, "others can read the identity '%s': run 'chmod 600' on it", path);
    if (rhost_path_trusted(ctx, path) < 0)
        return rhost_fail_path(ctx, "cannot use the identity '%s'", path);
    return 0;
}

static int32_t
decrypt(rhost_ctx *ctx, const rhost_value *p, const char *bytes, size_t len, struct rhost_output *out)
{
    const char *path = rhost_str(p, "path"), *words;
    const char *const argv[] = { "age", "--decrypt", "--identity", rhost_str(p, "identity"), NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .input = bytes,
        .input_len = len,
        .output_limit = LARGEST,
        .timeout = TIMEOUT,
        .flags = RHOST_EXEC_READS | RHOST_EXEC_STOPPABLE,
    };

    if (rhost_run(ctx, &command, out) < 0)
        return -1;
    if (out->status != 0) {
        words = words_of_age(ctx, out);
        return rhost_fail(ctx, "cannot decrypt '%s': %s", path,
                          *words ? words : rhost_fmt(ctx, "age exited with status %d", (int)out->status));
    }
    return out->truncated ? rhost_fail(ctx, "what '%s' has is larger than 4 MiB", path) : 0;
}

static int32_t
find(rhost_ctx *ctx, const rhost_value *p, rhost_value *answer)
{
    const char *path = rhost_str(p, "path"), *format = rhost_str_or(p, "format", "text");
    struct rhost_output out = { 0 };
    size_t len;
    const char *bytes = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &len, NULL);

    if (!bytes && errno == EFBIG)
        return rhost_fail(ctx, "'%s' is larger than 4 MiB", path);
    if (!bytes)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    if (!len)
        return rhost_fail(ctx, "'%s' is empty", path);
    if (check_identity(ctx, rhost_str(p, "identity")) < 0 || decrypt(ctx, p, bytes, len, &out) < 0)
        return -1;
    len = out.out_len;
    if (strcmp(format, "text") == 0 && len && out.out[len - 1] == '\n')
        len--;
    return content_put(ctx, answer, format, rhost_copy(ctx, out.out, len), len,
                       rhost_fmt(ctx, "what '%s' has", path));
}

static const char *const needs[] = { "read[$path]", "read[$identity]", "run[age]", NULL };

static const struct rhost_lookup age = {
    .struct_size = sizeof age,
    .attr_stride = sizeof parameters[0],
    .n_attrs = sizeof parameters / sizeof parameters[0],
    .attrs = parameters,
    .name = "age",
    .desc = "What a file has that age encrypted.",
    .type = "Sensitive[Variant[Data, Binary]]",
    .find = find,
    .needs = needs,
};

static const struct rhost_lookup *const lookups[] = { &age, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(age, "1.0", NULL, lookups, NULL)
