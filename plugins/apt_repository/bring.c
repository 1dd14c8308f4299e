/* SPDX-License-Identifier: Apache-2.0 */
/* bring - having the files of a repository be as wanted. */

#include "bring.h"

#include "declared.h"
#include "fields.h"
#include "key.h"
#include "others.h"
#include "place.h"
#include "stanza.h"
#include "stored.h"

#include <rhost/path.h>

/* Writes a field where its attribute is wanted, and what is there is not the same. */
static void
bring_list(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change,
           const struct fields_list *list)
{
    const rhost_value *wanted = rhost_get(change->should, list->attribute);
    const rhost_value *is = rhost_get(change->is, list->attribute);

    if (!rhost_has(change->should, list->attribute) || (is && is->host->equal(is, wanted)))
        return;
    stanza_put(ctx, l, list->field, rhost_count(wanted) ? fields_joined(ctx, wanted) : NULL);
}

static void
bring_signed_by(rhost_ctx *ctx, struct rhost_lines *l, const char *wanted)
{
    struct stanza_field field;

    if (stanza_find(ctx, l, "Signed-By", &field) && strcmp(fields_signed_by(ctx, field.value), wanted) == 0)
        return;
    stanza_put(ctx, l, "Signed-By",
               *wanted ? rhost_fmt(ctx, "%s%s", key_is_armored(wanted) ? "\n" : "", wanted) : NULL);
}

static void
bring_fields(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    const rhost_value *fields = rhost_get(change->should, "fields");
    struct stanza_field field;

    for (size_t i = 0; i < rhost_count(fields); i++) {
        const char *name, *wanted = rhost_str_at(fields, i);

        (void)rhost_at(fields, i, &name);
        if (strcmp(stanza_find(ctx, l, name, &field) ? field.value : "", wanted) != 0)
            stanza_put(ctx, l, name, *wanted ? wanted : NULL);
    }
}

/* What has to be there for apt to take it, once it is made. */
static int
is_complete(rhost_ctx *ctx, const struct rhost_change *change)
{
    rhost_value *all = ctx->host->new_hash(ctx);
    const char *attribute, *why;

    for (size_t i = 0; i < FIELDS_LISTS; i++)
        rhost_put_copy(all, fields_lists[i].attribute, rhost_value_of(change, fields_lists[i].attribute));
    if (!rhost_get(all, "components"))
        fields_put_words(ctx, all, "components", "");
    why = declared_complaint(ctx, all, &attribute);
    return why ? rhost_fail_attr(ctx, attribute, "%s", why) : 0;
}

/* Makes the change in the lines of the file. */
static void
edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change, const char *signed_by)
{
    struct stanza_field field;

    if (rhost_has(change->should, "enabled")
        && rhost_bool(change->should, "enabled", 1)
               != (!stanza_find(ctx, l, "Enabled", &field) || fields_is_yes(field.value)))
        stanza_put(ctx, l, "Enabled", rhost_bool(change->should, "enabled", 1) ? "yes" : "no");
    for (size_t i = 0; i < FIELDS_LISTS; i++)
        bring_list(ctx, l, change, &fields_lists[i]);
    if (!stanza_find(ctx, l, "Types", &field))
        stanza_put(ctx, l, "Types", "deb");
    if (signed_by)
        bring_signed_by(ctx, l, signed_by);
    bring_fields(ctx, l, change);
}

/* The key first: a repository without its key is one that apt refuses. */
int32_t
bring_it(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const char *root = rhost_str_or(change->should, "root", PLACE_ROOT);
    const char *path = place_of_sources(ctx, root, name);
    const char *signed_by = rhost_str(change->should, "signed_by");
    const struct rhost_new_file like = {
        .struct_size = sizeof like,
        .mode = change->is ? -1 : 0644,
        .uid = -1,
        .gid = -1,
        .flags = RHOST_FILE_FOLLOW,
    };
    int32_t saved = RHOST_FILE_CHANGED;

    if (is_complete(ctx, change) < 0
        || (stored_is_specified(change->should) && stored_bring(ctx, name, change->should, &signed_by) < 0))
        return -1;
    others_warn(ctx, root, rhost_value_of(change, "types"), rhost_value_of(change, "uris"),
                rhost_value_of(change, "suites"));
    for (int i = 0; saved == RHOST_FILE_CHANGED && i < RHOST_LINES_TRIES; i++) {
        struct rhost_lines *l = rhost_lines_of(ctx, path);

        if (!l)
            return -1;
        edit(ctx, l, change, signed_by);
        saved = l->edited ? rhost_lines_save(ctx, l, &like) : 0;
    }
    if (saved == RHOST_FILE_CHANGED)
        return rhost_lines_fail_changed(ctx, path);
    if (saved != 0)
        return -1;
    return signed_by ? stored_remove(ctx, root, name, signed_by) : 0;
}

int32_t
bring_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const char *root = rhost_str_or(change->should, "root", rhost_str_or(change->is, "root", PLACE_ROOT));
    const char *path = place_of_sources(ctx, root, name);

    if (rhost_path_unlink(ctx, path, 0) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return stored_remove(ctx, root, name, NULL);
}
