/* SPDX-License-Identifier: Apache-2.0 */
/* text_block - keep the lines between two marker lines of a text file.
 *
 * All blocks of a file in one batch are one reading and one writing of it. What is outside of the markers
 * stays byte for byte. */

#include "../line/insertion.h"
#include "../line/owners.h"
#include "region.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#define PATTERN "Optional[Pattern[/\\A[^\\r\\n]+\\z/]]"
#define WORD "Pattern[/\\A[^\\r\\n{}]+\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "marker",
      .type = "Pattern[/\\A[^\\r\\n]*\\{mark\\}[^\\r\\n]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"# {mark} managed by rhost\"",
      .desc = "The marker line; {mark} stands for BEGIN and END. A file with several blocks needs one for "
              "each." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the block should exist; absent removes it with its markers." },
    { .name = "content",
      .type = "Optional[String]",
      .desc = "The lines between the markers; the last one may lack its newline." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_MODE "]",
      .desc = "Permissions of the file in octal; a new file has 0644, or 0600 for a secret." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user that the file belongs to." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group that the file belongs to." },
    { .name = "below",
      .type = PATTERN,
      .behaviour = RHOST_PARAMETER,
      .desc = "A new block is inserted below the last line that this regular expression matches." },
    { .name = "above",
      .type = PATTERN,
      .behaviour = RHOST_PARAMETER,
      .desc = "A new block is inserted above the first line that this regular expression matches." },
    { .name = "literal",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether above and below are whole lines instead of regular expressions." },
    { .name = "begin",
      .type = WORD,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"BEGIN\"",
      .desc = "What replaces {mark} in the line above the block." },
    { .name = "end",
      .type = WORD,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"END\"",
      .desc = "What replaces {mark} in the line below the block." },
    { .name = "create",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a file that does not exist is created." },
    RHOST_VALIDATE_ATTR,
};

/* "/etc/hosts" and "/etc/hosts: # {mark} of the shop" state the name; any other title is only a title. */
static const char *const title_patterns[] = {
    "\\A(?:(?<path>\\/[^\\s:]*)(?:: (?<marker>[^\\r\\n]*\\{mark\\}[^\\r\\n]*))?\\z)?",
    NULL,
};

static const char *const relations[] = {
    "autorequire file[$path]",  "autorequire directory[$path/..]",
    "autorequire user[$owner]", "autorequire group[$group]",
    "edits content[$path]",     NULL,
};

static int32_t
text_block_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *content = rhost_get(resource, "content");
    size_t len = 0;
    const char *text = rhost_bytes(resource, "content", &len);

    if (rhost_check_validate(ctx, resource) < 0 || insertion_check(ctx, resource, "below") < 0
        || insertion_check(ctx, resource, "above") < 0)
        return -1;
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    if (text && memchr(text, '\0', len))
        return rhost_fail_attr(ctx, "content", "text cannot contain a NUL byte");
    if (len && text[len - 1] != '\n') {
        int secret = content->host->sensitive(content);

        rhost_put_str(resource, "content", rhost_fmt(ctx, "%s\n", text));
        if (secret)
            ctx->host->mark_sensitive(resource, "content");
    }
    return 0;
}

/* A marker within the content would end the block there. */
static int
check_content(rhost_ctx *ctx, const rhost_value *resource, const struct region *r)
{
    const char *line = rhost_str_or(resource, "content", "");

    for (size_t n; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        if (n && line[n - 1] == '\r')
            return rhost_fail_attr(
                ctx, "content", "a line ends with a carriage return: lines get the ending that the file has");
        if ((n == strlen(r->begin) && memcmp(line, r->begin, n) == 0)
            || (n == strlen(r->end) && memcmp(line, r->end, n) == 0))
            return rhost_fail_attr(ctx, "content", "a line of it is one of the markers");
    }
    return 0;
}

static int32_t
text_block_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    struct region r;
    int failed = 0;

    region_markers(ctx, resource, resource, &r);
    if (strcmp(r.begin, r.end) == 0)
        failed = rhost_fail_attr(ctx, "end", "both markers are the line '%s': 'begin' and 'end' must differ",
                                 r.end);
    if (rhost_has(resource, "below") && rhost_has(resource, "above"))
        failed =
            rhost_fail_attr(ctx, "above", "'above' and 'below' exclude each other: a block has one location");
    return check_content(ctx, resource, &r) < 0 ? -1 : failed;
}

/* Of a file that does not exist: an apply fails unless something creates it. */
static int32_t
missing(rhost_ctx *ctx, const char *path, const rhost_value *should)
{
    if (rhost_looks_ahead(ctx, should) && !rhost_bool(should, "create", 0)
        && !rhost_will_exist(ctx, "file", path)
        && rhost_fail_missing(ctx, "path",
                              rhost_fmt(ctx, "'%s' does not exist; 'create: true' would create it", path))
               < 0)
        return -1;
    return rhost_foresee_owners(ctx, should, NULL) < 0 ? -1 : rhost_absent_at(ctx, should, path);
}

static int32_t
text_block_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *why;
    const struct rhost_lines *l = rhost_lines_of(ctx, path);
    struct region r;
    char *text;
    size_t len;

    if (!l)
        return -1;
    if (!l->exists)
        return missing(ctx, path, should);
    region_markers(ctx, name, should, &r);
    why = region_find(ctx, l, &r);
    if (why)
        return rhost_fail_attr(ctx, "marker", "'%s': %s", path, why);
    if (!r.exists)
        return rhost_foresee_owners(ctx, should, NULL) < 0 ? -1 : RHOST_ABSENT;
    text = region_text(ctx, l, &r, &len);
    if (rhost_is_utf8(text, len) && !memchr(text, '\0', len))
        rhost_put_bytes(current, "content", text, len);
    rhost_put_stat(ctx, current, &l->stat);
    return rhost_foresee_owners(ctx, should, current) < 0 ? -1 : 0;
}

static int32_t
text_block_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (strcmp(attribute, "content") != 0 || !change->is || rhost_has(change->is, "content"))
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "it is not text in UTF-8");
}

static void
like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file)
{
    owners_like(ctx, change, "content", file);
}

static const char *
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const char *attribute, *why = NULL, *text;
    struct region r;
    size_t at, len = 0;

    region_markers(ctx, change->name, change->should, &r);
    if (!l->exists && !rhost_gone(change) && !rhost_bool(change->should, "create", 0))
        return "the file does not exist; 'create: true' would create it";
    why = region_find(ctx, l, &r);
    if (why)
        return why;
    if (rhost_gone(change)) {
        if (r.exists)
            rhost_lines_remove(l, r.first, r.last - r.first + 1);
        return NULL;
    }
    why = owners_unknown(ctx, change->should);
    if (why || insertion_point(ctx, l, change->should, &at, &attribute, &why) < 0)
        return why;
    text = rhost_bytes(change->should, "content", &len);
    if (text || !r.exists)
        region_put(l, &r, at, text ? text : "", len);
    l->edited = 1; /* or its mode or owner is to be changed */
    return NULL;
}

static int32_t
text_block_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how,
        .edit = edit,
        .like = like,
    };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "write[$path]", "run[*] if $validate",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider text_block_provider = {
    RHOST_PROVIDER("text_block", "Keep the lines between two marker lines of a text file."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = text_block_canonicalize,
    .validate = text_block_validate,
    .insync = text_block_insync,
    .load = text_block_load,
    .set = text_block_set,
    .needs = needs,
};

RHOST_PLUGIN(text_block, "1.0", &text_block_provider)
