/* SPDX-License-Identifier: Apache-2.0 */
/* form - two types whose canonicalize() writes into the log FAULT_FORM each time that it sees what a manifest
 * wants: form_pure promises RHOST_PURE_CANONICALIZE, form_usual does not. With `ask` it asks an extension. */
#include <rhost/posix.h>
#include <rhost/provider.h>

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1, 50]", .behaviour = RHOST_NAMEVAR, .desc = "What it is called." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"", .desc = "Whether." },
    { .name = "ask",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether to." },
};

static int32_t
canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *path = getenv("FAULT_FORM");
    FILE *log = path && rhost_has(resource, "ask") ? fopen(path, "ae") : NULL;

    if (rhost_bool(resource, "ask", 0) && rhost_look_up_id(ctx, 0, "root") != 0)
        return rhost_fail(ctx, "root is not 0");
    if (log) {
        (void)fprintf(log, "%s\n", rhost_str_or(resource, "name", "?"));
        (void)fclose(log);
    }
    return 0;
}

static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *wanted, rhost_value *current)
{
    (void)ctx, (void)name, (void)wanted, (void)current;
    return RHOST_ABSENT;
}

static int32_t
create(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx, (void)change;
    return 0;
}

static const struct rhost_provider pure = {
    RHOST_PROVIDER("form_pure", "A type whose canonical form depends on the resource."),
    RHOST_ATTRS(attrs),
    .features = RHOST_PURE_CANONICALIZE,
    .canonicalize = canonicalize,
    .load = load,
    .create = create,
    .update = create,
    .remove = create,
};

static const struct rhost_provider usual = {
    RHOST_PROVIDER("form_usual", "A type that promises nothing."),
    RHOST_ATTRS(attrs),
    .canonicalize = canonicalize,
    .load = load,
    .create = create,
    .update = create,
    .remove = create,
};

RHOST_PLUGIN(form, "1.0", &pure, &usual)
