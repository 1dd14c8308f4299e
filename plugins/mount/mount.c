/* SPDX-License-Identifier: Apache-2.0 */
/* mount - keep file systems mounted, and entries of /etc/fstab.
 *
 * The two are two properties, `mounted` and `persist`, so that a report tells which of them was off. What
 * is mounted is changed first: an entry that can't be mounted does not get into the file, where it could
 * keep the machine from booting; and one that can't be unmounted stays in it. */

#include "fstab.h"
#include "mounts.h"
#include "tool.h"

#include <stdlib.h>

#define DEFAULT_FSTAB "/etc/fstab"

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "Pattern[/\\A(\\/|[A-Z]+=)[^\\n\\r]*\\z/]", .behaviour = RHOST_NAMEVAR,
      .desc = "The directory it is mounted on; of a swap area its device." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether there should be such a mount; absent unmounts it, and takes it out of the file." },
    { .name = "mounted", .type = "Optional[Boolean]",
      .desc = "Whether it should be mounted now; where it isn't said, it is left as it is." },
    { .name = "persist", .type = "Boolean", .default_value = "true",
      .desc = "Whether fstab has it, for the next boot." },
    { .name = "device", .type = "Pattern[/\\A[^#\\s][^\\n\\r]*\\z/]",
      .desc = "What is mounted: a device, UUID=, LABEL=, PARTUUID=, server:/path, a directory, a word." },
    { .name = "fstype", .type = "Pattern[/\\A[^#\\s]+\\z/]",
      .desc = "The type of file system; none for a directory that is shown elsewhere (bind)." },
    { .name = "options", .type = "Variant[Array[String[1]], String]", .behaviour = RHOST_UNORDERED,
      .initial = "[\"defaults\"]", .desc = "Options, written in this order and compared in any." },
    { .name = "dump", .type = "Integer[0, 9]", .initial = "0",
      .desc = "Whether dump(8) saves it, the fifth field." },
    { .name = "pass", .type = "Integer[0, 9]", .initial = "0",
      .desc = "When it is checked while booting, the sixth field: 1 the root, 2 others, 0 never." },
    { .name = "remount", .type = "Boolean", .behaviour = RHOST_PARAMETER, .default_value = "true",
      .desc = "Whether options that differ are also changed on what is mounted." },
    { .name = "timeout", .type = "Integer[1, 86400]", .behaviour = RHOST_PARAMETER,
      .default_value = "120", .desc = "Seconds that mounting or unmounting may take." },
    { .name = "fstab", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_PARAMETER,
      .default_value = "\"" DEFAULT_FSTAB "\"", .desc = "The file of entries." },
};

static const struct rhost_action actions[] = {
    { .name = "remount", .desc = "Have what is mounted take its options again." },
};

static const char *const relations[] = {
    "autorequire mount[$name/..]",
    "autorequire mount[$device]",
    "autorequire mount[$device/..]",
    "autorequire directory[$name]",
    "autorequire directory[$name/..]",
    "autorequire directory[$device]",
    "autorequire file[$name]",
    "autorequire file[$device]",
    NULL,
};

/* "/a\040b", as it stands in fstab, is "/a b". */
static const char *
without_escapes(rhost_ctx *ctx, const char *path)
{
    char *plain = rhost_alloc(ctx, strlen(path) + 1), *to = plain;

    while (*path) {
        if (strncmp(path, "\\040", 4) == 0 || strncmp(path, "\\011", 4) == 0) {
            *to++ = path[2] == '4' ? ' ' : '\t';
            path += 4;
        } else {
            *to++ = *path++;
        }
    }
    return plain;
}

static int
has_dots(const char *path)
{
    for (const char *part = path; part; part = strchr(part + 1, '/'))
        if (strncmp(part, "/..", 3) == 0 && (!part[3] || part[3] == '/'))
            return 1;
        else if (strncmp(part, "/.", 2) == 0 && (!part[2] || part[2] == '/'))
            return 1;
    return 0;
}

static void
put_if_other(rhost_value *resource, const char *key, const char *is, const char *tidy)
{
    if (strcmp(is, tidy) != 0)
        rhost_put_str(resource, key, tidy);
}

