/* SPDX-License-Identifier: Apache-2.0 */
/* write - changes a partition table. */

#include "write.h"

#include "../filesystem/tool.h"

#include <dirent.h>
#include <sys/sysmacros.h>

enum { SYSFS_SECTOR = 512 };

static int
run_sfdisk(rhost_ctx *ctx, const struct device *d, const char *how, const char *number, const char *script)
{
    const char *argv[16], *why;
    size_t n = 0;
    int status;

    argv[n++] = "sfdisk";
    argv[n++] = "--quiet";
    argv[n++] = "--no-reread";
    argv[n++] = "--no-tell-kernel";
    argv[n++] = "--wipe";
    argv[n++] = "never";
    argv[n++] = "--wipe-partitions";
    argv[n++] = "never";
    if (how)
        argv[n++] = how;
    if (number)
        argv[n++] = number;
    argv[n++] = d->real;
    argv[n] = NULL;
    status = tool_run_input(ctx, argv, script, &why);
    if (status < 0)
        return -1;
    return status == 0 ? 0 : rhost_fail(ctx, "sfdisk failed: %s", why);
}

const char *
write_device(rhost_ctx *ctx, const char *disk, int number)
{
    size_t len = strlen(disk);
    int digit = len && disk[len - 1] >= '0' && disk[len - 1] <= '9';

    return rhost_fmt(ctx, "%s%s%d", disk, digit ? "p" : "", number);
}

/* Whether the table is what it was before, but for this partition, which has this place. */
static int
check_after(rhost_ctx *ctx, const struct device *d, const struct table *before, const struct partition *p,
            uint64_t size)
{
    const struct partition *now;
    struct table t;
    int found = table_read(ctx, d, &t);

    if (found < 0)
        return -1;
    if (found == 0)
        return rhost_fail(ctx, "sfdisk ended without an error, but '%s' has no partition table", d->path);
    for (size_t i = 0; i < before->n; i++) {
        const struct partition *was = &before->at[i];

        if (p && was->number == p->number)
            continue;
        now = table_find(&t, was->number);
        if (!now || now->start != was->start || now->size != was->size)
            return rhost_fail(
                ctx,
                "partition %d of '%s' is not where it was before sfdisk ran: look at it before you do "
                "anything else",
                was->number, d->path);
    }
    now = p ? table_find(&t, p->number) : NULL;
    if (p && (!now || now->start != p->start || now->size != size))
        return rhost_fail(ctx,
                          "sfdisk ended without an error, but partition %d of '%s' is not what was asked for",
                          p->number, d->path);
    return 0;
}

/* The number in a file of sysfs about a partition of the disk; -1: there is none. */
static long long
of_partition(rhost_ctx *ctx, const struct device *d, const char *directory, const char *name)
{
    const char *text = device_attribute(ctx, d, rhost_fmt(ctx, "%s/%s", directory, name));

    return text ? strtoll(text, NULL, 10) : -1;
}

int
write_kernel_has(rhost_ctx *ctx, const struct device *d, const struct partition *p)
{
    const char *path = rhost_fmt(ctx, "/sys/dev/block/%u:%u", major(d->number), minor(d->number)),
               *most = device_attribute(ctx, d, "ext_range");
    DIR *directory = d->number && !p->is_extended ? opendir(path) : NULL;
    struct dirent *e;
    int found = !directory || (most && strcmp(most, "1") == 0);

    while (!found && (e = readdir(directory)))
        if (*e->d_name != '.' && of_partition(ctx, d, e->d_name, "partition") == p->number)
            found = (uint64_t)of_partition(ctx, d, e->d_name, "start") * SYSFS_SECTOR == p->start
                    && (uint64_t)of_partition(ctx, d, e->d_name, "size") * SYSFS_SECTOR == p->size;
    if (directory)
        (void)closedir(directory);
    return found;
}

int
write_tell_kernel(rhost_ctx *ctx, const struct device *d, int number)
{
    const char *const argv[] = { "partx", "--update", "--nr", rhost_fmt(ctx, "%d", number), d->real, NULL };
    const char *why;
    int status = d->number ? tool_run(ctx, argv, &why) : 0;

    if (status < 0)
        return -1;
    return status == 0
               ? 0
               : rhost_fail(
                   ctx,
                   "the table of '%s' is written, but the kernel did not take partition %d: %s; 'partx "
                   "--update %s' tries again",
                   d->path, number, why, d->real);
}

int
write_table(rhost_ctx *ctx, const struct device *d, int gpt)
{
    const struct table none = { 0 };

    if (run_sfdisk(ctx, d, NULL, NULL, gpt ? "label: gpt\n" : "label: dos\n") < 0)
        return -1;
    return check_after(ctx, d, &none, NULL, 0);
}

int
write_new(rhost_ctx *ctx, const struct device *d, const struct table *before, const struct partition *p)
{
    uint64_t sector = device_sector(ctx, d); /* what sfdisk counts in */
    const char *script =
        rhost_fmt(ctx, "p%d : start=%llu, size=%llu, type=%s%s%s%s\n", p->number,
                  (unsigned long long)(p->start / sector), (unsigned long long)(p->size / sector), p->code,
                  p->name ? ", name=\"" : "", p->name ? p->name : "", p->name ? "\"" : "");

    if (run_sfdisk(ctx, d, "--append", NULL, script) < 0 || check_after(ctx, d, before, p, p->size) < 0)
        return -1;
    return write_tell_kernel(ctx, d, p->number);
}

int
write_size(rhost_ctx *ctx, const struct device *d, const struct table *before, const struct partition *p,
           uint64_t size)
{
    uint64_t sector = device_sector(ctx, d); /* what sfdisk counts in */
    const char *script = rhost_fmt(ctx, "start=%llu, size=%llu\n", (unsigned long long)(p->start / sector),
                                   (unsigned long long)(size / sector));

    if (size <= p->size)
        return rhost_fail(ctx, "a partition is never made smaller");
    if (run_sfdisk(ctx, d, "--partno", rhost_fmt(ctx, "%d", p->number), script) < 0
        || check_after(ctx, d, before, p, size) < 0)
        return -1;
    return write_tell_kernel(ctx, d, p->number);
}
