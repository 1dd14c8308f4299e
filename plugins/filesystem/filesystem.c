/* SPDX-License-Identifier: Apache-2.0 */
/* filesystem - file systems on devices. None is ever overwritten, made smaller or removed. */

#include "device.h"
#include "grow.h"
#include "make.h"
#include "signature.h"
#include "tool.h"
#include "use.h"
#include "uuid.h"

#include <rhost/dry-run.h>

#include <dirent.h>

#define TYPES "Enum[ext2, ext3, ext4, xfs, btrfs, vfat]"

static const struct rhost_attr attrs[] = {
    { .name = "device",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The block device, or a file that is the image of one." },
    { .name = "fstype", .type = TYPES, .behaviour = RHOST_INIT_ONLY, .desc = "The type of the file system." },
    { .name = "label",
      .type = "Optional[Pattern[/\\A([!-.0-~]([ -.0-~]*[!-.0-~])?)?\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The label that it is made with." },
    { .name = "uuid",
      .type = "Optional[Pattern[/\\A(\\h{8}-\\h{4}-\\h{4}-\\h{4}-\\h{12}|\\h{4}-\\h{4})\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The UUID that it is made with; without it, a random one. Of vfat 8 digits, as 1234-ABCD." },
    { .name = "grow",
      .type = "Optional[Boolean]",
      .desc = "Whether it should fill its device, and grows where it does not. It never becomes smaller." },
    { .name = "options",
      .type = "Array[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "[]",
      .desc = "Options of mkfs that it is made with." },
    { .name = "size",
      .type = "Optional[Integer]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Its size in bytes." },
};

static const char *const relations[] = { "autorequire file[$device]", NULL };

static int32_t
filesystem_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "device");
    uuid_tidy(ctx, resource);
    return 0;
}

static int32_t
filesystem_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *fstype = rhost_str(resource, "fstype"), *label = rhost_str(resource, "label");
    const char *uuid = rhost_str(resource, "uuid");
    const struct maker *m = fstype ? make_find(fstype) : NULL;
    int vfat = fstype && strcmp(fstype, "vfat") == 0, failed = 0;

    if (strchr(rhost_str_or(resource, "device", ""), '\n'))
        failed = rhost_fail_attr(ctx, "device", "it has a newline");
    if (!m)
        return rhost_fail_attr(ctx, "fstype", "'fstype' is required: the type of the file system");
    if (label && strlen(label) > m->longest_label)
        failed = rhost_fail_attr(ctx, "label", "a label of %s has at most %zu characters", fstype,
                                 m->longest_label);
    if (uuid && (strlen(uuid) == 9) != vfat)
        failed = rhost_fail_attr(
            ctx, "uuid", vfat ? "that of vfat has 8 digits, as 1234-ABCD" : "that of %s has 32 digits",
            fstype);
    if (vfat && rhost_bool(resource, "grow", 0))
        failed = rhost_fail_attr(ctx, "grow", "a file system of type vfat cannot be grown");
    return make_check_options(ctx, resource) < 0 || failed ? -1 : 0;
}

static int
report(rhost_ctx *ctx, const struct device *d, const struct signature *s, rhost_value *current)
{
    uint64_t size;

    if (grow_size(ctx, d, s->type, &size) < 0)
        return -1;
    rhost_put_str(current, "fstype", s->type);
    rhost_put_str(current, "label", s->label ? s->label : "");
    if (s->uuid)
        rhost_put_str(current, "uuid", s->uuid);
    if (size) {
        rhost_put_int(current, "size", (int64_t)size);
        rhost_put_bool(current, "grow", !grow_has_room(d, size));
    }
    return 0;
}

/* Under noop: what making it would refuse. */
static int32_t
foresee_making(rhost_ctx *ctx, const struct device *d, const rhost_value *should)
{
    const struct maker *m = make_find(rhost_str_or(should, "fstype", ""));

    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    if (make_check_device(ctx, d) < 0)
        return -1;
    if (m && !tool_exists(ctx, m->program)
        && rhost_fail_missing(ctx, "fstype",
                              rhost_fmt(ctx, "cannot make %s: %s is not installed (package %s)", m->fstype,
                                        m->program, m->package))
               < 0)
        return -1;
    return RHOST_ABSENT;
}

static int
fail_half(rhost_ctx *ctx, const struct device *d, const char *fstype)
{
    const char *where = use_mount_point(ctx, d);

    if (where)
        return rhost_fail(
            ctx,
            "'%s' has a file system (%s) whose making was not seen to end, and it is mounted at "
            "'%s': check it",
            d->path, fstype, where);
    return rhost_fail(
        ctx,
        "'%s' has a file system (%s) that may not be complete: mkfs was interrupted; if nothing of "
        "worth is in it, %s",
        d->path, fstype,
        d->number ? rhost_fmt(ctx, "'wipefs --all %s' removes it", d->real)
                  : "'truncate -s 0' and 'truncate -s SIZE' make it an empty image");
}

