/* SPDX-License-Identifier: Apache-2.0 */
/* line - keep single lines of text files.
 *
 * What is to be done is planned anew from the lines as they are, by whoever asks: load to say whether
 * there is anything to do, insync to say what, and set to do it. A file costs one reading and one
 * writing for a whole batch. */

#include "conflict.h"
#include "insertion.h"
#include "owners.h"
#include "plan.h"

#include <rhost/dry-run.h>
#include <rhost/lines.h>
#include <rhost/posix.h>

#define ONE_LINE "Optional[Pattern[/\\A[^\\r\\n]*\\z/]]"
#define PATTERN "Optional[Pattern[/\\A[^\\r\\n]+\\z/]]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "text",
      .type = ONE_LINE,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The whole line, without what ends it." },
    { .name = "match",
      .type = PATTERN,
      .behaviour = RHOST_NAMEVAR,
      .desc = "A regular expression: the line that it matches becomes this one, or goes." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the line should be there." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_MODE "]",
      .desc = "Permissions of the file in octal; a new file has 0644, or 0600 for a secret." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user that the file belongs to." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group that the file belongs to." },
    { .name = "multiple",
      .type = "Enum[fail, first, last, all]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"fail\"",
      .desc = "Which line is meant where several match." },
    { .name = "below",
      .type = PATTERN,
      .behaviour = RHOST_PARAMETER,
      .desc = "A new line comes below the last line that this matches." },
    { .name = "above",
      .type = PATTERN,
      .behaviour = RHOST_PARAMETER,
      .desc = "A new line comes above the first line that this matches." },
    { .name = "literal",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether match, above and below are whole lines instead of regular expressions." },
    { .name = "backrefs",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether %1 and %{name} in text are the groups of match: %0 is the match, %% a percent sign. "
              "Nothing is added then." },
    { .name = "replace",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a line that matches becomes this one; false: it is good enough." },
    { .name = "append",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether the line is added when nothing matches; false: it only replaces." },
    { .name = "create",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a file that is missing is made." },
    RHOST_VALIDATE_ATTR,
};

/* "/etc/shells: /bin/fish" says both; any other title is only a title. */
static const char *const title_patterns[] = {
    "\\A(?:(?<path>\\/[^\\s:]*): (?<text>[^\\r\\n]+)\\z)?",
    NULL,
};

static const char *const relations[] = {
    "autorequire file[$path]",  "autorequire directory[$path/..]",
    "autorequire user[$owner]", "autorequire group[$group]",
    "edits content[$path]",     NULL,
};

struct state {
    struct rhost_clashes clashes;
};

static int32_t
line_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(struct state));
    return *state ? 0 : rhost_fail(ctx, "out of memory");
}

static void
line_close(rhost_ctx *ctx)
{
    struct state *state = *ctx->host->state(ctx);

    if (state)
        rhost_clashes_clear(&state->clashes);
    free(state);
}

static int32_t
line_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *ensure = rhost_str(resource, "ensure");

    if (rhost_check_validate(ctx, resource) < 0)
        return -1;
    if (rhost_has(resource, "below") && rhost_has(resource, "above"))
        return rhost_fail_attr(ctx, "above", "a new line has one place: either above or below");
    /* What was read says of each part of the name that it is not there. */
    if (ensure && strcmp(ensure, "present") == 0 && !rhost_get(resource, "text"))
        return rhost_fail_attr(ctx, "text", "it has to say which line there should be");
    if (ensure && !rhost_get(resource, "text") && !rhost_get(resource, "match"))
        return rhost_fail_attr(ctx, "text", "it has to say what should go: a line, or what matches");
    if (insertion_check(ctx, resource, "match") < 0 || insertion_check(ctx, resource, "below") < 0
        || insertion_check(ctx, resource, "above") < 0 || plan_check_backrefs(ctx, resource) < 0)
        return -1;
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    return 0;
}

/* Two that undo each other would change the file in every run; neither does anything. */
static int
check_conflicts(rhost_ctx *ctx, const rhost_value *name)
{
    struct state *state = *ctx->host->state(ctx);
    const char *other = conflict_of(ctx, &state->clashes, name);

    return other ? rhost_fail(ctx, "%s: nothing is done, they would undo each other", other) : 0;
}

/* Where there is no file, and none is to be made, nothing of it differs. */
static void
report_owners(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *should, rhost_value *current)
{
    static const char *const keys[] = { "mode", "owner", "group" };

    if (l->exists)
        rhost_put_stat(ctx, current, &l->stat);
    for (size_t i = 0; !l->exists && i < sizeof keys / sizeof *keys; i++)
        if (rhost_has(should, keys[i]))
            rhost_put_str(current, keys[i], rhost_str(should, keys[i]));
}

