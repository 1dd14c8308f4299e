/* SPDX-License-Identifier: Apache-2.0 */
/* partition - partitions of disks with a GPT or an MBR. None is ever removed, moved or made smaller. */

#include "../filesystem/device.h"
#include "../filesystem/signature.h"
#include "../filesystem/tool.h"
#include "../filesystem/use.h"
#include "kind.h"
#include "table.h"
#include "write.h"

#include <rhost/dry-run.h>

#include <dirent.h>

static const struct rhost_attr attrs[] = {
    { .name = "disk",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The disk, or a file that is the image of one." },
    { .name = "number",
      .type = "Pattern[/\\A([1-9]|[1-9]\\d|1[01]\\d|12[0-8])\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The number of the partition; in an MBR from 1 to 4." },
    { .name = "table",
      .type = "Optional[Enum[gpt, dos]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The type of the partition table; a disk with nothing on it gets it, without it gpt." },
    { .name = "size",
      .type = "Optional[Variant[Integer[1048576], Pattern[/\\A[1-9]\\d{0,6}[MGT]\\z/]]]",
      .desc = "Its size in bytes, or with M, G or T. A larger one has it grow, a smaller one is refused." },
    { .name = "grow",
      .type = "Optional[Boolean]",
      .desc = "Whether it should take all of the free space behind it." },
    { .name = "type",
      .type = "Optional[Pattern[/"
              "\\A(linux|swap|uefi|lvm|raid|bios_boot|\\h{2}|\\h{8}-\\h{4}-\\h{4}-\\h{4}-\\h{12})\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "What it is for; a new one without it is for Linux." },
    { .name = "label",
      .type = "Optional[Pattern[/\\A[A-Za-z0-9 ._+:@-]{1,36}\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The name that it has in a GPT." },
    { .name = "start",
      .type = "Optional[Integer]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Where it starts, in bytes." },
    { .name = "device",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The path of its device." },
    { .name = "uuid", .type = "Optional[String]", .behaviour = RHOST_READ_ONLY, .desc = "Its PARTUUID." },
};

static const char *const title_patterns[] = { "\\A(?<disk>\\/.*):(?<number>[0-9]+)\\z", NULL };
static const char *const relations[] = { "autorequire file[$disk]", NULL };

static int
number_of(const rhost_value *name)
{
    return (int)strtol(rhost_str_or(name, "number", "0"), NULL, 10);
}

static int32_t
partition_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *size = rhost_str(resource, "size"), *type = rhost_str(resource, "type"), *word;
    char *unit;

    rhost_tidy_path(ctx, resource, "disk");
    if (size) {
        int64_t n = strtoll(size, &unit, 10);

        int shift = *unit == 'T' ? 40 : *unit == 'G' ? 30 : 20;

        if (n > INT64_MAX >> shift)
            return rhost_fail_attr(ctx, "size", "it is too large");
        rhost_put_int(resource, "size", n << shift);
    }
    word = type ? kind_word(ctx, type) : NULL;
    if (word && strcmp(word, type) != 0)
        rhost_put_str(resource, "type", word);
    return 0;
}

static int32_t
partition_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *table = rhost_str(resource, "table"), *type = rhost_str(resource, "type");
    int dos = table && strcmp(table, "dos") == 0, failed = 0;

    if (strchr(rhost_str_or(resource, "disk", ""), '\n'))
        failed = rhost_fail_attr(ctx, "disk", "it has a newline");
    if (rhost_int(resource, "size", 0) % (int64_t)TABLE_STEP)
        failed = rhost_fail_attr(ctx, "size", "it must be a multiple of 1M");
    if (rhost_get(resource, "size") && rhost_bool(resource, "grow", 0))
        failed = rhost_fail_attr(ctx, "grow", "'size' and 'grow: true' exclude each other");
    if (dos && number_of(resource) > 4)
        failed =
            rhost_fail_attr(ctx, "number", "in an MBR it is from 1 to 4; logical partitions are not made");
    if (dos && rhost_get(resource, "label"))
        failed = rhost_fail_attr(ctx, "label", "partitions of an MBR have no name");
    if (type && table && !kind_code(type, !dos))
        failed = rhost_fail_attr(ctx, "type", "a table of type %s has no such type", table);
    return failed ? -1 : 0;
}

static void
report(rhost_ctx *ctx, const struct device *d, const struct table *t, const struct partition *p,
       rhost_value *current)
{
    rhost_put_str(current, "table", t->gpt ? "gpt" : "dos");
    rhost_put_int(current, "size", (int64_t)p->size);
    rhost_put_bool(current, "grow", table_room(t, p) < TABLE_STEP);
    rhost_put_str(current, "type", kind_word(ctx, p->code));
    if (p->name)
        rhost_put_str(current, "label", p->name);
    rhost_put_int(current, "start", (int64_t)p->start);
    if (d->number)
        rhost_put_str(current, "device", write_device(ctx, d->real, p->number));
    if (p->uuid)
        rhost_put_str(current, "uuid", p->uuid);
}

/* What a new partition will be. 0; or -1 after the reason was given. */
static int
plan_new(rhost_ctx *ctx, const struct device *d, const struct table *t, const rhost_value *should, int number,
         struct partition *p)
{
    uint64_t size = (uint64_t)rhost_int(should, "size", 0), largest, at;

    memset(p, 0, sizeof *p);
    if (table_refuse_wide(ctx, d, t->gpt) < 0)
        return -1;
    p->number = number;
    p->name = rhost_str(should, "label");
    p->code = kind_code(rhost_str_or(should, "type", "linux"), t->gpt);
    if (!p->code)
        return rhost_fail_attr(ctx, "type", "the table of '%s' (%s) has no such type", d->path,
                               t->gpt ? "gpt" : "dos");
    if (!t->gpt && number > 4)
        return rhost_fail_attr(ctx, "number", "in an MBR it is from 1 to 4; logical partitions are not made");
    if (!t->gpt && p->name)
        return rhost_fail_attr(ctx, "label", "'%s' has an MBR, whose partitions have no name", d->path);
    if (table_free(t, size, &p->start, &p->size))
        return 0;
    if (!table_free(t, 0, &at, &largest))
        largest = 0;
    return rhost_fail(
        ctx, "'%s' has no free space for partition %d: %llu MiB are wanted, and the largest has %llu MiB",
        d->path, number, (unsigned long long)((size ? size : TABLE_STEP) >> 20),
        (unsigned long long)(largest >> 20));
}

static int
wants_gpt(const rhost_value *should)
{
    return strcmp(rhost_str_or(should, "table", "gpt"), "gpt") == 0;
}

/* What can be written to. A table that exists may be changed while its partitions are in use. */
static int
check_disk(rhost_ctx *ctx, const struct device *d, int has_table)
{
    const char *flag = device_attribute(ctx, d, "ro");

    if (d->size == 0)
        return rhost_fail(ctx, "'%s' has no size: no medium is in it, or nothing is attached", d->path);
    if (device_check_path(ctx, d) < 0)
        return -1;
    if (!has_table)
        return use_refuse_any(ctx, d) < 0 ? -1 : signatures_refuse_any(ctx, d);
    if (flag && strcmp(flag, "0") != 0)
        return rhost_fail(ctx, "'%s' is read-only", d->path);
    return d->number ? use_refuse_held(ctx, d) : use_refuse_any(ctx, d);
}

/* The size that an existing partition is to have; 0: its own. -1 after the reason was given. */
static int64_t
wanted_size(rhost_ctx *ctx, const struct device *d, const struct table *t, const struct partition *p,
            const rhost_value *should)
{
    int64_t size = rhost_int(should, "size", 0);
    uint64_t room = table_room(t, p);

    if (rhost_bool(should, "grow", 0))
        return room >= TABLE_STEP ? (int64_t)(p->size + room) : 0;
    if (size == 0 || (uint64_t)size == p->size)
        return 0;
    if ((uint64_t)size < p->size)
        return rhost_fail_attr(ctx, "size", "partition %d of '%s' has %llu bytes, and is never made smaller",
                               p->number, d->path, (unsigned long long)p->size);
    if ((uint64_t)size - p->size > room)
        return rhost_fail_attr(ctx, "size", "behind partition %d of '%s' are only %llu MiB free", p->number,
                               d->path, (unsigned long long)(room >> 20));
    return size;
}

/* Under noop: whether the programs exist. */
static int
foresee_tools(rhost_ctx *ctx, const struct device *d)
{
    if (!tool_exists(ctx, "sfdisk")
        && rhost_fail_missing(ctx, NULL, "sfdisk is not installed (package fdisk)") < 0)
        return -1;
    if (d->number && !tool_exists(ctx, "partx")
        && rhost_fail_missing(ctx, NULL, "partx is not installed (package util-linux)") < 0)
        return -1;
    return 0;
}

static int32_t
load_open(rhost_ctx *ctx, const struct device *d, int number, const rhost_value *should, rhost_value *current)
{
    const struct partition *p;
    struct partition planned;
    struct table t;
    int found = table_read(ctx, d, &t);

    if (found < 0)
        return -1;
    if (found == 0)
        table_new(d, wants_gpt(should), &t);
    else if (should && rhost_str(should, "table") && wants_gpt(should) != t.gpt)
        return rhost_fail_attr(ctx, "table", "'%s' has a partition table (%s), which is not replaced",
                               d->path, t.gpt ? "gpt" : "dos");
    p = table_find(&t, number);
    if (p) {
        int64_t size = should ? wanted_size(ctx, d, &t, p, should) : 0;

        report(ctx, d, &t, p, current);
        if (size < 0)
            return -1;
        return size > 0 && rhost_looks_ahead(ctx, should) ? foresee_tools(ctx, d) : 0;
    }
    if (rhost_looks_ahead(ctx, should)
        && (check_disk(ctx, d, found) < 0 || plan_new(ctx, d, &t, should, number, &planned) < 0))
        return -1;
    if (rhost_looks_ahead(ctx, should) && foresee_tools(ctx, d) < 0)
        return -1;
    return RHOST_ABSENT;
}

static int32_t
partition_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "disk"), *message = rhost_fmt(ctx, "disk '%s' does not exist", path);
    struct device d;
    int opened = device_open(ctx, path, &d);
    int32_t result;

    if (opened < 0)
        return -1;
    if (opened > 0 && !should)
        return RHOST_ABSENT;
    if (opened > 0 && !rhost_looks_ahead(ctx, should))
        return rhost_fail(ctx, "%s", message);
    if (opened > 0)
        return rhost_fail_missing(ctx, "disk", message) < 0 ? -1 : RHOST_ABSENT;
    result = load_open(ctx, &d, number_of(name), should, current);
    device_close(&d);
    return result;
}

