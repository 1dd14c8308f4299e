/* SPDX-License-Identifier: Apache-2.0 */
/* substitution - keep what a regular expression matches in a text file replaced by another text.
 *
 * There is nothing to do when replacing changes nothing. So a replacement that would change its own result
 * again is refused: it would change the file in every run. */

#include "substitute.h"

#include <rhost/dry-run.h>
#include <rhost/lines.h>
#include <rhost/posix.h>

#define PATTERN "String[1]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file, which must exist." },
    { .name = "match",
      .type = PATTERN,
      .behaviour = RHOST_NAMEVAR,
      .desc = "A regular expression. ^ and $ match at each line." },
    { .name = "replacement",
      .type = "Optional[String]",
      .desc = "What replaces each match: %0 is the match, %1 its first group, %{name} a named one, %% a "
              "percent sign." },
    { .name = "from",
      .type = "Optional[" PATTERN "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Only what follows the first match of this regular expression is searched." },
    { .name = "to",
      .type = "Optional[" PATTERN "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Only what precedes the first match of this regular expression, after 'from', is searched." },
    { .name = "matches",
      .type = "Integer[0]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "How many places match." },
    RHOST_VALIDATE_ATTR,
};

/* "/etc/app.conf: ^debug" states both; any other title is only a title. */
static const char *const title_patterns[] = {
    "\\A(?:(?<path>\\/[^\\s:]*): (?<match>[^\\r\\n]+)\\z)?",
    NULL,
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "edits content[$path]",
    NULL,
};

static int32_t
substitution_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    size_t len = 0;
    const char *text = rhost_bytes(resource, "replacement", &len);

    if (rhost_check_validate(ctx, resource) < 0 || substitute_check(ctx, resource) < 0)
        return -1;
    if (text && memchr(text, '\0', len))
        return rhost_fail_attr(ctx, "replacement", "text cannot contain a NUL byte");
    rhost_tidy_path(ctx, resource, "path");
    return 0;
}

static int32_t
substitution_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    if (!rhost_get(resource, "replacement"))
        return rhost_fail_attr(ctx, "replacement", "state what replaces the matches; '' removes them");
    return 0;
}

static int
is_secret(const rhost_value *wanted)
{
    static const char *const keys[] = { "replacement", "match", "from", "to" };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const rhost_value *v = rhost_get(wanted, keys[i]);

        if (v && v->host->sensitive(v))
            return 1;
    }
    return 0;
}

/* The text from `at` to the end of its line, at most 200 bytes. */
static int
line_len(const char *text, size_t len, size_t at)
{
    size_t n = 0;

    while (at + n < len && n < 200 && text[at + n] != '\n' && text[at + n] != '\r')
        n++;
    return (int)n;
}

/* Why replacing once more would change the result again; NULL: it would not. */
static const char *
why_again(rhost_ctx *ctx, const rhost_value *wanted, const struct substituted *once, const char **attribute)
{
    struct substituted twice;
    const char *why = NULL;
    size_t at, line;

    if (substitute_make(ctx, wanted, once->text, once->len, &twice, attribute, &why) < 0)
        return why;
    if (twice.len != once->len || memcmp(twice.text, once->text, once->len) != 0) {
        *attribute = "replacement";
        line = substitute_first(once->text, once->len, twice.text, twice.len, &at);
        why = is_secret(wanted)
                  ? rhost_fmt(ctx, "its result in line %zu matches again and would change in every run", line)
                  : rhost_fmt(ctx,
                              "its result matches again and would change in every run: line %zu would become "
                              "'%.*s', and then '%.*s'",
                              line, line_len(once->text, once->len, at), once->text + at,
                              line_len(twice.text, twice.len, at), twice.text + at);
    }
    free(twice.text);
    return why;
}

/* What the lines would be. `result` is for free() of its text. */
static int
make(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *wanted, char **before, size_t *len,
     struct substituted *result, const char **attribute, const char **why)
{
    int changed;

    *before = rhost_lines_text(l, len);
    *attribute = "path";
    *why = "out of memory";
    if (!*before || substitute_make(ctx, wanted, *before, *len, result, attribute, why) < 0) {
        free(*before);
        return -1;
    }
    changed = result->len != *len || memcmp(result->text, *before, *len) != 0;
    *why = changed ? why_again(ctx, wanted, result, attribute) : NULL;
    if (!*why)
        return changed;
    free(*before);
    free(result->text);
    return -1;
}