static int32_t
mount_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *device = rhost_str(resource, "device");
    const char *type = rhost_str(resource, "fstype");
    const rhost_value *options = rhost_get(resource, "options");
    int swap = type && strcmp(type, "swap") == 0;

    if (name && *name == '/') {
        const char *tidy = fstab_tidy_path(ctx, without_escapes(ctx, name));

        if (has_dots(tidy))
            return rhost_fail_attr(ctx, "name", "'%s' has '.' or '..' in it", name);
        put_if_other(resource, "name", name, tidy);
    } else if (name) {
        if (type && !swap)
            return rhost_fail_attr(ctx, "name", "'%s' is no directory: it is where to mount, and 'device' "
                                                "is what", name);
        put_if_other(resource, "name", name, fstab_tidy_device(ctx, name));
    }
    name = rhost_str(resource, "name");
    if (device)
        put_if_other(resource, "device", device, fstab_tidy_device(ctx, without_escapes(ctx, device)));
    if (swap && device && name && strcmp(rhost_str(resource, "device"), name) != 0)
        return rhost_fail_attr(ctx, "device", "a swap area goes by its device, which its title says to be "
                                              "'%s'", name);
    if (swap && rhost_has(resource, "mounted"))
        return rhost_fail_attr(ctx, "mounted", "a swap area is not mounted: only its entry is kept");
    if (!rhost_bool(resource, "mounted", 1) && !rhost_bool(resource, "persist", 1)
        && strcmp(rhost_str_or(resource, "ensure", ""), "absent") != 0)
        return rhost_fail_attr(ctx, "persist", "neither mounted nor in fstab: that is 'ensure: absent'");
    if (options && options->host->kind(options) != RHOST_UNDEF) {
        struct options tidy = options_of(ctx, options);

        options_report(&tidy, resource);
    }
    return 0;
}

static const char *
fstab_of(const rhost_value *should)
{
    return rhost_str_or(should, "fstab", DEFAULT_FSTAB);
}

static struct options
entry_options(rhost_ctx *ctx, const struct fstab_entry *entry)
{
    return options_split(ctx, entry->field[FSTAB_OPTIONS]);
}

static int64_t
number(const char *field)
{
    return field && strlen(field) == 1 && *field >= '0' && *field <= '9' ? *field - '0' : 0;
}

static void
report_entry(rhost_ctx *ctx, const struct fstab_entry *entry, rhost_value *into)
{
    struct options options = entry_options(ctx, entry);

    rhost_put_str(into, "device", entry->field[FSTAB_DEVICE]);
    rhost_put_str(into, "fstype", entry->field[FSTAB_TYPE]);
    options_report(&options, into);
    rhost_put_int(into, "dump", number(entry->field[FSTAB_DUMP]));
    rhost_put_int(into, "pass", number(entry->field[FSTAB_PASS]));
}

static void
report_mount(rhost_ctx *ctx, struct libmnt_fs *fs, rhost_value *into)
{
    struct options options = mounts_options(ctx, fs);

    rhost_put_str(into, "device", fstab_tidy_device(ctx, mnt_fs_get_source(fs) ? mnt_fs_get_source(fs)
                                                                               : "none"));
    rhost_put_str(into, "fstype", mnt_fs_get_fstype(fs) ? mnt_fs_get_fstype(fs) : "auto");
    options_report(&options, into);
}

static int
is_text(const char *s)
{
    return !s || rhost_is_utf8(s, strlen(s));
}

static int
is_all_text(const struct fstab_entry *entry)
{
    for (int k = 0; k < FSTAB_FIELDS; k++)
        if (!is_text(entry->field[k]))
            return 0;
    return 1;
}

/* Everything about one mount, as it is, and what is wanted of it. */
struct view {
    struct rhost_lines *lines;
    struct libmnt_table *table; /* to be given back */
    struct fstab_entry entry;
    int in_fstab;
    struct libmnt_fs *fs; /* NULL: nothing is mounted there */
    int is_it;            /* what is mounted there is what should be */
};

