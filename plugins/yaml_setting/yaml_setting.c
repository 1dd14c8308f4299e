/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_setting - keep single values of YAML files; comments and all else in them stay byte for byte. */

#include "../json_setting/pointer.h"
#include "yaml-edit.h"

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
yaml_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    return setting_load(ctx, &yaml_format, name, should, current);
}

static const char *
yaml_edit(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change)
{
    return setting_edit(ctx, &yaml_format, l, change);
}

static int32_t
yaml_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    static const struct rhost_lines_how how = {
        .struct_size = sizeof how,
        .edit = yaml_edit,
        .like = setting_like,
    };

    return rhost_lines_set(ctx, changes, n, &how);
}

static const char *const needs[] = { "write[$path]", "run[*] if $validate",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider yaml_setting_provider = {
    RHOST_PROVIDER("yaml_setting", "Keep single values of YAML files."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .title_patterns = title_patterns,
    .relations = relations,
    .canonicalize = setting_canonicalize,
    .validate = setting_validate,
    .insync = setting_insync,
    .load = yaml_load,
    .set = yaml_set,
    .needs = needs,
};

RHOST_PLUGIN(yaml_setting, "1.0", &yaml_setting_provider)
