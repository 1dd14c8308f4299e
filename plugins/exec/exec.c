/* SPDX-License-Identifier: Apache-2.0 */
/* exec - run commands, when their guards say that it is needed.
 *
 * A command has no lasting state that could be read. What can be read is whether it is to be run:
 * that is the property `state`, which the guards answer, also under noop, with `done` or `needed`.
 * Wanted is always `done`, and running the command is the update that gets there. */

#include "output.h"
#include "words.h"

#include <rhost/dry-run.h>
#include <rhost/exec.h>
#include <rhost/provider.h>

#include <stdlib.h>
#include <sys/stat.h>

/* The program has a name; an argument can be empty. */
#define TYPE_COMMAND "Variant[String[1], Tuple[String[1], String, 1, default]]"
#define TYPE_PATHS "Optional[Variant[Pattern[/\\A\\//], Array[Pattern[/\\A\\//], 1]]]"
#define TYPE_ENVIRONMENT                                                                                     \
    "Optional[Variant[Hash[Pattern[/\\A[^=]+\\z/], String], Array[Pattern[/\\A[^=]+=/]]]]"

#define TYPE_CONFINE                                                                                         \
    "Optional[Struct[{Optional[read_only_paths] => Array[Pattern[/\\A\\//], 1], "                            \
    "Optional[read_write_paths] => Array[Pattern[/\\A\\//], 1], Optional[private_network] => Boolean, "      \
    "Optional[private_tmp] => Boolean, Optional[no_new_privileges] => Boolean}]]"

#define TYPE_TEXT "Optional[Variant[String, Binary]]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "String[1]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What it is for; default: the command itself." },
    { .name = "state",
      .type = "Enum[done, needed]",
      .default_value = "\"done\"",
      .desc = "Whether the command is to be run, as its guards say; always wanted: done." },
    { .name = "command",
      .type = "Optional[" TYPE_COMMAND "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What to run: an argument list, or a string that is split into words." },
    { .name = "creates",
      .type = TYPE_PATHS,
      .behaviour = RHOST_PARAMETER,
      .desc = "Nothing is to be done when these paths exist." },
    { .name = "only_if",
      .type = "Optional[" TYPE_COMMAND "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Run only if this command succeeds; it must change nothing." },
    { .name = "not_if",
      .type = "Optional[" TYPE_COMMAND "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Run only if this command fails; it must change nothing." },
    { .name = "unless",
      .type = "Optional[" TYPE_COMMAND "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The same as not_if." },
    { .name = "cwd",
      .type = "Pattern[/\\A\\//]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"/\"",
      .desc = "The directory to run it in." },
    { .name = "user",
      .type = "Optional[Variant[String[1], Integer[0]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The user to run it as, with all groups of that user." },
    { .name = "group",
      .type = "Optional[Variant[String[1], Integer[0]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The group to run it as." },
    { .name = "environment",
      .type = TYPE_ENVIRONMENT,
      .behaviour = RHOST_PARAMETER,
      .desc = "Variables over the clean environment." },
    { .name = "input",
      .type = TYPE_TEXT,
      .behaviour = RHOST_PARAMETER,
      .desc = "What the command reads from its standard input; default: nothing." },
    { .name = "umask",
      .type = "Pattern[/\\A0?[0-7]{3}\\z/]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"0022\"",
      .desc = "The file mode creation mask, in octal." },
    { .name = "timeout",
      .type = "Integer[1, 604800]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "300",
      .desc = "Seconds after which the command, and all that it started, is ended." },
    { .name = "returns",
      .type = "Variant[Enum[any], Array[Integer[0, 255], 1]]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "[0]",
      .desc = "Exit statuses that mean success; 'any': all of them." },
    { .name = "output_limit",
      .type = "Integer[1, 16777216]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "65536",
      .desc = "Bytes of output that are kept, the last ones. With capture, more output is a failure." },
    { .name = "capture",
      .type = "Enum[no, text, sensitive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"no\"",
      .desc = "Whether other resources can use the output; 'sensitive': it is shown nowhere." },
    { .name = "confine",
      .type = TYPE_CONFINE,
      .behaviour = RHOST_PARAMETER,
      .desc = "What the command and the guards are kept from; default: nothing." },
    { .name = "stdout",
      .type = TYPE_TEXT,
      .behaviour = RHOST_READ_ONLY,
      .desc = "What the command printed, with 'capture'." },
    { .name = "stderr",
      .type = TYPE_TEXT,
      .behaviour = RHOST_READ_ONLY,
      .desc = "Its error output, with 'capture'." },
    { .name = "exit_code",
      .type = "Optional[Integer[0, 255]]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Its exit status." },
};

static const struct rhost_action actions[] = {
    { "run", "Run the command, if its guards agree.", NULL },
};

