/* SPDX-License-Identifier: Apache-2.0 */
/* augeas - keep parts of configuration files, by the trees that the lenses of augeas make of them.
 *
 * There is nothing to do when the changes would change nothing. The file is read and written by the host:
 * augeas gets a text and gives one. */

#include "made.h"
#include "tree.h"

#include <rhost/dry-run.h>
#include <rhost/lines.h>
#include <rhost/posix.h>

/* Augeas takes a second for a tenth of this, and four times as long for twice as much. */
enum { LARGEST = 512 * 1024 };

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "name",
      .type = "Pattern[/\\A\\S([^\\r\\n]*\\S)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What tells it from other resources of the same file." },
    { .name = "lens",
      .type = "Pattern[/\\A[A-Z][A-Za-z0-9_]*(\\.[a-z][A-Za-z0-9_]*)?\\z/]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The lens that the file is read with: Sshd, or Sshd.lns." },
    { .name = "changes",
      .type = "Array[Variant[String[1], Array[String, 2]]]",
      .desc =
          "What is done with the tree, as augtool has it: set PATH VALUE, rm PATH, ins LABEL before PATH; or "
          "each a list of its words." },
    { .name = "context",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What paths without a / in front are below; otherwise the file itself." },
    { .name = "conditions",
      .type = "Optional[Array[Variant[String[1], Array[String, 2]]]]",
      .behaviour = RHOST_PARAMETER,
      .desc =
          "What must be true of the tree, or nothing is changed: match PATH size == 0, get PATH == VALUE, "
          "values PATH include VALUE." },
    RHOST_VALIDATE_ATTR,
};

/* "/etc/ssh/sshd_config: no root" states both; any other title is the name. */
static const char *const title_patterns[] = {
    "\\A(?<path>\\/[^\\s:]*): (?<name>\\S.*)\\z",
    "\\A(?<name>.+)\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "edits content[$path]",
    NULL,
};

static int32_t
augeas_open(rhost_ctx *ctx)
{
    *ctx->host->state(ctx) = NULL; /* what tree_change() keeps */
    return 0;
}

static int32_t
augeas_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (rhost_check_validate(ctx, resource) < 0 || tree_check(ctx, resource) < 0)
        return -1;
    rhost_tidy_path(ctx, resource, "path");
    return 0;
}

static int32_t
augeas_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    int failed = 0;

    if (!rhost_has(resource, "lens"))
        failed = rhost_fail_attr(ctx, "lens", "'lens' is required: which one the file is read with");
    if (!rhost_has(resource, "changes"))
        failed = rhost_fail_attr(ctx, "changes", "'changes' is required: what is done with the tree");
    return failed;
}

/* What the lines are and would be, both in memory of the call, the same where nothing is changed; -1 with the
 * attribute at fault and the reason. What would be changed again by the next run is refused. */
static int
make(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *wanted, const char **before,
     const char **after, const char **attribute, const char **why)
{
    const char *path = rhost_str_or(wanted, "path", ""), *twice = NULL;
    size_t len;
    char *text = rhost_lines_text(l, &len);

    *attribute = "path";
    *why = "out of memory";
    *before = *after = text ? rhost_copy(ctx, text, len) : "";
    free(text);
    if (!text)
        return -1;
    if (len > LARGEST)
        *why = rhost_fmt(ctx, "'%s' is larger than %d KiB, for which augeas would take minutes", path,
                         LARGEST / 1024);
    else if (strlen(*before) != len)
        *why = rhost_fmt(ctx, "'%s' has a NUL, which no lens reads", path);
    else
        *why = NULL;
    if (*why)
        return -1;
    if (made_find(ctx, wanted, *before, after))
        return 0;
    if (tree_change(ctx, wanted, *before, after, attribute, why) < 0)
        return -1;
    if (*after != *before && tree_change(ctx, wanted, *after, &twice, attribute, why) < 0) {
        if (strcmp(*attribute, "path") == 0) {
            *attribute = "changes";
            *why = rhost_fmt(ctx, "the lens cannot read what the changes make: %s", *why);
        }
        return -1;
    }
    if (*after == *before || twice == *after) {
        made_keep(ctx, wanted, *before, *after);
        if (*after != *before)
            made_keep(ctx, wanted, *after, *after);
        return 0;
    }
    *attribute = "changes";
    *why = "the changes would change the file in every run: state in 'conditions' when they are needed";
    return -1;
}