/* What is wanted stands in `should` (NULL: nothing is), else in fstab. -1 after the reason was given. */
static int
look(rhost_ctx *ctx, const char *name, const rhost_value *should, struct view *v)
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
    v->in_fstab = fstab_find(ctx, v->lines, name, &v->entry);
    v->fs = *name == '/' && !(v->in_fstab && strcmp(v->entry.field[FSTAB_TYPE], "swap") == 0)
                ? mounts_at(ctx, v->table, name)
                : NULL;
    if (!v->fs)
        return 0;
    if (rhost_has(should, "options"))
        options = options_of(ctx, rhost_get(should, "options"));
    else if (v->in_fstab)
        options = entry_options(ctx, &v->entry);
    else
        options = mounts_options(ctx, v->fs);
    if (!device)
        device = v->in_fstab ? v->entry.field[FSTAB_DEVICE] : NULL;
    if (!type)
        type = v->in_fstab ? v->entry.field[FSTAB_TYPE] : NULL;
    v->is_it = !device || mounts_is(ctx, v->table, v->fs, device, type, &options);
    return 0;
}

static int
is_wanted_unmounted(const rhost_value *should)
{
    return strcmp(rhost_str_or(should, "ensure", ""), "absent") == 0
           || !rhost_bool(should, "mounted", 1);
}

static int32_t
mount_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct view v;

    if (look(ctx, rhost_str(name, "name"), should, &v) < 0)
        return -1;
    if (!v.in_fstab && !v.fs) {
        mnt_unref_table(v.table);
        return RHOST_ABSENT;
    }
    if (v.in_fstab && is_all_text(&v.entry))
        report_entry(ctx, &v.entry, current);
    else if (!v.in_fstab && is_text(mnt_fs_get_source(v.fs)))
        report_mount(ctx, v.fs, current);
    rhost_put_bool(current, "persist", v.in_fstab);
    if (!v.in_fstab || strcmp(v.entry.field[FSTAB_TYPE], "swap") != 0)
        rhost_put_bool(current, "mounted", v.fs && (v.is_it || is_wanted_unmounted(should)));
    mnt_unref_table(v.table);
    return 0;
}

/* What is mounted may differ from fstab; what is in fstab is compared by the host. */
static int32_t
insync_options(rhost_ctx *ctx, const struct rhost_change *change, const struct view *v)
{
    struct options wanted = options_of(ctx, rhost_get(change->should, "options")), now;
    struct options saved = v->in_fstab ? entry_options(ctx, &v->entry) : wanted;
    const char *word;

    if (!options_are(&saved, &wanted))
        return RHOST_DEFAULT_COMPARISON;
    if (!v->fs || !v->is_it || is_wanted_unmounted(change->should)
        || !rhost_bool(change->should, "remount", 1) || strcmp(mnt_fs_get_fstype(v->fs), "autofs") == 0)
        return 0;
    now = mounts_options(ctx, v->fs);
    word = options_unheeded(&wanted, &now);
    if (!word)
        return 0;
    return rhost_differs(ctx, "it is mounted without '%s': %s", word, options_text(ctx, &now, NULL));
}

static int32_t
mount_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    int of_entry = strcmp(attribute, "device") == 0 || strcmp(attribute, "fstype") == 0
                   || strcmp(attribute, "dump") == 0 || strcmp(attribute, "pass") == 0;
    struct view v;
    int32_t result = RHOST_DEFAULT_COMPARISON;

    if (look(ctx, rhost_str(change->name, "name"), change->should, &v) < 0)
        return -1;
    if (of_entry && !v.in_fstab)
        result = 0; /* told by `persist` and `mounted` */
    else if (strcmp(attribute, "options") == 0)
        result = insync_options(ctx, change, &v);
    else if (strcmp(attribute, "mounted") == 0 && v.fs && !v.is_it
             && !is_wanted_unmounted(change->should))
        result = rhost_differs(ctx, "'%s' (%s) is mounted there", mnt_fs_get_source(v.fs),
                               mnt_fs_get_fstype(v.fs));
    mnt_unref_table(v.table);
    return result;
}

