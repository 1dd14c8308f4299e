/* SPDX-License-Identifier: Apache-2.0 */
/* owners - `mode`, `owner` and `group` of a file of which a resource keeps a part. */

#include "owners.h"

#include <rhost/posix.h>

void
owners_like(rhost_ctx *ctx, const struct rhost_change *change, const char *text, struct rhost_new_file *file)
{
    const rhost_value *value = rhost_get(change->should, text);
    const char *owner = rhost_str(change->should, "owner"), *group = rhost_str(change->should, "group");

    file->validate = rhost_wanted_validate(ctx, change->should);
    file->flags |= RHOST_FILE_ONLY_CHANGE;
    if (value && value->host->sensitive(value))
        file->flags |= RHOST_FILE_SECRET;
    if (rhost_gone(change))
        return;
    file->mode = rhost_wanted_mode(change->should);
    if (file->mode == 0)
        file->flags |= RHOST_FILE_MODE_0;
    file->uid = owner ? rhost_look_up_id(ctx, 0, owner) : -1; /* owners_unknown() refuses one */
    file->gid = group ? rhost_look_up_id(ctx, 1, group) : -1;
}

const char *
owners_unknown(rhost_ctx *ctx, const rhost_value *should)
{
    static const char *const keys[] = { "owner", "group" };

    for (int groups = 0; groups < 2; groups++) {
        const char *name = rhost_str(should, keys[groups]);

        if (name && rhost_look_up_id(ctx, groups, name) < 0)
            return rhost_fmt(ctx, "unknown %s '%s'", groups ? "group" : "user", name);
    }
    return NULL;
}
