/* SPDX-License-Identifier: Apache-2.0 */
/* view - everything about one mount, as it is: in fstab, and mounted. */

#include "view.h"

static const char *
fstab_of(const rhost_value *should)
{
    return rhost_str_or(should, "fstab", FSTAB_DEFAULT);
}

struct options
view_options(rhost_ctx *ctx, const struct fstab_entry *entry)
{
    return options_split(ctx, entry->field[FSTAB_OPTIONS]);
}

int64_t
view_number(const char *field)
{
    return field && strlen(field) == 1 && *field >= '0' && *field <= '9' ? *field - '0' : 0;
}

void
view_report_entry(rhost_ctx *ctx, const struct fstab_entry *entry, rhost_value *into)
{
    struct options options = view_options(ctx, entry);

    rhost_put_str(into, "device", entry->field[FSTAB_DEVICE]);
    rhost_put_str(into, "fstype", entry->field[FSTAB_TYPE]);
    options_report(&options, into);
    rhost_put_int(into, "dump", view_number(entry->field[FSTAB_DUMP]));
    rhost_put_int(into, "pass", view_number(entry->field[FSTAB_PASS]));
}

void
view_report_mount(rhost_ctx *ctx, struct libmnt_fs *fs, rhost_value *into)
{
    struct options options = mounts_options(ctx, fs);

    rhost_put_str(into, "device",
                  fstab_tidy_device(ctx, mnt_fs_get_source(fs) ? mnt_fs_get_source(fs) : "none"));
    rhost_put_str(into, "fstype", mnt_fs_get_fstype(fs) ? mnt_fs_get_fstype(fs) : "auto");
    options_report(&options, into);
}

int
view_is_text(const char *s)
{
    return !s || rhost_is_utf8(s, strlen(s));
}

int
view_is_all_text(const struct fstab_entry *entry)
{
    for (int k = 0; k < FSTAB_FIELDS; k++)
        if (!view_is_text(entry->field[k]))
            return 0;
    return 1;
}

int
view_read(rhost_ctx *ctx, const char *name, const rhost_value *should, struct view *v)
{
    const char *device = rhost_str(should, "device"), *type = rhost_str(should, "fstype");
    struct options options;

    memset(v, 0, sizeof *v);
    v->lines = rhost_lines_of(ctx, fstab_of(should));
    if (!v->lines)
        return -1;
    v->table = mounts_read(ctx);
    if (!v->table)
        return -1;
    if (*name == '/' && mounts_check_path(ctx, v->table, name) < 0) {
        mnt_unref_table(v->table);
        return -1;
    }
    v->in_fstab = fstab_find(ctx, v->lines, name, &v->entry);
    v->fs = *name == '/' && !(v->in_fstab && strcmp(v->entry.field[FSTAB_TYPE], "swap") == 0)
                ? mounts_at(ctx, v->table, name)
                : NULL;
    if (!v->fs)
        return 0;
    if (rhost_has(should, "options"))
        options = options_of(ctx, rhost_get(should, "options"));
    else if (v->in_fstab)
        options = view_options(ctx, &v->entry);
    else
        options = mounts_options(ctx, v->fs);
    if (!device)
        device = v->in_fstab ? v->entry.field[FSTAB_DEVICE] : NULL;
    if (!type)
        type = v->in_fstab ? v->entry.field[FSTAB_TYPE] : NULL;
    v->is_it = !device || mounts_is(ctx, v->table, v->fs, device, type, &options);
    return 0;
}

int
view_read_again(rhost_ctx *ctx, const char *name, const rhost_value *should, struct view *v)
{
    v->lines = rhost_lines_of(ctx, fstab_of(should));
    if (!v->lines)
        return -1;
    v->in_fstab = fstab_find(ctx, v->lines, name, &v->entry);
    return 0;
}

int
view_is_unwanted(const rhost_value *should)
{
    return rhost_wants_absence(should) || !rhost_bool(should, "mounted", 1);
}
