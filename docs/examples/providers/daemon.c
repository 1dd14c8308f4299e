/* SPDX-License-Identifier: Apache-2.0 */
/* daemon - a service with commands of its own, and actions that run them. */
#include <rhost/exec.h>
#include <rhost/provider.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .desc = "Its name.", .behaviour = RHOST_NAMEVAR },
    { .name = "start_command", .type = "Array[String, 1]", .desc = "What starts it.",
      .behaviour = RHOST_PARAMETER },
    { .name = "stop_command", .type = "Array[String, 1]", .desc = "What stops it.",
      .behaviour = RHOST_PARAMETER },
};

static const struct rhost_action actions[] = {
    { .name = "start", .desc = "Start it." },
    { .name = "stop", .desc = "Stop it." },
};

enum { WORDS = 32 };

static int32_t
daemon_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx;
    (void)name;
    (void)should;
    (void)current;
    return 0; /* it is there; whether it runs is asked by nobody here */
}

static int32_t
daemon_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    (void)change;
    return 0; /* no property can differ */
}

static int32_t
daemon_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    const rhost_value *words = rhost_get(
        change->should, strcmp(action, "start") == 0 ? "start_command" : "stop_command");
    const char *argv[WORDS + 1] = { NULL };
    struct rhost_command command = { .struct_size = sizeof command, .argv = argv };
    struct rhost_output output;

    if (rhost_count(words) > WORDS)
        return rhost_fail(ctx, "the command has more than %d words", WORDS);
    for (size_t i = 0; i < rhost_count(words); i++)
        argv[i] = rhost_str_at(words, i);
    if (!argv[0])
        return rhost_fail(ctx, "there is no command to %s it with", action);
    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(ctx, "'%s' ended with status %d: %s", argv[0], output.status, output.err);
    return 0;
}

static const struct rhost_provider daemon_provider = {
    RHOST_PROVIDER("daemon", "A service with commands of its own."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .load = daemon_load,
    .update = daemon_update,
    .act = daemon_act,
};

RHOST_PLUGIN(daemon, "1.0", &daemon_provider)