/* An argument vector out of an attribute that is a list or a string; NULL after fail(). */
static const char **
arguments(rhost_ctx *ctx, const rhost_value *should, const char *attribute, uint8_t **secret)
{
    const rhost_value *v = rhost_get(should, attribute);
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

static const char **
environment(rhost_ctx *ctx, const rhost_value *should)
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

/* Runs what `attribute` says, with the surroundings that all commands of the resource share. */
static int32_t
run(rhost_ctx *ctx, const rhost_value *should, const char *attribute, uint64_t flags,
    struct rhost_output *output)
{
    uint8_t *secret = NULL;
    const char **argv = arguments(ctx, should, attribute, &secret);
    int32_t umask = (int32_t)strtol(rhost_str_or(should, "umask", "022"), NULL, 8);
    const rhost_value *confine = rhost_get(should, "confine");
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = environment(ctx, should),
        .cwd = rhost_str(should, "cwd"),
        .user = account(ctx, should, "user"),
        .group = account(ctx, should, "group"),
        .output_limit = (size_t)rhost_int(should, "output_limit", 65536),
        .timeout = (uint32_t)rhost_int(should, "timeout", 300) * 1000,
        .umask = umask,
        .flags = flags | RHOST_EXEC_TAIL | (umask ? 0 : RHOST_EXEC_UMASK_0) | confinement(confine),
        .secret_args = secret,
        .read_only = paths_of(ctx, confine, "read_only_paths"),
        .read_write = paths_of(ctx, confine, "read_write_paths"),
    };

    if (!(flags & RHOST_EXEC_READS)) /* a guard reads nothing */
        command.input = rhost_bytes(should, "input", &command.input_len);
    return argv ? rhost_run(ctx, &command, output) : -1;
}

/* 1: the guard has this outcome or there is none; 0: it hasn't. */
static int32_t
guard(rhost_ctx *ctx, const rhost_value *should, const char *attribute, int success)
{
    struct rhost_output output;

    if (!rhost_has(should, attribute))
        return 1;
    if (run(ctx, should, attribute, RHOST_EXEC_READS | RHOST_EXEC_MERGE, &output) < 0)
        return -1;
    return (output.status == 0) == success;
}

static int
exists(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0;
}

static int
all_created(const rhost_value *should)
{
    const rhost_value *creates = rhost_get(should, "creates");

    if (!rhost_has(should, "creates"))
        return 0;
    for (size_t i = 0; i < rhost_count(creates); i++)
        if (!exists(rhost_str_at(creates, i)))
            return 0;
    return rhost_count(creates) || exists(rhost_str(should, "creates"));
}

/* Whether `attribute` names an account that does not exist. */
static int
is_missing(rhost_ctx *ctx, const rhost_value *should, const char *attribute, int groups)
{
    const char *name = rhost_str(should, attribute);

    return name && rhost_look_up_id(ctx, groups, name) < 0 && errno == 0;
}

/* 1: the command is to be run; 0: it isn't; -1: a guard could not be asked. */
static int32_t
is_needed(rhost_ctx *ctx, const rhost_value *should)
{
    int32_t result;

    if (all_created(should))
        return 0;
    /* Under noop what a guard needs may be missing because what makes it was not run either. */
    if (rhost_noop(ctx)
        && (!exists(rhost_str_or(should, "cwd", "/")) || is_missing(ctx, should, "user", 0)
            || is_missing(ctx, should, "group", 1)))
        return 1;
    result = guard(ctx, should, "only_if", 1);
    if (result == 1)
        result = guard(ctx, should, "not_if", 0);
    if (result == 1)
        result = guard(ctx, should, "unless", 0);
    return result;
}

/* Whether something in the manifest puts a program there. */
static int
program_will_exist(rhost_ctx *ctx, const char *path)
{
    const char *end = strrchr(path, '/');

    return rhost_will_exist(ctx, "file", path) || rhost_will_exist(ctx, "link", path)
           || (end > path && !exists(rhost_copy(ctx, path, (size_t)(end - path)))
               && rhost_directory_will_exist(ctx, rhost_copy(ctx, path, (size_t)(end - path))));
}

/* Along the PATH that the command gets; a name with a '/' as it is, where that does not depend on cwd. */
static int
program_exists(rhost_ctx *ctx, const rhost_value *should, const char *program)
{
    const char *path = RHOST_EXEC_PATH;
    const char **env = environment(ctx, should);

    if (strchr(program, '/'))
        return *program != '/' || exists(program) || program_will_exist(ctx, program);
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            path = *env + 5;
    for (int later = 0; later < 2; later++)
        for (const char *at = path; *at;) {
            size_t len = strcspn(at, ":");
            const char *one = rhost_fmt(ctx, "%.*s/%s", (int)len, at, program);

            if (len && (later ? program_will_exist(ctx, one) : exists(one)))
                return 1;
            at += len + (at[len] == ':');
        }
    return 0;
}