static int
emit_entry(rhost_ctx *ctx, const struct fstab_entry *entry, struct libmnt_table *table)
{
    rhost_value *resource = ctx->host->new_hash(ctx);
    int swap = strcmp(entry->field[FSTAB_TYPE], "swap") == 0;
    struct libmnt_fs *fs = swap ? NULL : mounts_at(ctx, table, entry->name);
    struct options options = entry_options(ctx, entry);

    rhost_put_str(resource, "name", entry->name);
    report_entry(ctx, entry, resource);
    rhost_put_bool(resource, "persist", 1);
    /* Neither would be true where something else is mounted. */
    if (!swap && (!fs || mounts_is(ctx, table, fs, entry->field[FSTAB_DEVICE],
                                   entry->field[FSTAB_TYPE], &options)))
        rhost_put_bool(resource, "mounted", fs != NULL);
    return ctx->host->emit(ctx, resource);
}

static int
emit_mount(rhost_ctx *ctx, struct libmnt_fs *fs)
{
    rhost_value *resource = ctx->host->new_hash(ctx);

    rhost_put_str(resource, "name", mnt_fs_get_target(fs));
    report_mount(ctx, fs, resource);
    rhost_put_bool(resource, "persist", 0);
    rhost_put_bool(resource, "mounted", 1);
    return ctx->host->emit(ctx, resource);
}

/* Entries whose name is no name here ("none", where no swap area is), or that come again, are left out. */
static int
is_listed(rhost_ctx *ctx, const struct rhost_lines *l, const struct fstab_entry *entry)
{
    struct fstab_entry first;

    if (!is_all_text(entry) || !is_text(entry->name) || has_dots(entry->name)
        || strpbrk(entry->name, "\r\n") || strpbrk(entry->field[FSTAB_DEVICE], "\r\n"))
        return 0;
    if (*entry->name != '/'
        && !(strcmp(entry->field[FSTAB_TYPE], "swap") == 0 && strchr(entry->name, '=')))
        return 0;
    return fstab_find(ctx, l, entry->name, &first) && first.line == entry->line;
}

/* fstab, and what is mounted beside it of devices and servers. */
static int32_t
mount_get(rhost_ctx *ctx, const rhost_value *names)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, DEFAULT_FSTAB);
    struct libmnt_table *table = l ? mounts_read(ctx) : NULL;
    struct libmnt_iter *i = mnt_new_iter(MNT_ITER_FORWARD);
    struct libmnt_fs *fs;
    struct fstab_entry entry;
    int failed = !table || (!i && rhost_fail(ctx, "cannot list what is mounted: out of memory") < 0);

    (void)names;
    for (size_t k = 0; !failed && k < l->n; k++)
        if (fstab_at(ctx, l, k, &entry) && is_listed(ctx, l, &entry))
            failed = emit_entry(ctx, &entry, table) < 0;
    while (!failed && mnt_table_next_fs(table, i, &fs) == 0) {
        const char *target = mnt_fs_get_target(fs);

        if (mounts_is_real(fs) && is_text(target) && is_text(mnt_fs_get_source(fs))
            && !strpbrk(target, "\r\n") && mounts_at(ctx, table, target) == fs
            && !fstab_find(ctx, l, target, &entry))
            failed = emit_mount(ctx, fs) < 0;
    }
    mnt_free_iter(i);
    mnt_unref_table(table);
    return failed ? -1 : 0;
}

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
        return v->fs ? tool_unmount(ctx, m.target, m.timeout) : 0;
    if (wanted && v->fs && !v->is_it && tool_unmount(ctx, m.target, m.timeout) < 0)
        return -1;
    if (wanted && (!v->fs || !v->is_it))
        return tool_mount(ctx, &m);
    if (!v->fs || !v->is_it || !rhost_bool(change->should, "remount", 1)
        || !rhost_has(change->should, "options") || strcmp(mnt_fs_get_fstype(v->fs), "autofs") == 0)
        return 0;
    now = mounts_options(ctx, v->fs);
    was = v->in_fstab ? entry_options(ctx, &v->entry) : now;
    if ((v->in_fstab ? options_are(&was, &m.options) : 1) && !options_unheeded(&m.options, &now))
        return 0;
    if (strcmp(m.type, "auto") == 0)
        m.type = mnt_fs_get_fstype(v->fs);
    return tool_remount(ctx, &m, &was);
}

