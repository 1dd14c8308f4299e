/* SPDX-License-Identifier: Apache-2.0 */
/* costs - one resource, a line of a table, by providers that go about it in different ways.
 *
 *   cost_load    load reads the table anew for each resource
 *   cost_kept    load keeps it, and asks each time whether it is still the same
 *   cost_get     get reads it once
 *   cost_create  create writes the table anew for each resource
 *   cost_set     set writes it once
 *   cost_eager   load runs a command for an attribute, whether anybody looks or not
 *   cost_lazy    the same, asking wants() before */

#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/lines.h>
#include <rhost/provider.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR, .desc = "Its name." },
    { .name = "table", .type = "String[1]", .behaviour = RHOST_NAMEVAR, .desc = "The table." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"", .desc = "Is it." },
    { .name = "status", .type = "Integer", .behaviour = RHOST_READ_ONLY, .desc = "Costs a command." },
};

static const char *const title_patterns[] = { "\\A(?<table>.+):(?<name>[^:]+)\\z", NULL };

static int
find(const struct rhost_lines *lines, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < lines->n; i++)
        if (rhost_line_is(lines, i, name, len))
            return 0;
    return RHOST_ABSENT;
}

static int32_t
load_anew(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct rhost_lines *lines = rhost_lines_read(ctx, rhost_str(name, "table"));
    int32_t rc = lines ? find(lines, rhost_str(name, "name")) : rhost_fail_errno(ctx, "cannot read");

    (void)should;
    (void)current;
    rhost_lines_free(lines);
    return rc;
}

static int32_t
load_kept(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const struct rhost_lines *lines = rhost_lines_of(ctx, rhost_str(name, "table"));

    (void)should;
    (void)current;
    return lines ? find(lines, rhost_str(name, "name")) : -1;
}

static int32_t
get_all(rhost_ctx *ctx, const rhost_value *names)
{
    const char *path = rhost_str_or(rhost_at(names, 0, NULL), "table", "/nowhere");
    struct rhost_lines *lines = rhost_lines_read(ctx, path);

    if (!lines)
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    for (size_t i = 0; i < lines->n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        rhost_put_str(one, "table", path);
        rhost_put_bytes(one, "name", lines->at[i].text, lines->at[i].len);
        rhost_put_str(one, "ensure", "present");
        if (ctx->host->emit(ctx, one) < 0)
            break;
    }
    rhost_lines_free(lines);
    return 0;
}

static int32_t
absent(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx;
    (void)name;
    (void)should;
    (void)current;
    return RHOST_ABSENT;
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *lines, const struct rhost_change *change)
{
    (void)ctx;
    rhost_lines_append(lines, rhost_str(change->name, "name"));
    return NULL;
}

static const char *
table_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    return rhost_str(change->name, "table");
}

static int32_t
set_all(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    const struct rhost_lines_how how = { .struct_size = sizeof how, .path = table_of, .edit = edit };

    return rhost_lines_set(ctx, changes, n, &how);
}

static int32_t
create_one(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "table");
    struct rhost_lines *lines = rhost_lines_read(ctx, path);
    struct rhost_new_file file = {
        .struct_size = sizeof file, .path = path, .mode = -1, .uid = -1, .gid = -1
    };
    char *text;

    if (!lines)
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    text = rhost_fmt(ctx, "%.*s%s\n", (int)lines->text_len, lines->text, rhost_str(change->name, "name"));
    rhost_lines_free(lines);
    file.content = text;
    file.content_len = strlen(text);
    file.flags = RHOST_FILE_DEFERRED_SYNC;
    return rhost_replace_file(ctx, &file);
}

static int32_t
ask(rhost_ctx *ctx, rhost_value *current)
{
    const struct rhost_command command = { .struct_size = sizeof command,
                                           .flags = RHOST_EXEC_READS,
                                           .argv = (const char *const[]){ "true", NULL } };
    struct rhost_output output;

    if (rhost_run(ctx, &command, &output) < 0)
        return -1;
    rhost_put_int(current, "status", output.status);
    return 0;
}

static int32_t
load_eager(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)name;
    (void)should;
    return ask(ctx, current);
}

static int32_t
load_lazy(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)name;
    (void)should;
    return rhost_wants(ctx, "status") ? ask(ctx, current) : 0;
}

static int32_t
nothing(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    (void)change;
    return 0;
}

#define COST(name, ...)                                                                                      \
    static const struct rhost_provider name = { RHOST_PROVIDER(#name, "A cost."), RHOST_ATTRS(attrs),        \
                                                .title_patterns = title_patterns, __VA_ARGS__ }

COST(cost_load, .load = load_anew, .create = nothing, .remove = nothing);
COST(cost_kept, .load = load_kept, .create = nothing, .remove = nothing);
COST(cost_get, .features = RHOST_SIMPLE_GET_FILTER, .get = get_all, .create = nothing, .remove = nothing);
COST(cost_create, .load = absent, .create = create_one, .remove = nothing);
COST(cost_set, .load = absent, .set = set_all);
COST(cost_eager, .load = load_eager, .create = nothing, .remove = nothing);
COST(cost_lazy, .load = load_lazy, .create = nothing, .remove = nothing);

RHOST_PLUGIN(costs, "1.0", &cost_load, &cost_kept, &cost_get, &cost_create, &cost_set, &cost_eager,
             &cost_lazy)
