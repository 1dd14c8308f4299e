/* SPDX-License-Identifier: Apache-2.0 */
/* mount - keep file systems mounted, and entries of /etc/fstab.
 *
 * The two are two properties, `mounted` and `persist`, so that a report tells which of them was off. What
 * is mounted is changed first: an entry that can't be mounted does not get into the file, where it could
 * keep the machine from booting; and one that can't be unmounted stays in it. */

#include "bring.h"
#include "declared.h"
#include "view.h"

#include <rhost/dry-run.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A(\\/|[A-Z]+=)[^\\n\\r]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The directory it is mounted on; of a swap area its device." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether there should be such a mount; absent unmounts it, and takes it out of the file." },
    { .name = "mounted",
      .type = "Optional[Boolean]",
      .desc = "Whether it should be mounted now; where it is not said, it is left as it is." },
    { .name = "persist",
      .type = "Boolean",
      .default_value = "true",
      .desc = "Whether fstab has it, for the next boot." },
    { .name = "device",
      .type = "Pattern[/\\A[^#\\s][^\\n\\r]*\\z/]",
      .desc = "What is mounted: a device, UUID=, LABEL=, PARTUUID=, server:/path, a directory, a word." },
    { .name = "fstype",
      .type = "Pattern[/\\A[^#\\s]+\\z/]",
      .desc = "The type of file system; none for a directory that is shown elsewhere (bind)." },
    { .name = "options",
      .type = "Variant[Array[String[1]], String]",
      .behaviour = RHOST_UNORDERED,
      .initial = "[\"defaults\"]",
      .desc = "Options, written in this order and compared in any." },
    { .name = "dump",
      .type = "Integer[0, 9]",
      .initial = "0",
      .desc = "Whether dump(8) saves it, the fifth field." },
    { .name = "pass",
      .type = "Integer[0, 9]",
      .initial = "0",
      .desc = "When it is checked while booting, the sixth field: 1 the root, 2 others, 0 never." },
    { .name = "remount",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether options that differ are also changed on what is mounted." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "120",
      .desc = "Seconds that mounting or unmounting may take." },
    { .name = "fstab",
      .type = "Pattern[/\\A\\//]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" FSTAB_DEFAULT "\"",
      .desc = "The file of entries." },
    { .name = "system",
      .type = "Boolean",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Whether the machine runs or starts from it: /, /usr, /boot, /proc and the like." },
};

static const struct rhost_action actions[] = {
    { .name = "remount", .desc = "Have what is mounted take its options again." },
};

static const char *const relations[] = {
    "autorequire mount[$name/..]",     "autorequire mount[$device]",
    "autorequire mount[$device/..]",   "autorequire directory[$name]",
    "autorequire directory[$name/..]", "autorequire directory[$device]",
    "autorequire file[$name]",         "autorequire file[$device]",
    "autorequire filesystem[$device]", NULL,
};

/* What is mounted before fstab is read, or needed for that, and what the kernel shows. */
static int
is_of_system(const char *name)
{
    static const char *const whole[] = { "/", "/usr", "/etc", "/var", "/run", "/efi" };
    static const char *const trees[] = { "/boot", "/dev", "/proc", "/sys", "/run/lock", "/run/initramfs" };

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(name, whole[i]) == 0)
            return 1;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (rhost_is_at_or_below(name, trees[i]))
            return 1;
    return 0;
}

