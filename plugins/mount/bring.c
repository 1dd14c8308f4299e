/* SPDX-License-Identifier: Apache-2.0 */
/* bring - having what is mounted, and fstab, be as wanted. */

#include "bring.h"

#include "replace.h"

/* What it should be, all told. */
static struct tool_mount
wanted_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    return (struct tool_mount){
        .device = rhost_str_of(change, "device"),
        .target = rhost_str(change->name, "name"),
        .type = rhost_str_of(change, "fstype"),
        .options = options_of(ctx, rhost_value_of(change, "options")),
        .timeout = (uint32_t)rhost_int(change->should, "timeout", 120) * 1000,
    };
}

/* Has what is mounted be as wanted. */
static int
bring_mount(rhost_ctx *ctx, const struct rhost_change *change, struct view *v)
{
    struct tool_mount m = wanted_of(ctx, change);
    int stated = rhost_has(change->should, "mounted"), wanted = rhost_bool(change->should, "mounted", 0);
    struct options was, now;

    if (stated && !wanted)
        return v->fs ? replace_by_nothing(ctx, m.target, m.timeout) : 0;
    if (wanted && !v->fs)
        return replace_nothing(ctx, &m);
    if (wanted && !v->is_it)
        return replace_other(ctx, &m, v);
    if (!v->fs || !v->is_it || !rhost_bool(change->should, "remount", 1)
        || !rhost_has(change->should, "options") || strcmp(mnt_fs_get_fstype(v->fs), "autofs") == 0)
        return 0;
    now = mounts_options(ctx, v->fs);
    was = v->in_fstab ? view_options(ctx, &v->entry) : now;
    if ((v->in_fstab ? options_are(&was, &m.options) : 1) && !options_unheeded(&m.options, &now))
        return 0;
    if (strcmp(m.type, "auto") == 0)
        m.type = mnt_fs_get_fstype(v->fs);
    return replace_options(ctx, &m, &was, v);
}

static int32_t
save(rhost_ctx *ctx, struct rhost_lines *l)
{
    const struct rhost_new_file like = {
        .struct_size = sizeof like,
        .mode = -1,
        .uid = -1,
        .gid = -1,
        .flags = RHOST_FILE_FOLLOW,
    };
    int32_t saved = l->edited ? rhost_lines_save(ctx, l, &like) : 0;

    if (saved != 0 || !l->edited)
        return saved;
    if (strcmp(l->path, FSTAB_DEFAULT) == 0)
        tool_reload_systemd(ctx);
    return 0;
}

/* Edits and writes the file; again when somebody else has changed it meanwhile. */
static int
write_fstab(rhost_ctx *ctx, const struct rhost_change *change, struct view *v,
            void (*edit)(rhost_ctx *ctx, const struct rhost_change *change, struct view *v))
{
    for (int i = 0; i < RHOST_LINES_TRIES; i++) {
        int32_t saved;

        edit(ctx, change, v);
        saved = save(ctx, v->lines);
        if (saved != RHOST_FILE_CHANGED)
            return saved;
        if (view_read_again(ctx, rhost_str(change->name, "name"), change->should, v) < 0)
            return -1;
    }
    return rhost_lines_fail_changed(ctx, v->lines->path);
}

/* Has the lines be as wanted: of a line that is there only what differs is written. */
static void
edit_entry(rhost_ctx *ctx, const struct rhost_change *change, struct view *v)
{
    struct tool_mount m = wanted_of(ctx, change);
    char dump[2] = { (char)('0' + rhost_int_of(change, "dump", 0)), '\0' };
    char pass[2] = { (char)('0' + rhost_int_of(change, "pass", 0)), '\0' };
    int swap = strcmp(m.type, "swap") == 0;
    const char *field[FSTAB_FIELDS] = {
        m.device, swap ? "none" : m.target, m.type, options_text(ctx, &m.options, NULL), dump, pass,
    };

    if (!rhost_bool(change->should, "persist", 1)) {
        fstab_remove(ctx, v->lines, m.target);
    } else if (!v->in_fstab) {
        fstab_add(ctx, v->lines, field);
    } else {
        struct options saved = view_options(ctx, &v->entry);
        int differs = 0;

        field[FSTAB_TARGET] = NULL;
        if (options_are(&saved, &m.options))
            field[FSTAB_OPTIONS] = NULL;
        if (strcmp(v->entry.field[FSTAB_DEVICE], m.device) == 0)
            field[FSTAB_DEVICE] = NULL;
        if (strcmp(v->entry.field[FSTAB_TYPE], m.type) == 0)
            field[FSTAB_TYPE] = NULL;
        if (view_number(v->entry.field[FSTAB_DUMP]) == *dump - '0')
            field[FSTAB_DUMP] = NULL;
        if (view_number(v->entry.field[FSTAB_PASS]) == *pass - '0')
            field[FSTAB_PASS] = NULL;
        for (int k = 0; k < FSTAB_FIELDS; k++)
            differs = differs || field[k];
        if (differs)
            fstab_change(ctx, v->lines, &v->entry, field);
    }
}

static void
remove_entry(rhost_ctx *ctx, const struct rhost_change *change, struct view *v)
{
    fstab_remove(ctx, v->lines, rhost_str(change->name, "name"));
}

int32_t
bring_it(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *type = rhost_str_of(change, "fstype");
    int swap = type && strcmp(type, "swap") == 0, result;
    struct view v;

    if (*name != '/' && !swap)
        return rhost_fail_attr(ctx, "name", "'%s' is not a directory to mount on", name);
    if (!rhost_bool(change->should, "persist", 1) && !change->is && !rhost_bool(change->should, "mounted", 0))
        return rhost_fail_attr(ctx, "persist", "what is not in fstab has to be 'mounted: true'");
    if (view_read(ctx, name, change->should, &v) < 0)
        return -1;
    result = swap ? 0 : bring_mount(ctx, change, &v);
    mnt_unref_table(v.table);
    return result < 0 ? -1 : write_fstab(ctx, change, &v, edit_entry);
}

int32_t
bring_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    uint32_t timeout = (uint32_t)rhost_int(change->should, "timeout", 120) * 1000;
    struct view v;

    if (view_read(ctx, name, change->should, &v) < 0)
        return -1;
    mnt_unref_table(v.table);
    if (v.fs && replace_by_nothing(ctx, name, timeout) < 0)
        return -1;
    return write_fstab(ctx, change, &v, remove_entry);
}

int32_t
bring_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    struct tool_mount m = wanted_of(ctx, change);
    struct options was = m.options;
    int result = 0;
    struct view v;

    (void)action;
    if (view_read(ctx, m.target, change->should, &v) < 0)
        return -1;
    if (v.fs && v.is_it && m.device && m.type)
        result = replace_options(ctx, &m, &was, &v);
    mnt_unref_table(v.table);
    return result;
}