static int32_t
substitution_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *attribute, *why;
    const struct rhost_lines *l = rhost_lines_of(ctx, path);
    struct substituted result;
    char *before;
    size_t len;
    int changed;

    if (!l)
        return -1;
    if (!l->exists)
        return ctx->host->fail(ctx, ENOENT, "path", rhost_fmt(ctx, "cannot read '%s'", path));
    changed = make(ctx, l, should ? should : name, &before, &len, &result, &attribute, &why);
    if (changed < 0)
        return rhost_fail_attr(ctx, attribute, "%s", why);
    rhost_put_int(current, "matches", (int64_t)result.matches);
    if (!should)
        rhost_put_str(current, "replacement", "%0"); /* each match is what it is */
    else if (!changed)
        rhost_put_copy(current, "replacement", rhost_get(should, "replacement"));
    free(before);
    free(result.text);
    return 0;
}

/* What would be replaced, in words. */
static int32_t
substitution_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *fault, *why, *path = rhost_str(change->name, "path");
    const struct rhost_lines *l;
    struct substituted result;
    size_t len, at, line;
    int changed, differs;
    char *before;

    if (strcmp(attribute, "replacement") != 0 || !change->is || rhost_has(change->is, "replacement"))
        return RHOST_DEFAULT_COMPARISON;
    l = rhost_lines_of(ctx, path);
    if (!l)
        return -1;
    changed = make(ctx, l, change->should, &before, &len, &result, &fault, &why);
    if (changed < 0)
        return rhost_fail_attr(ctx, fault, "%s", why);
    line = substitute_first(before, len, result.text, result.len, &at);
    if (!changed)
        differs = 0;
    else if (is_secret(change->should) || !rhost_is_utf8(before + at, (size_t)line_len(before, len, at)))
        differs = rhost_differs(ctx, "%zu %s, the first change is in line %zu", result.matches,
                                result.matches == 1 ? "match" : "matches", line);
    else
        differs = rhost_differs(ctx, "%zu %s; line %zu is '%.*s', and becomes '%.*s'", result.matches,
                                result.matches == 1 ? "match" : "matches", line, line_len(before, len, at),
                                before + at, line_len(result.text, result.len, at), result.text + at);
    free(before);
    free(result.text);
    return differs;
}

static void
like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file)
{
    file->validate = rhost_wanted_validate(ctx, change->should);
    file->flags |= RHOST_FILE_ONLY_CHANGE;
    if (is_secret(change->should))
        file->flags |= RHOST_FILE_SECRET;
}

/* The lines are those of this text from now on. */
static void
take_text(struct rhost_lines *l, const char *text, size_t len)
{
    struct rhost_lines *fresh = rhost_lines_from(text, len), old = *l;

    l->edited = 1;
    if (!fresh) {
        l->failed = 1;
        return;
    }
    l->text = fresh->text;
    l->text_len = fresh->text_len;
    l->at = fresh->at;
    l->n = fresh->n;
    l->room = fresh->room;
    fresh->text = old.text;
    fresh->at = old.at;
    fresh->n = old.n;
    rhost_lines_free(fresh);
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *attribute, *why;
    struct substituted result;
    char *before;
    size_t len;
    int changed;

    if (!l->exists)
        return "the file does not exist";
    changed = make(ctx, l, change->should, &before, &len, &result, &attribute, &why);
    if (changed < 0)
        return why;
    if (changed)
        take_text(l, result.text, result.len);
    free(before);
    free(result.text);
    return NULL;
}

/* One by one: what one makes of the file, the next may match. */
static int32_t
substitution_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct rhost_new_file file = { .struct_size = sizeof file,
                                   .path = rhost_str(change->name, "path"),
                                   .mode = -1,
                                   .uid = -1,
                                   .gid = -1,
                                   .flags = RHOST_FILE_FOLLOW };
    const struct rhost_lines_keeper keeper = {
        .struct_size = sizeof keeper,
        .data = &file,
        .read = rhost_lines_of_file,
        .edit = edit,
        .write = rhost_lines_save_file,
    };
    const char *why = NULL;
    const char all = 1;

    like(ctx, change, &file);
    if (rhost_lines_edit_kept(ctx, &change, 1, 0, &keeper, &all, &why) < 0)
        return -1;
    return why ? rhost_fail(ctx, "%s", why) : 0;
}

static const char *const needs[] = { "write[$path]", "run[*] if $validate",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider substitution_provider = {
    RHOST_PROVIDER("substitution",
                   "Keep what a regular expression matches in a file replaced by another text."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = substitution_canonicalize,
    .validate = substitution_validate,
    .insync = substitution_insync,
    .load = substitution_load,
    .update = substitution_update,
    .needs = needs,
};

RHOST_PLUGIN(substitution, "1.0", &substitution_provider)