/* A disk that is not understood is not listed, and neither is one that can't be read. */
static int
emit_disk(rhost_ctx *ctx, const char *path)
{
    struct table t = { 0 };
    struct device d;
    int result = 0;

    if (device_open_listed(ctx, path, &d) < 0)
        return 0;
    if (table_read(ctx, &d, &t) <= 0)
        t.n = 0;
    for (size_t i = 0; result == 0 && i < t.n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);

        if (t.at[i].number > 128)
            continue;
        rhost_put_str(one, "disk", path);
        rhost_put_fmt(one, "number", "%d", t.at[i].number);
        report(ctx, &d, &t, &t.at[i], one);
        result = ctx->host->emit(ctx, one);
    }
    device_close(&d);
    return result;
}

/* Only for lists: load() reads the resources of a manifest. */
static int32_t
partition_get(rhost_ctx *ctx, const rhost_value *names)
{
    DIR *all = opendir("/sys/block");
    struct dirent *e;
    int result = 0;

    (void)names;
    if (!all)
        return errno == ENOENT ? 0 : rhost_fail_errno(ctx, "cannot list the disks in '/sys/block'");
    while (result >= 0 && (e = readdir(all)))
        if (*e->d_name != '.') {
            char *path = rhost_fmt(ctx, "/dev/%s", e->d_name);

            for (char *p = path; (p = strchr(p, '!'));)
                *p = '/'; /* cciss!c0d0 is /dev/cciss/c0d0 */
            result = emit_disk(ctx, path);
        }
    (void)closedir(all);
    return result < 0 ? -1 : 0;
}