/* Another user than root follows whatever links it pleases. */
static int32_t
foresee_cwd(rhost_ctx *ctx, const rhost_value *should)
{
    const char *user = rhost_str(should, "user"), *cwd = rhost_str_or(should, "cwd", "/");
    struct stat st;

    if (user && rhost_look_up_id(ctx, 0, user) != 0 && exists(cwd)
        && rhost_path_stat(ctx, cwd, RHOST_PATH_FOLLOW, &st) < 0 && rhost_path_unsafe(ctx))
        return 0;
    return rhost_foresee_directory(ctx, "cwd", "", cwd);
}

/* Under noop: what the command needs to be started exists, or will. */
static int32_t
foresee(rhost_ctx *ctx, const rhost_value *should)
{
    const char *user = rhost_str(should, "user"), *group = rhost_str(should, "group");
    const char *attribute = rhost_has(should, "command") ? "command" : "name";
    uint8_t *secret = NULL;
    const char **argv;

    if ((user && rhost_foresee_account(ctx, "user", 0, user) < 0)
        || (group && rhost_foresee_account(ctx, "group", 1, group) < 0) || foresee_cwd(ctx, should) < 0)
        return -1;
    argv = arguments(ctx, should, attribute, &secret);
    if (!argv)
        return -1;
    if (!argv[0] || secret[0] || program_exists(ctx, should, argv[0]))
        return 0;
    return rhost_fail_missing(ctx, attribute, rhost_fmt(ctx, "program '%s' does not exist", argv[0]));
}

static const char *const relations[] = {
    "autorequire directory[$cwd]",
    "autorequire directory[$cwd/..]",
    NULL,
};

/* Refuses early, before anything is touched, what could not be split. A name is the command where there is
 * no other. */
static int32_t
exec_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const commands[] = { "command", "only_if", "not_if", "unless" };
    const char *name = rhost_str(resource, "name");
    size_t words;

    if (name && !rhost_has(resource, "command")) {
        if (*name == '-')
            return rhost_fail_attr(ctx, "name",
                                   "'%s' is not a command: a list of titles is one resource for each; write "
                                   "an argument list as 'command: [PROGRAM, %s]'",
                                   name, name);
        if (!words_split(ctx, "name", name, &words))
            return -1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const char *text = rhost_str(resource, commands[i]);
        size_t n;

        if (text ? !words_split(ctx, commands[i], text, &n)
                 : words_check_list(ctx, commands[i], rhost_get(resource, commands[i])) < 0)
            return -1;
    }
    return 0;
}

static int32_t
exec_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    int32_t needed;

    (void)name;
    if (!should)
        return RHOST_ABSENT; /* without guards there is nothing to be seen */
    needed = is_needed(ctx, should);
    if (needed < 0 || (needed && rhost_noop(ctx) && foresee(ctx, should) < 0))
        return -1;
    rhost_put_str(current, "state", needed ? "needed" : "done");
    return 0;
}

static int
is_success(const rhost_value *should, int32_t status)
{
    const rhost_value *returns = rhost_get(should, "returns");

    if (rhost_str(should, "returns")) /* any */
        return 1;
    for (size_t i = 0; i < rhost_count(returns); i++) {
        const rhost_value *one = rhost_at(returns, i, NULL);

        if (one->host->integer(one, -1) == status)
            return 1;
    }
    return !rhost_count(returns) && status == 0;
}

static int32_t
exec_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    enum output_capture capture = output_capture(should);
    int secret = output_is_secret(should);
    uint64_t flags = RHOST_EXEC_STOPPABLE | (secret ? 0 : RHOST_EXEC_SHOW_OUTPUT)
                     | (capture == CAPTURE_NO ? RHOST_EXEC_MERGE : 0);
    struct rhost_output output;

    if (run(ctx, should, rhost_has(should, "command") ? "command" : "name", flags, &output) < 0)
        return -1;
    if (!output.signal && output_report(ctx, should, &output) < 0)
        return -1;
    if (output.signal || !is_success(should, output.status))
        return output_fail(ctx, should, &output);
    if (!secret)
        output_log(ctx, &output);
    return 0;
}

static int32_t
exec_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    int32_t needed = is_needed(ctx, change->should);

    (void)action; /* there is but one */
    return needed == 1 ? exec_update(ctx, change) : needed;
}

static const char *const needs[] = { "user[$user]", "run[*]", "read[$creates]", "capability[dac_read_search]",
                                     NULL };

static const struct rhost_provider exec_provider = {
    RHOST_PROVIDER("exec", "Run commands, when their guards say that it is needed."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .relations = relations,
    .features = RHOST_FORGETS_WORLD,
    .irreversible = "what a command has done is not known",
    .refresh_action = "run",
    .canonicalize = exec_canonicalize,
    .load = exec_load,
    .update = exec_update,
    .act = exec_act,
    .needs = needs,
};

RHOST_PLUGIN(exec, "1.0", &exec_provider)
