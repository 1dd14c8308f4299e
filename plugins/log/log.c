/* SPDX-License-Identifier: Apache-2.0 */
/* log - say something at its place in the run.
 *
 * It has no property, so it is never out of sync and counts as unchanged; it converges by saying
 * what it has to say, each time. */

#include <rhost/provider.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "String[1]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What it is about; default: the message itself." },
    { .name = "message",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What to say." },
    { .name = "level",
      .type = "Enum[debug, info, notice, warning, err]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"notice\"",
      .desc = "How loud." },
};

static const struct rhost_action actions[] = {
    { "write", "Say it again.", NULL },
};

static int32_t
log_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx;
    (void)name;
    (void)should;
    (void)current;
    return 0; /* there is nothing to be read, and nothing to be compared */
}

static int32_t
log_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    static const char *const levels[] = { "debug", "info", "notice", "warning", "err" };
    const char *name = rhost_str_or(change->name, "name", "");
    const char *wanted = rhost_str_or(change->should, "level", "notice");
    const rhost_value *message = rhost_get(change->should, "message");
    int32_t level = RHOST_NOTICE;

    for (int32_t i = RHOST_DEBUG; i <= RHOST_ERR; i++)
        if (strcmp(levels[i], wanted) == 0)
            level = i;
    ctx->host->log(ctx, level, &change->title, 1,
                   message && message->host->sensitive(message)
                       ? "[redacted]"
                       : rhost_str_or(change->should, "message", name));
    return 0;
}

static int32_t
log_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    (void)action; /* there is but one */
    return log_converge(ctx, change);
}

static const char *const needs[] = { NULL };

static const struct rhost_provider log_provider = {
    RHOST_PROVIDER("log", "Log a message at its place in the run."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .features = RHOST_SUPPORTS_NOOP, /* it changes nothing, and noop should show it */
    .refresh_action = "write",
    .load = log_load,
    .converge = log_converge,
    .act = log_act,
    .needs = needs,
};

RHOST_PLUGIN(log, "1.0", &log_provider)
