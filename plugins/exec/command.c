/* SPDX-License-Identifier: Apache-2.0 */
/* command - a command or a guard of the resource, with the surroundings that all of them share. */

#include "command.h"

#include "words.h"

#include <stdlib.h>

const char **
command_arguments(rhost_ctx *ctx, const rhost_value *v, const char *attribute, uint8_t **secret)
{
    const char *text = v ? v->host->string(v, NULL) : NULL;
    size_t n = text ? 0 : rhost_count(v);
    const char **argv;

    if (text) {
        argv = words_split(ctx, attribute, text, &n);
    } else {
        argv = rhost_alloc(ctx, (n + 1) * sizeof *argv);
        for (size_t i = 0; i < n; i++)
            argv[i] = rhost_str_at(v, i);
    }
    if (!argv)
        return NULL;
    *secret = n ? rhost_alloc(ctx, n) : NULL;
    for (size_t i = 0; i < n; i++) {
        const rhost_value *one = text ? NULL : rhost_at(v, i, NULL);

        (*secret)[i] = v->host->sensitive(v) || (one && one->host->sensitive(one));
    }
    return argv;
}

const char **
command_environment(rhost_ctx *ctx, const rhost_value *should)
{
    const rhost_value *v = rhost_get(should, "environment");
    size_t n = rhost_count(v);
    const char **env = rhost_alloc(ctx, (n + 1) * sizeof *env);

    for (size_t i = 0; i < n; i++) {
        const char *key = NULL;
        const rhost_value *one = rhost_at(v, i, &key);
        const char *text = one->host->string(one, NULL);

        if (key) {
            size_t size = strlen(key) + strlen(text ? text : "") + 2;
            char *both = rhost_alloc(ctx, size);

            snprintf(both, size, "%s=%s", key, text ? text : "");
            text = both;
        }
        env[i] = text ? text : "";
    }
    return env;
}

/* A user or group, which may be a number, as text. */
static const char *
account(rhost_ctx *ctx, const rhost_value *should, const char *attribute)
{
    int64_t id = rhost_int(should, attribute, -1);
    char *text;

    if (id < 0)
        return rhost_str(should, attribute);
    text = rhost_alloc(ctx, 24);
    snprintf(text, 24, "%lld", (long long)id);
    return text;
}

static uint64_t
confinement(const rhost_value *confine)
{
    return (rhost_bool(confine, "private_network", 0) ? RHOST_EXEC_NO_NETWORK : 0)
           | (rhost_bool(confine, "private_tmp", 0) ? RHOST_EXEC_PRIVATE_TMP : 0)
           | (rhost_bool(confine, "no_new_privileges", 0) ? RHOST_EXEC_NO_NEW_PRIVILEGES : 0);
}

/* NULL: there are none. */
static const char *const *
paths_of(rhost_ctx *ctx, const rhost_value *confine, const char *key)
{
    const rhost_value *list = rhost_get(confine, key);
    size_t n = rhost_count(list);
    const char **paths = n ? rhost_alloc(ctx, (n + 1) * sizeof *paths) : NULL;

    for (size_t i = 0; i < n; i++)
        paths[i] = rhost_str_at(list, i);
    return paths;
}

int32_t
command_run(rhost_ctx *ctx, const rhost_value *should, const rhost_value *what, const char *attribute,
            uint64_t flags, int input, struct rhost_output *output)
{
    uint8_t *secret = NULL;
    const char **argv = command_arguments(ctx, what, attribute, &secret);
    int32_t umask = (int32_t)strtol(rhost_str_or(should, "umask", "022"), NULL, 8);
    const rhost_value *confine = rhost_get(should, "confine");
    size_t input_len = 0;
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = command_environment(ctx, should),
        .cwd = rhost_str(should, "cwd"),
        .user = account(ctx, should, "user"),
        .group = account(ctx, should, "group"),
        .input = input ? rhost_bytes(should, "stdin", &input_len) : NULL,
        .output_limit = (size_t)rhost_int(should, "output_limit", 65536),
        .timeout = (uint32_t)rhost_int(should, "timeout", 300) * 1000,
        .umask = umask,
        .flags = flags | RHOST_EXEC_TAIL | (umask ? 0 : RHOST_EXEC_UMASK_0) | confinement(confine),
        .secret_args = secret,
        .read_only = paths_of(ctx, confine, "read_only_paths"),
        .read_write = paths_of(ctx, confine, "read_write_paths"),
    };

    command.input_len = input_len;
    return argv ? rhost_run(ctx, &command, output) : -1;
}