/* Under noop: the directory and the device of what is to be mounted exist, or will. */
static int
foresee(rhost_ctx *ctx, const char *name, const rhost_value *should, const struct view *v)
{
    const char *device = rhost_str_or(should, "device", v->in_fstab ? v->entry.field[FSTAB_DEVICE] : "");
    const char *end = strrchr(name, '/');
    struct stat st;

    if (!rhost_looks_ahead(ctx, should) || !rhost_bool(should, "mounted", 0) || v->fs || *name != '/')
        return 0;
    if (rhost_path_stat(ctx, name, RHOST_PATH_FOLLOW, &st) < 0 && errno == ENOENT
        && !rhost_will_exist(ctx, "directory", name) && !rhost_will_exist(ctx, "link", name)
        && !rhost_will_exist(ctx, "file", name)
        && !rhost_directory_will_exist(ctx, rhost_copy(ctx, name, (size_t)(end - name)))
        && rhost_fail_missing(
               ctx, "name",
               rhost_fmt(ctx, "directory '%s' does not exist, and no directory[%s] creates it", name, name))
               < 0)
        return -1;
    if (strncmp(device, "/dev/", 5) == 0 && rhost_path_stat(ctx, device, RHOST_PATH_FOLLOW, &st) < 0
        && errno == ENOENT)
        return rhost_fail_missing(ctx, "device", rhost_fmt(ctx, "device '%s' does not exist", device));
    return 0;
}

static int32_t
mount_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct view v;
    int is_other;

    if (view_read(ctx, rhost_str(name, "name"), should, &v) < 0)
        return -1;
    if (foresee(ctx, rhost_str(name, "name"), should, &v) < 0) {
        mnt_unref_table(v.table);
        return -1;
    }
    if (!v.in_fstab && !v.fs) {
        mnt_unref_table(v.table);
        return RHOST_ABSENT;
    }
    if (v.in_fstab && view_is_all_text(&v.entry))
        view_report_entry(ctx, &v.entry, current);
    else if (!v.in_fstab && view_is_text(mnt_fs_get_source(v.fs)))
        view_report_mount(ctx, v.fs, current);
    /* Neither mounted nor in fstab is what does not exist; where something else is mounted, the one that the
     * manifest asks for stays unknown. */
    is_other = !v.in_fstab && !v.is_it && !view_is_unwanted(should);
    if (!is_other || !rhost_bool(should, "persist", 1))
        rhost_put_bool(current, "persist", v.in_fstab);
    if ((!is_other || rhost_bool(should, "persist", 1))
        && (!v.in_fstab || strcmp(v.entry.field[FSTAB_TYPE], "swap") != 0))
        rhost_put_bool(current, "mounted", v.fs && (v.is_it || view_is_unwanted(should)));
    if (!should && is_of_system(rhost_str_or(name, "name", ""))
        && !(v.in_fstab && strcmp(v.entry.field[FSTAB_TYPE], "swap") == 0))
        rhost_put_bool(current, "system", 1);
    mnt_unref_table(v.table);
    return 0;
}

/* What is mounted may differ from fstab; what is in fstab is compared by the host. */
static int32_t
insync_options(rhost_ctx *ctx, const struct rhost_change *change, const struct view *v)
{
    struct options wanted = options_of(ctx, rhost_get(change->should, "options")), now;
    struct options saved = v->in_fstab ? view_options(ctx, &v->entry) : wanted;
    const char *word;

    int other = !options_are(&saved, &wanted);

    if (!v->fs || !v->is_it || view_is_unwanted(change->should) || !rhost_bool(change->should, "remount", 1)
        || strcmp(mnt_fs_get_fstype(v->fs), "autofs") == 0)
        return other ? RHOST_DEFAULT_COMPARISON : 0;
    if (other && !options_differ_in_flags(&saved, &wanted) && !mounts_is_in_memory(v->fs)
        && !change->should->host->sensitive(rhost_get(change->should, "options")))
        return rhost_differs(ctx,
                             "%s → %s; if it refuses that while it is mounted, it will be unmounted "
                             "and mounted again",
                             options_text(ctx, &saved, NULL), options_text(ctx, &wanted, NULL));
    if (other)
        return RHOST_DEFAULT_COMPARISON;
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

    if (view_read(ctx, rhost_str(change->name, "name"), change->should, &v) < 0)
        return -1;
    if (of_entry && !v.in_fstab)
        result = 0; /* told by `persist` and `mounted` */
    else if (strcmp(attribute, "options") == 0)
        result = insync_options(ctx, change, &v);
    else if (strcmp(attribute, "mounted") == 0 && v.fs && !v.is_it && !view_is_unwanted(change->should))
        result = rhost_differs(ctx, "'%s' (%s) is mounted there and will be unmounted",
                               mnt_fs_get_source(v.fs), mnt_fs_get_fstype(v.fs));
    mnt_unref_table(v.table);
    return result;
}

