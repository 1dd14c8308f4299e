/* SPDX-License-Identifier: Apache-2.0 */
/* exec - run commands, when their guards say that it is needed.
 *
 * A command has no lasting state that could be read. What can be read is whether it is to be run:
 * that is the property `state`, which the guards answer, also under noop, with `done` or `needed`.
 * Wanted is always `done`, and running the command is the update that gets there. */

#include "command.h"
#include "guards.h"
#include "output.h"
#include "words.h"

#include <rhost/dry-run.h>
#include <rhost/exec.h>
#include <rhost/provider.h>

#include <sys/stat.h>

/* The program has a name; an argument can be empty. */
#define TYPE_ARGUMENTS "Tuple[String[1], String, 1, default]"
#define TYPE_COMMAND "Variant[String[1], " TYPE_ARGUMENTS "]"
#define TYPE_PATHS "Optional[Variant[Pattern[/\\A\\//], Array[Pattern[/\\A\\//], 1]]]"
#define TYPE_ENVIRONMENT                                                                                     \
    "Optional[Variant[Hash[Pattern[/\\A[^=]+\\z/], String], Array[Pattern[/\\A[^=]+=/]]]]"

#define TYPE_CONFINE                                                                                         \
    "Optional[Struct[{Optional[read_only_paths] => Array[Pattern[/\\A\\//], 1], "                            \
    "Optional[read_write_paths] => Array[Pattern[/\\A\\//], 1], Optional[private_network] => Boolean, "      \
    "Optional[private_tmp] => Boolean, Optional[no_new_privileges] => Boolean}]]"

/* A list of texts alone is one command. */
#define TYPE_GUARD "Optional[Variant[String[1], " TYPE_ARGUMENTS ", Array[" TYPE_COMMAND ", 1]]]"

#define TYPE_OUTPUT "Optional[Variant[String, Binary]]"

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
    { .name = "removes",
      .type = TYPE_PATHS,
      .behaviour = RHOST_PARAMETER,
      .desc = "Nothing is to be done when none of these paths exists." },
    { .name = "stdin",
      .type = "Optional[Variant[String, Binary]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What the command reads from its standard input; default: nothing." },
    { .name = "only_if",
      .type = TYPE_GUARD,
      .behaviour = RHOST_PARAMETER,
      .desc = "Run only if this command succeeds, or all of a list of commands; they must change nothing." },
    { .name = "not_if",
      .type = TYPE_GUARD,
      .behaviour = RHOST_PARAMETER,
      .desc = "Run only if this command fails, or all of a list of commands; they must change nothing." },
    { .name = "unless", .type = TYPE_GUARD, .behaviour = RHOST_PARAMETER, .desc = "The same as not_if." },
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
      .type = TYPE_OUTPUT,
      .behaviour = RHOST_READ_ONLY,
      .desc = "What the command printed, with 'capture'." },
    { .name = "stderr",
      .type = TYPE_OUTPUT,
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

/* Whether something in the manifest puts a program there. */
static int
program_will_exist(rhost_ctx *ctx, const char *path)
{
    const char *end = strrchr(path, '/');

    return rhost_will_exist(ctx, "file", path) || rhost_will_exist(ctx, "link", path)
           || (end > path && !guards_exists(rhost_copy(ctx, path, (size_t)(end - path)))
               && rhost_directory_will_exist(ctx, rhost_copy(ctx, path, (size_t)(end - path))));
}

/* Along the PATH that the command gets; a name with a '/' as it is, where that does not depend on cwd. */
static int
program_exists(rhost_ctx *ctx, const rhost_value *should, const char *program)
{
    const char *path = RHOST_EXEC_PATH;
    const char **env = command_environment(ctx, should);

    if (strchr(program, '/'))
        return *program != '/' || guards_exists(program) || program_will_exist(ctx, program);
    for (; *env; env++)
        if (strncmp(*env, "PATH=", 5) == 0)
            path = *env + 5;
    for (int later = 0; later < 2; later++)
        for (const char *at = path; *at;) {
            size_t len = strcspn(at, ":");
            const char *one = rhost_fmt(ctx, "%.*s/%s", (int)len, at, program);

            if (len && (later ? program_will_exist(ctx, one) : guards_exists(one)))
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

    if (user && rhost_look_up_id(ctx, 0, user) != 0 && guards_exists(cwd)
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
    argv = command_arguments(ctx, rhost_get(should, attribute), attribute, &secret);
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
    return guards_check(ctx, resource);
}

static int32_t
exec_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    int32_t needed;

    (void)name;
    if (!should)
        return RHOST_ABSENT; /* without guards there is nothing to be seen */
    needed = guards_ask(ctx, should);
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
    const char *attribute = rhost_has(should, "command") ? "command" : "name";
    enum output_capture capture = output_capture(should);
    int secret = output_is_secret(should);
    uint64_t flags = RHOST_EXEC_STOPPABLE | (secret ? 0 : RHOST_EXEC_SHOW_OUTPUT)
                     | (capture == CAPTURE_NO ? RHOST_EXEC_MERGE : 0);
    struct rhost_output output;

    if (command_run(ctx, should, rhost_get(should, attribute), attribute, flags, 1, &output) < 0)
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
    int32_t needed = guards_ask(ctx, change->should);

    (void)action; /* there is but one */
    return needed == 1 ? exec_update(ctx, change) : needed;
}

static const char *const needs[] = {
    "user[$user]", "run[*]", "read[$creates]", "read[$removes]", "capability[dac_read_search]", NULL
};

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