static int32_t
augeas_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *before, *after, *attribute, *why;
    const struct rhost_lines *l = rhost_lines_of(ctx, path);

    if (!l)
        return -1;
    if (!should || !rhost_has(should, "lens")) {
        rhost_value *changes = current->host->put_array(current, "changes"); /* none is in sync in any case */

        (void)changes;
        return 0;
    }
    if (!l->exists && rhost_absent_at(ctx, should, path) < 0)
        return -1;
    if (make(ctx, l, should, &before, &after, &attribute, &why) < 0)
        return rhost_fail_attr(ctx, attribute, "%s", why);
    if (before == after)
        rhost_put_copy(current, "changes", rhost_get(should, "changes"));
    return 0;
}

/* The first line that differs, in both texts, and how many lines there are that do. */
static const char *
describe(rhost_ctx *ctx, const char *before, const char *after)
{
    const char *a = before, *b = after;
    size_t line = 1, n_a, n_b;

    for (size_t i = 0; before[i] && before[i] == after[i]; i++)
        if (before[i] == '\n') {
            a = before + i + 1;
            b = after + i + 1;
            line++;
        }
    n_a = strcspn(a, "\r\n");
    n_b = strcspn(b, "\r\n");
    if (n_a > 200 || n_b > 200 || !rhost_is_utf8(a, n_a) || !rhost_is_utf8(b, n_b))
        return rhost_fmt(ctx, "line %zu is another one", line);
    if (!*a)
        return rhost_fmt(ctx, "line %zu is new: '%.*s'", line, (int)n_b, b);
    if (!*b)
        return rhost_fmt(ctx, "line %zu is removed: '%.*s'", line, (int)n_a, a);
    return rhost_fmt(ctx, "line %zu is '%.*s', and becomes '%.*s'", line, (int)n_a, a, (int)n_b, b);
}

static int32_t
augeas_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *before, *after, *fault, *why;
    const struct rhost_lines *l;

    if (strcmp(attribute, "changes") != 0 || !change->is || rhost_has(change->is, "changes"))
        return RHOST_DEFAULT_COMPARISON;
    l = rhost_lines_of(ctx, rhost_str(change->name, "path"));
    if (!l)
        return -1;
    if (make(ctx, l, change->should, &before, &after, &fault, &why) < 0)
        return rhost_fail_attr(ctx, fault, "%s", why);
    if (before == after)
        return 0;
    if (tree_has_secret(change->should))
        return rhost_differs(ctx, "they are not made");
    return rhost_differs(ctx, "%s", describe(ctx, before, after));
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *before, *after, *attribute, *why;

    if (make(ctx, l, change->should, &before, &after, &attribute, &why) < 0)
        return rhost_fmt(ctx, "%s: %s", attribute, why);
    if (before != after)
        rhost_lines_set_text(l, after, strlen(after));
    return NULL;
}

/* One by one: what one makes of the file, the next may look at. */
static int32_t
augeas_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct rhost_new_file file = { .struct_size = sizeof file,
                                   .path = rhost_str(change->name, "path"),
                                   .mode = -1,
                                   .uid = -1,
                                   .gid = -1,
                                   .flags = RHOST_FILE_FOLLOW | RHOST_FILE_ONLY_CHANGE };
    const struct rhost_lines_keeper keeper = {
        .struct_size = sizeof keeper,
        .data = &file,
        .read = rhost_lines_of_file,
        .edit = edit,
        .write = rhost_lines_save_file,
    };
    const char *why = NULL;
    const char all = 1;

    file.validate = rhost_wanted_validate(ctx, change->should);
    if (tree_has_secret(change->should))
        file.flags |= RHOST_FILE_SECRET;
    if (rhost_lines_edit_kept(ctx, &change, 1, 0, &keeper, &all, &why) < 0)
        return -1;
    return why ? rhost_fail(ctx, "%s", why) : 0;
}

static const char *const needs[] = { "write[$path]",
                                     "read[/usr/share/augeas]",
                                     "read[/proc/filesystems]",
                                     "run[*] if $validate",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider augeas_provider = {
    RHOST_PROVIDER("augeas", "Keep parts of configuration files, by the lenses of augeas."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .open = augeas_open,
    .close = tree_close,
    .canonicalize = augeas_canonicalize,
    .validate = augeas_validate,
    .insync = augeas_insync,
    .load = augeas_load,
    .update = augeas_update,
    .needs = needs,
};

RHOST_PLUGIN(augeas, "1.0", &augeas_provider)
