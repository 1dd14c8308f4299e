/* SPDX-License-Identifier: Apache-2.0 */
/* json_setting - keep single values of JSON files; all else in them stays byte for byte. */

#include "json.h"
#include "pointer.h"

#include <rhost/posix.h>

static const struct rhost_attr attrs[] = { SETTING_ATTRS };

static const char *const title_patterns[] = { SETTING_TITLE, NULL };

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "edits content[$path]",
    NULL,
};

static int32_t
json_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    return setting_load(ctx, &json_format, name, should, current);
}

static const char *
json_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    return setting_edit(ctx, &json_format, l, change);
}

static int32_t
json_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how,
        .edit = json_edit,
        .like = setting_like,
    };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "write[$path]", "run[*] if $validate",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider json_setting_provider = {
    RHOST_PROVIDER("json_setting", "Keep single values of JSON files."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = setting_canonicalize,
    .validate = setting_validate,
    .insync = setting_insync,
    .load = json_load,
    .set = json_set,
    .needs = needs,
};

RHOST_PLUGIN(json_setting, "1.0", &json_setting_provider)