static int
emit_entry(rhost_ctx *ctx, const struct fstab_entry *entry, struct libmnt_table *table)
{
    rhost_value *resource = ctx->host->new_hash(ctx);
    int swap = strcmp(entry->field[FSTAB_TYPE], "swap") == 0;
    struct libmnt_fs *fs = swap ? NULL : mounts_at(ctx, table, entry->name);
    struct options options = view_options(ctx, entry);

    rhost_put_str(resource, "name", entry->name);
    view_report_entry(ctx, entry, resource);
    rhost_put_bool(resource, "persist", 1);
    if (!swap && is_of_system(entry->name)) /* for who purges */
        rhost_put_bool(resource, "system", 1);
    /* Neither would be true where something else is mounted. */
    if (!swap
        && (!fs || mounts_is(ctx, table, fs, entry->field[FSTAB_DEVICE], entry->field[FSTAB_TYPE], &options)))
        rhost_put_bool(resource, "mounted", fs != NULL);
    return ctx->host->emit(ctx, resource);
}

static int
emit_mount(rhost_ctx *ctx, struct libmnt_fs *fs)
{
    rhost_value *resource = ctx->host->new_hash(ctx);

    rhost_put_str(resource, "name", mnt_fs_get_target(fs));
    view_report_mount(ctx, fs, resource);
    rhost_put_bool(resource, "persist", 0);
    rhost_put_bool(resource, "mounted", 1);
    if (is_of_system(mnt_fs_get_target(fs)))
        rhost_put_bool(resource, "system", 1);
    return ctx->host->emit(ctx, resource);
}

/* Entries whose name is no name here ("none", where no swap area is), or that come again, are left out. */
static int
is_listed(rhost_ctx *ctx, const struct rhost_lines *l, const struct fstab_entry *entry)
{
    struct fstab_entry first;

    if (!view_is_all_text(entry) || !view_is_text(entry->name) || fstab_has_dots(entry->name)
        || strpbrk(entry->name, "\r\n") || strpbrk(entry->field[FSTAB_DEVICE], "\r\n"))
        return 0;
    if (*entry->name != '/' && !(strcmp(entry->field[FSTAB_TYPE], "swap") == 0 && strchr(entry->name, '=')))
        return 0;
    return fstab_find(ctx, l, entry->name, &first) && first.line == entry->line;
}

/* fstab, and what is mounted beside it of devices and servers. */
static int32_t
mount_get(rhost_ctx *ctx, const rhost_value *names)
{
    const struct rhost_lines *l = rhost_lines_of(ctx, FSTAB_DEFAULT);
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

        if (mounts_is_real(fs) && view_is_text(target) && view_is_text(mnt_fs_get_source(fs))
            && !strpbrk(target, "\r\n") && mounts_at(ctx, table, target) == fs
            && !fstab_find(ctx, l, target, &entry))
            failed = emit_mount(ctx, fs) < 0;
    }
    mnt_free_iter(i);
    mnt_unref_table(table);
    return failed ? -1 : 0;
}

static const char *const needs[] = { "root if $mounted",
                                     "write[$fstab] if $persist",
                                     "read[/proc]",
                                     "read[/sys/block]",
                                     "read[/dev]",
                                     "run[mount]",
                                     "run[umount]",
                                     "run[systemctl]",
                                     "run[unshare]",
                                     "capability[sys_admin sys_ptrace]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider mount_provider = {
    RHOST_PROVIDER("mount", "Keep file systems mounted, and entries of /etc/fstab."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .features = RHOST_READ_BACK,
    .refresh_action = "remount",
    .relations = relations,
    .needs = needs,
    .canonicalize = declared_canonicalize,
    .insync = mount_insync,
    .load = mount_load,
    .get = mount_get,
    .create = bring_it,
    .update = bring_it,
    .remove = bring_remove,
    .act = bring_act,
};

RHOST_PLUGIN(mount, "1.0", &mount_provider)