static int32_t
load_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const struct device *d,
          rhost_value *current)
{
    const char *wanted = rhost_str(should, "fstype");
    struct signatures s;

    if (signatures_read(ctx, d, &s) < 0)
        return -1;
    if (s.n == 0)
        return foresee_making(ctx, d, should);
    if (s.n == 1 && make_is_half(ctx, name, s.at[0].uuid))
        return fail_half(ctx, d, s.at[0].type);
    if (s.n == 1 && (wanted ? strcmp(s.at[0].type, wanted) == 0 : make_find(s.at[0].type) != NULL)) {
        if (report(ctx, d, &s.at[0], current) < 0)
            return -1;
        if (rhost_looks_ahead(ctx, should) && rhost_bool(should, "grow", 0)
            && !rhost_bool(current, "grow", 1))
            return grow_check(ctx, d, s.at[0].type);
        return 0;
    }
    if (!should)
        return RHOST_ABSENT;
    return rhost_fail(ctx, "'%s' has %s, and not only a file system (%s); nothing is overwritten", d->path,
                      signatures_text(ctx, &s), wanted ? wanted : "any");
}

static int32_t
filesystem_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "device");
    struct device d;
    int32_t result;
    int opened = device_open(ctx, path, &d);

    if (opened > 0 && should) {
        const char *message = rhost_fmt(ctx, "device '%s' does not exist", path);

        if (!rhost_looks_ahead(ctx, should))
            return rhost_fail(ctx, "%s", message);
        return rhost_fail_missing(ctx, "device", message) < 0 ? -1 : RHOST_ABSENT;
    }
    if (opened)
        return opened < 0 ? -1 : RHOST_ABSENT;
    result = load_open(ctx, name, should, &d, current);
    device_close(&d);
    return result;
}

static int32_t
filesystem_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    (void)ctx;
    /* Without `grow: true` any size is right. */
    if (strcmp(attribute, "grow") == 0 && !rhost_bool(change->should, "grow", 0))
        return 0;
    return RHOST_DEFAULT_COMPARISON;
}

/* What can't be read is not listed: a drive without a medium, a device that goes away. */
static int
emit_device(rhost_ctx *ctx, const char *path)
{
    rhost_value *one = ctx->host->new_hash(ctx);
    struct signatures s;
    struct device d;
    int result = 0;

    if (device_open_listed(ctx, path, &d) < 0)
        return 0;
    if (signatures_read(ctx, &d, &s) == 0 && s.n == 1 && make_find(s.at[0].type)
        && report(ctx, &d, &s.at[0], one) == 0) {
        rhost_put_str(one, "device", path);
        result = ctx->host->emit(ctx, one);
    }
    device_close(&d);
    return result;
}

/* Only for lists: load() reads the resources of a manifest. */
static int32_t
filesystem_get(rhost_ctx *ctx, const rhost_value *names)
{
    DIR *all = opendir("/sys/class/block");
    struct dirent *e;
    int result = 0;

    (void)names;
    if (!all)
        return errno == ENOENT ? 0
                               : rhost_fail_errno(ctx, "cannot list the block devices in '/sys/class/block'");
    while (result >= 0 && (e = readdir(all))) {
        char *path = rhost_fmt(ctx, "/dev/%s", e->d_name);

        if (*e->d_name == '.')
            continue;
        for (char *p = path; (p = strchr(p, '!'));)
            *p = '/'; /* cciss!c0d0 is /dev/cciss/c0d0 */
        result = emit_device(ctx, path);
    }
    (void)closedir(all);
    return result < 0 ? -1 : 0;
}

static int32_t
filesystem_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "device");
    const char *fstype = rhost_str(change->should, "fstype");
    struct signatures s;
    struct device d;
    int32_t result = -1;
    int opened;

    if (!rhost_changed(ctx, change, "grow"))
        return 0;
    opened = device_open(ctx, path, &d);
    if (opened)
        return opened < 0 ? -1 : rhost_fail(ctx, "device '%s' does not exist", path);
    if (device_lock(ctx, &d) == 0 && signatures_read(ctx, &d, &s) == 0) {
        if (s.n == 1 && strcmp(s.at[0].type, fstype) == 0)
            result = grow_it(ctx, &d, fstype);
        else
            (void)rhost_fail(ctx, "'%s' has %s now; nothing was changed", path, signatures_text(ctx, &s));
    }
    device_close(&d);
    return result;
}

static const char *const needs[] = { "read[$device]",   "read[/dev]",     "read[/sys]",
                                     "read[/proc]",     "run[mkfs.ext2]", "run[mkfs.ext3]",
                                     "run[mkfs.ext4]",  "run[mkfs.xfs]",  "run[mkfs.btrfs]",
                                     "run[mkfs.vfat]",  "run[e2fsck]",    "run[resize2fs]",
                                     "run[xfs_growfs]", "run[btrfs]",     NULL };

static const struct rhost_provider filesystem_provider = {
    RHOST_PROVIDER("filesystem", "File systems on devices, which are made and never overwritten."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .irreversible = "what was on the device before is not kept",
    .canonicalize = filesystem_canonicalize,
    .validate = filesystem_validate,
    .insync = filesystem_insync,
    .load = filesystem_load,
    .get = filesystem_get,
    .create = make_it,
    .update = filesystem_update,
};

RHOST_PLUGIN(filesystem, "1.0", &filesystem_provider)