static int32_t
line_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const rhost_value *wanted = should ? should : name;
    int gone = rhost_wants_absence(wanted);
    const char *attribute, *why;
    const struct rhost_lines *l;
    struct plan plan;

    if (!rhost_has(current, "text")) /* a part of the name that is not there is one as well */
        ctx->host->put_undef(current, "text");
    if (!rhost_has(current, "match"))
        ctx->host->put_undef(current, "match");
    if (should && check_conflicts(ctx, name) < 0)
        return -1;
    l = rhost_lines_of(ctx, rhost_str(name, "path"));
    if (!l)
        return -1;
    if (plan_make(ctx, l, wanted, gone, &plan, &attribute, &why) < 0)
        return rhost_fail_attr(ctx, attribute, "%s", why);
    if (gone)
        return plan.what == PLAN_DROP ? 0 : RHOST_ABSENT;
    report_owners(ctx, l, should, current);
    if (rhost_foresee_owners(ctx, should, plan.what == PLAN_ADD ? NULL : current) < 0)
        return -1;
    if (plan.what == PLAN_ADD && !l->exists)
        return rhost_absent_at(ctx, should, rhost_str(name, "path"));
    return plan.what == PLAN_ADD ? RHOST_ABSENT : should || plan.what == PLAN_FINE ? 0 : RHOST_ABSENT;
}

/* How much of a line a message quotes. */
static int
shown(size_t len)
{
    return (int)(len < 200 ? len : 200);
}

/* What stands there instead, in words. */
static int32_t
line_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *line = rhost_get(change->should, "text");
    const char *what, *why;
    const struct rhost_lines *l;
    const struct rhost_line *first;
    struct plan_text becomes;
    struct plan plan;

    if (strcmp(attribute, "ensure") != 0 || !change->is || rhost_gone(change))
        return RHOST_DEFAULT_COMPARISON;
    l = rhost_lines_of(ctx, rhost_str(change->name, "path"));
    if (!l)
        return -1;
    if (plan_make(ctx, l, change->should, 0, &plan, &what, &why) < 0)
        return rhost_fail_attr(ctx, what, "%s", why);
    if (plan.what != PLAN_CHANGE)
        return 0;
    first = &l->at[plan.which[0]];
    becomes = plan.becomes[0];
    if (line && line->host->sensitive(line))
        return rhost_differs(ctx, "line %zu is another one", plan.which[0] + 1);
    if (plan.n > 1 && rhost_bool(change->should, "backrefs", 0))
        return rhost_differs(ctx, "%zu lines change; the first, %zu, is '%.*s', and becomes '%.*s'", plan.n,
                             plan.which[0] + 1, shown(first->len), first->text, shown(becomes.len),
                             becomes.text);
    if (plan.n > 1)
        return rhost_differs(ctx, "%zu lines become '%.*s'; the first, %zu, is '%.*s'", plan.n,
                             shown(becomes.len), becomes.text, plan.which[0] + 1, shown(first->len),
                             first->text);
    return rhost_differs(ctx, "line %zu is '%.*s', and becomes '%.*s'", plan.which[0] + 1, shown(first->len),
                         first->text, shown(becomes.len), becomes.text);
}

static void
like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file)
{
    owners_like(ctx, change, "text", file);
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const rhost_value *wanted = change->should ? change->should : change->name;
    int gone = rhost_gone(change);
    const char *attribute, *why = gone ? NULL : owners_unknown(ctx, wanted), *line;
    struct plan plan;
    size_t len = 0;

    if (!l->exists && !gone && !rhost_bool(wanted, "create", 0))
        return "the file does not exist; 'create: true' would make it";
    if (why || plan_make(ctx, l, wanted, gone, &plan, &attribute, &why) < 0)
        return why;
    line = rhost_bytes(wanted, "text", &len);
    plan_carry_out(l, &plan, line ? line : "", len);
    if (rhost_has(wanted, "mode") || rhost_has(wanted, "owner") || rhost_has(wanted, "group"))
        l->edited = 1; /* which may be all that changes */
    return NULL;
}

static int32_t
line_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how,
        .edit = edit,
        .like = like,
    };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "write[$path]", "run[$validate]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider line_provider = {
    RHOST_PROVIDER("line", "Keep single lines of text files."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .open = line_open,
    .close = line_close,
    .canonicalize = line_canonicalize,
    .insync = line_insync,
    .load = line_load,
    .set = line_set,
    .needs = needs,
};

RHOST_PLUGIN(line, "1.0", &line_provider)
