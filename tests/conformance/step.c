/* SPDX-License-Identifier: Apache-2.0 */
/* step - two types, t and u, whose actions do nothing: whether one counts as a change, or fails, is
 * what the manifest says. RHOST_PROBE_LOG names a file that gets a line of JSON for each try. */
#include <rhost/provider.h>

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String", .desc = "Its name.", .behaviour = RHOST_NAMEVAR },
    { .name = "state", .type = "Optional[String]", .desc = "The action, which is laid over." },
    { .name = "changes",
      .type = "Array[String]",
      .desc = "Actions that change something.",
      .behaviour = RHOST_PARAMETER,
      .default_value = "[]" },
    { .name = "fails",
      .type = "Array[String]",
      .desc = "Actions that fail.",
      .behaviour = RHOST_PARAMETER,
      .default_value = "[]" },
    { .name = "val", .type = "Any", .desc = "Anything.", .behaviour = RHOST_PARAMETER },
};

static const struct rhost_action actions[] = {
    { "run", "Run.", "{\"state\": \"run\"}" },
    { "start", "Start.", "{\"state\": \"start\"}" },
    { "stop", "Stop.", "{\"state\": \"stop\"}" },
    { "restart", "Restart.", "{\"state\": \"restart\"}" },
    { "reload", "Reload.", "{\"state\": \"reload\"}" },
    { "a", "One.", "{\"state\": \"a\"}" },
    { "b", "Two.", "{\"state\": \"b\"}" },
    { "c", "Three.", "{\"state\": \"c\"}" },
};

static int
has(const rhost_value *list, const char *action)
{
    for (size_t i = 0; i < rhost_count(list); i++)
        if (strcmp(rhost_str_at(list, i), action) == 0)
            return 1;
    return 0;
}

static int32_t
step_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *action = rhost_str_or(should, "state", "");

    (void)ctx;
    (void)name;
    rhost_put_str(current, "state",
                  has(rhost_get(should, "changes"), action) || has(rhost_get(should, "fails"), action)
                      ? "before"
                      : action);
    return 0;
}

static int32_t
step_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = getenv("RHOST_PROBE_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    const char *action = rhost_str(change->should, "state");

    if (f) {
        fprintf(f, "{\"title\": \"%s\", \"action\": \"%s\"}\n", change->title, action);
        fclose(f);
    }
    if (has(rhost_get(change->should, "fails"), action))
        return rhost_fail(ctx, "boom");
    return 0;
}

static const struct rhost_provider t = {
    RHOST_PROVIDER("t", "Does what the manifest says."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .default_action = "run",
    .refresh_action = "run",
    .load = step_load,
    .update = step_update,
};

static const struct rhost_provider u = {
    RHOST_PROVIDER("u", "Does what the manifest says."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .default_action = "run",
    .refresh_action = "run",
    .load = step_load,
    .update = step_update,
};

RHOST_PLUGIN(step, "1.0", &t, &u)