/* Whether the kernel has it as the table has it: not when a run was killed between the two. */
static int
kernel_has(rhost_ctx *ctx, const rhost_value *name)
{
    const struct partition *p;
    struct device d;
    struct table t;
    int has = 1;

    if (device_open(ctx, rhost_str(name, "disk"), &d) != 0)
        return 1;
    d.quiet = 1;
    if (table_read(ctx, &d, &t) > 0 && (p = table_find(&t, number_of(name))))
        has = write_kernel_has(ctx, &d, p);
    device_close(&d);
    return has;
}

/* What can only be set at creation can't lead to an update: the others, or the resource as a whole, do. */
static int
is_asked_about_kernel(const rhost_value *should, const char *attribute)
{
    int sized = rhost_has(should, "size") || rhost_has(should, "grow");

    return !sized || strcmp(attribute, "size") == 0 || strcmp(attribute, "grow") == 0;
}

static int
is_as_desired(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *is = rhost_get(change->is, attribute), *should = rhost_get(change->should, attribute);

    return is && should && is->host->equal(is, should);
}

static int32_t
partition_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    int sized = !*attribute || strcmp(attribute, "size") == 0 || strcmp(attribute, "grow") == 0;

    if (change->is && is_asked_about_kernel(change->should, attribute)
        && (sized || is_as_desired(change, attribute)) && !kernel_has(ctx, change->name)) {
        if (sized)
            return rhost_differs(ctx, "the kernel does not have the partition as the table has it");
        return rhost_fail(
            ctx,
            "the kernel does not have partition %d of '%s' as the table has it; 'partx --update "
            "%s' changes that",
            number_of(change->name), rhost_str(change->name, "disk"), rhost_str(change->name, "disk"));
    }
    if (strcmp(attribute, "grow") == 0 && !rhost_bool(change->should, "grow", 0))
        return 0;
    return RHOST_DEFAULT_COMPARISON;
}