static int
save(rhost_ctx *ctx, struct rhost_lines *l)
{
    const struct rhost_new_file like = {
        .struct_size = sizeof like, .mode = -1, .uid = -1, .gid = -1, .flags = RHOST_FILE_FOLLOW,
    };

    return l->edited ? rhost_lines_save(ctx, l, &like) : 0;
}

/* Has the file be as wanted: of a line that is there only what differs is written. */
static int
bring_entry(rhost_ctx *ctx, const struct rhost_change *change, struct view *v)
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
        struct options saved = entry_options(ctx, &v->entry);
        int differs = 0;

        field[FSTAB_TARGET] = NULL;
        if (options_are(&saved, &m.options))
            field[FSTAB_OPTIONS] = NULL;
        if (strcmp(v->entry.field[FSTAB_DEVICE], m.device) == 0)
            field[FSTAB_DEVICE] = NULL;
        if (strcmp(v->entry.field[FSTAB_TYPE], m.type) == 0)
            field[FSTAB_TYPE] = NULL;
        if (number(v->entry.field[FSTAB_DUMP]) == *dump - '0')
            field[FSTAB_DUMP] = NULL;
        if (number(v->entry.field[FSTAB_PASS]) == *pass - '0')
            field[FSTAB_PASS] = NULL;
        for (int k = 0; k < FSTAB_FIELDS; k++)
            differs = differs || field[k];
        if (differs)
            fstab_change(ctx, v->lines, &v->entry, field);
    }
    return save(ctx, v->lines);
}

static int32_t
mount_bring(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *type = rhost_str_of(change, "fstype");
    int swap = type && strcmp(type, "swap") == 0, result;
    struct view v;

    if (*name != '/' && !swap)
        return rhost_fail_attr(ctx, "name", "'%s' is no directory to mount on", name);
    if (!rhost_bool(change->should, "persist", 1) && !change->is
        && !rhost_bool(change->should, "mounted", 0))
        return rhost_fail_attr(ctx, "persist", "what is not in fstab has to be 'mounted: true'");
    if (look(ctx, name, change->should, &v) < 0)
        return -1;
    result = swap ? 0 : bring_mount(ctx, change, &v);
    mnt_unref_table(v.table);
    return result < 0 ? -1 : bring_entry(ctx, change, &v);
}

static int32_t
mount_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    uint32_t timeout = (uint32_t)rhost_int(change->should, "timeout", 120) * 1000;
    struct view v;

    if (look(ctx, name, change->should, &v) < 0)
        return -1;
    mnt_unref_table(v.table);
    if (v.fs && tool_unmount(ctx, name, timeout) < 0)
        return -1;
    fstab_remove(ctx, v.lines, name);
    return save(ctx, v.lines);
}

static int32_t
mount_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    struct tool_mount m = wanted_of(ctx, change);
    struct options was;
    struct view v;

    (void)action;
    if (look(ctx, m.target, change->should, &v) < 0)
        return -1;
    mnt_unref_table(v.table);
    if (!v.fs || !v.is_it || !m.device || !m.type)
        return 0;
    was = m.options;
    return tool_remount(ctx, &m, &was);
}

static const struct rhost_provider mount_provider = {
    RHOST_PROVIDER("mount", "Keep file systems mounted, and entries of /etc/fstab."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .refresh_action = "remount",
    .relations      = relations,
    .open           = rhost_lines_open,
    .close          = rhost_lines_close,
    .canonicalize   = mount_canonicalize,
    .insync         = mount_insync,
    .load           = mount_load,
    .get            = mount_get,
    .create         = mount_bring,
    .update         = mount_bring,
    .remove         = mount_remove,
    .act            = mount_act,
};

RHOST_PLUGIN(mount, "1.0", &mount_provider)
