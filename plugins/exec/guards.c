/* SPDX-License-Identifier: Apache-2.0 */
/* guards - whether the command of a resource is to be run. */

#include "guards.h"

#include "command.h"
#include "words.h"

#include <rhost/dry-run.h>

#include <sys/stat.h>

/* A guard is one command, or a list of commands, one of which is an argument list: a list of texts alone is
 * an argument list itself. */
static int
is_list_of_commands(const rhost_value *guard)
{
    for (size_t i = 0; i < rhost_count(guard); i++) {
        const rhost_value *one = rhost_at(guard, i, NULL);

        if (one->host->kind(one) == RHOST_ARRAY)
            return 1;
    }
    return 0;
}

/* Whether all commands of the guard succeed, or with `success` 0 fail: 1, or there are none; 0: one does not;
 * -1 after fail(). The first one that does not is the last one that is run. */
static int32_t
ask(rhost_ctx *ctx, const rhost_value *should, const char *attribute, int success)
{
    const rhost_value *guard = rhost_get(should, attribute);
    int several = is_list_of_commands(guard);
    size_t n = several ? rhost_count(guard) : 1;

    if (!rhost_has(should, attribute))
        return 1;
    for (size_t i = 0; i < n; i++) {
        struct rhost_output output;

        if (command_run(ctx, should, several ? rhost_at(guard, i, NULL) : guard, attribute,
                        RHOST_EXEC_READS | RHOST_EXEC_MERGE, 0, &output)
            < 0)
            return -1;
        if (output.signal)
            return rhost_fail_attr(ctx, attribute, "the guard was killed by signal %d", (int)output.signal);
        if ((output.status == 0) != success)
            return 0;
    }
    return 1;
}

int
guards_exists(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0;
}

/* How many of the paths of the attribute exist, which is one or a list of them; how many there are is in
 * `all`. */
static size_t
there(const rhost_value *should, const char *attribute, size_t *all)
{
    const rhost_value *paths = rhost_get(should, attribute);
    size_t n = 0;

    *all = rhost_has(should, attribute) ? rhost_count(paths) : 0;
    for (size_t i = 0; i < *all; i++)
        n += (size_t)guards_exists(rhost_str_at(paths, i));
    if (rhost_str(should, attribute)) {
        *all = 1;
        n = (size_t)guards_exists(rhost_str(should, attribute));
    }
    return n;
}

/* Whether `attribute` names an account that does not exist. */
static int
is_missing(rhost_ctx *ctx, const rhost_value *should, const char *attribute, int groups)
{
    const char *name = rhost_str(should, attribute);

    return name && rhost_look_up_id(ctx, groups, name) < 0 && errno == 0;
}

int32_t
guards_ask(rhost_ctx *ctx, const rhost_value *should)
{
    int32_t result;
    size_t all, n = there(should, "creates", &all);

    if (all && n == all)
        return 0;
    n = there(should, "removes", &all);
    if (all && n == 0)
        return 0;
    /* Under noop what a guard needs may be missing because what makes it was not run either. */
    if (rhost_noop(ctx)
        && (!guards_exists(rhost_str_or(should, "cwd", "/")) || is_missing(ctx, should, "user", 0)
            || is_missing(ctx, should, "group", 1)))
        return 1;
    result = ask(ctx, should, "only_if", 1);
    if (result == 1)
        result = ask(ctx, should, "not_if", 0);
    if (result == 1)
        result = ask(ctx, should, "unless", 0);
    return result;
}

/* One command that is a text or a list. */
static int32_t
check(rhost_ctx *ctx, const rhost_value *what, const char *attribute)
{
    const char *text = what ? what->host->string(what, NULL) : NULL;
    size_t n;

    if (text)
        return words_split(ctx, attribute, text, &n) ? 0 : -1;
    return words_check_list(ctx, attribute, what);
}

int32_t
guards_check(rhost_ctx *ctx, const rhost_value *resource)
{
    static const char *const commands[] = { "command", "only_if", "not_if", "unless" };

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const rhost_value *what = rhost_get(resource, commands[i]);
        int several = is_list_of_commands(what);
        size_t n = several ? rhost_count(what) : 1;

        for (size_t k = 0; k < n; k++)
            if (check(ctx, several ? rhost_at(what, k, NULL) : what, commands[i]) < 0)
                return -1;
    }
    return 0;
}