/* What is read again under the lock: the partition may have been made or changed meanwhile. */
static int
change_disk(rhost_ctx *ctx, const struct device *d, const struct rhost_change *change)
{
    int number = number_of(change->name), found;
    const struct partition *p;
    struct partition planned;
    struct table t;
    int64_t size;

    found = table_read(ctx, d, &t);
    if (found < 0 || check_disk(ctx, d, found) < 0)
        return -1;
    if (found == 0 && change->is)
        return rhost_fail(ctx, "'%s' has no partition table any more; nothing was changed", d->path);
    if (found == 0)
        table_new(d, wants_gpt(change->should), &t);
    p = table_find(&t, number);
    if (p && !change->is)
        return rhost_fail(ctx, "partition %d of '%s' was made meanwhile; nothing was changed", number,
                          d->path);
    if (!p && change->is)
        return rhost_fail(ctx, "partition %d of '%s' was removed meanwhile; nothing was changed", number,
                          d->path);
    if (p) {
        size = wanted_size(ctx, d, &t, p, change->should);
        if (size > 0)
            return write_size(ctx, d, &t, p, (uint64_t)size);
        return size < 0 || write_kernel_has(ctx, d, p) ? (int)size : write_tell_kernel(ctx, d, number);
    }
    if (plan_new(ctx, d, &t, change->should, number, &planned) < 0)
        return -1;
    if (found == 0 && write_table(ctx, d, t.gpt) < 0)
        return -1;
    return write_new(ctx, d, &t, &planned);
}

static int32_t
partition_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "disk");
    struct device d;
    int opened = device_open(ctx, path, &d), result = -1;

    if (opened)
        return opened < 0 ? -1 : rhost_fail(ctx, "disk '%s' does not exist", path);
    if (device_lock(ctx, &d) == 0)
        result = change_disk(ctx, &d, change);
    device_close(&d);
    return result;
}

static const char *const needs[] = { "read[$disk]", "read[/dev]", "read[/sys]", "read[/proc]",
                                     "run[sfdisk]", "run[partx]", NULL };

static const struct rhost_provider partition_provider = {
    RHOST_PROVIDER("partition", "Partitions of disks, which are made and grow, and are never removed."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .needs = needs,
    .irreversible = "a partition is not removed again",
    .canonicalize = partition_canonicalize,
    .validate = partition_validate,
    .insync = partition_insync,
    .load = partition_load,
    .get = partition_get,
    .create = partition_write,
    .update = partition_write,
};

RHOST_PLUGIN(partition, "1.0", &partition_provider)
