/* SPDX-License-Identifier: Apache-2.0 */
/* table - the partition table of a disk. */

#include "table.h"

#include "../filesystem/signature.h"
#include "../filesystem/use.h"

#include <blkid.h>

enum { SECTOR = 512 };

static uint64_t
up(uint64_t n)
{
    return (n + TABLE_STEP - 1) / TABLE_STEP * TABLE_STEP;
}

static uint64_t
down(uint64_t n)
{
    return n / TABLE_STEP * TABLE_STEP;
}

void
table_new(const struct device *d, int gpt, struct table *t)
{
    const uint64_t most = UINT64_C(0xffffffff) * SECTOR;

    memset(t, 0, sizeof *t);
    t->gpt = gpt;
    t->first = TABLE_STEP;
    t->end = d->size > TABLE_STEP ? down(gpt ? d->size - TABLE_STEP : d->size) : 0;
    if (!gpt && t->end > most)
        t->end = down(most);
}

int
table_refuse_wide(rhost_ctx *ctx, const struct device *d, int gpt)
{
    if (gpt || device_sector(ctx, d) == SECTOR || d->size <= (UINT64_C(1) << 32) * SECTOR)
        return 0;
    return device_fail(ctx, d,
                       "'%s' has more than 2 TiB and sectors of %u bytes: its MBR cannot be read, and only a "
                       "table of type gpt is changed",
                       d->path, device_sector(ctx, d));
}

/* sfdisk repairs a GPT that is damaged, by the copy at its end; whether that one is right is not for us to
 * say. */
static int
has_gpt_header(rhost_ctx *ctx, const struct device *d, const char *type)
{
    char mark[8];

    return strcmp(type, "gpt") != 0
           || (pread(d->fd, mark, sizeof mark, device_sector(ctx, d)) == (ssize_t)sizeof mark
               && memcmp(mark, "EFI PART", sizeof mark) == 0);
}

/* The type of the table, where there is one and nothing else; NULL: something else. */
static const char *
only_table(const struct signatures *s)
{
    const char *type = NULL;

    for (size_t i = 0; i < s->n; i++) {
        const char *one = s->at[i].type;

        if (s->at[i].is_table && strcmp(one, "PMBR") == 0)
            continue;
        if (type || !s->at[i].is_table || (strcmp(one, "gpt") != 0 && strcmp(one, "dos") != 0))
            return NULL;
        type = one;
    }
    return type;
}

/* 1, 0 where there is nothing, or -1 after the reason was given. */
static int
check_signatures(rhost_ctx *ctx, const struct device *d)
{
    struct signatures s;

    if (signatures_read(ctx, d, &s) < 0)
        return -1;
    if (s.n == 0)
        return 0;
    if (!only_table(&s))
        return device_fail(
            ctx, d, "'%s' has %s, and not only a partition table of type gpt or dos; nothing is changed",
            d->path, signatures_text(ctx, &s));
    if (!has_gpt_header(ctx, d, only_table(&s)))
        return device_fail(
            ctx, d,
            "the partition table at the start of '%s' is damaged, and only its copy is left; nothing is "
            "changed ('sfdisk --verify %s' says more)",
            d->path, d->real);
    return 1;
}

static int
read_list(rhost_ctx *ctx, const struct device *d, blkid_probe probe, struct table *t)
{
    blkid_partlist list;
    int n;

    if (blkid_probe_set_device(probe, d->fd, 0, (blkid_loff_t)d->size) != 0
        || blkid_probe_set_sectorsize(probe, device_sector(ctx, d)) != 0
        || blkid_probe_enable_partitions(probe, 1) != 0
        || blkid_probe_set_partitions_flags(probe, BLKID_PARTS_FORCE_GPT) != 0
        || !(list = blkid_probe_get_partitions(probe)) || !blkid_partlist_get_table(list))
        return device_fail(ctx, d, "libblkid cannot read the partition table of '%s'", d->path);
    table_new(d, strcmp(blkid_parttable_get_type(blkid_partlist_get_table(list)), "gpt") == 0, t);
    if (t->gpt && blkid_parttable_get_offset(blkid_partlist_get_table(list)) != device_sector(ctx, d))
        return device_fail(
            ctx, d,
            "the partition table at the start of '%s' is damaged, and only its copy is good; nothing is "
            "changed ('sfdisk --verify %s' says more)",
            d->path, d->real);
    if (table_refuse_wide(ctx, d, t->gpt) < 0)
        return -1;
    n = blkid_partlist_numof_partitions(list);
    t->at = rhost_alloc(ctx, ((size_t)(n > 0 ? n : 0) + 1) * sizeof *t->at);
    for (int i = 0; i < n; i++) {
        blkid_partition p = blkid_partlist_get_partition(list, i);
        const char *text;
        struct partition *one = &t->at[t->n];

        if (!p)
            return device_fail(ctx, d, "libblkid cannot read the partitions of '%s'", d->path);
        memset(one, 0, sizeof *one);
        one->number = blkid_partition_get_partno(p);
        one->start = (uint64_t)blkid_partition_get_start(p) * SECTOR;
        one->size = (uint64_t)blkid_partition_get_size(p) * SECTOR;
        text = blkid_partition_get_type_string(p);
        one->code = t->gpt ? rhost_strdup(ctx, text ? text : "")
                           : rhost_fmt(ctx, "%02x", (unsigned)blkid_partition_get_type(p) & 0xff);
        if ((text = blkid_partition_get_name(p)) && *text)
            one->name = rhost_strdup(ctx, text);
        if ((text = blkid_partition_get_uuid(p)) && *text)
            one->uuid = rhost_strdup(ctx, text);
        /* libblkid gives an extended partition the size of its first sectors. */
        if (!t->gpt && blkid_partition_is_extended(p))
            one->is_extended = 1;
        t->n++;
    }
    return 1;
}

/* An extended partition takes all that is behind it, for what libblkid tells: logical partitions are not made
 * here. */
static void
close_extended(struct table *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].is_extended)
            t->at[i].size = t->end > t->at[i].start ? t->end - t->at[i].start : TABLE_STEP;
}

int
table_read(rhost_ctx *ctx, const struct device *d, struct table *t)
{
    blkid_probe probe;
    int found;

    if (device_attribute(ctx, d, "partition"))
        return device_fail(ctx, d, "'%s' is a partition, and not a disk", d->path);
    found = check_signatures(ctx, d);
    if (found <= 0)
        return found;
    probe = blkid_new_probe();
    if (!probe)
        return device_fail(ctx, d, "cannot probe '%s': out of memory", d->path);
    found = read_list(ctx, d, probe, t);
    blkid_free_probe(probe);
    if (found < 0)
        return -1;
    close_extended(t);
    return 1;
}

const struct partition *
table_find(const struct table *t, int number)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].number == number)
            return &t->at[i];
    return NULL;
}

/* Where the next partition that ends behind `at` starts, or the end. */
static uint64_t
next_start(const struct table *t, uint64_t at)
{
    uint64_t next = t->end;

    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].start >= at && t->at[i].start < next)
            next = t->at[i].start;
    return next;
}

uint64_t
table_room(const struct table *t, const struct partition *p)
{
    uint64_t end = p->start + p->size, next = next_start(t, end);

    for (size_t i = 0; i < t->n; i++) /* what lies in it: none grows */
        if (&t->at[i] != p && t->at[i].start < end && t->at[i].start + t->at[i].size > p->start)
            return 0;
    next = next == t->end ? next : down(next);
    return next > end ? next - end : 0;
}

static int
is_taken(const struct table *t, uint64_t at)
{
    for (size_t i = 0; i < t->n; i++)
        if (at >= t->at[i].start && at < t->at[i].start + t->at[i].size)
            return 1;
    return 0;
}

int
table_free(const struct table *t, uint64_t size, uint64_t *start, uint64_t *found)
{
    uint64_t best = 0, first = 0;

    for (size_t i = 0; i <= t->n; i++) {
        uint64_t at = up(i < t->n ? t->at[i].start + t->at[i].size : t->first), next = next_start(t, at),
                 room;

        if (at < t->first || is_taken(t, at))
            continue;
        room = next > at ? down(next) - at : 0;
        if (room < TABLE_STEP || room < size)
            continue;
        if (!best || (size ? at < first : room > best)) {
            best = room;
            first = at;
        }
    }
    *start = first;
    *found = size && best ? size : best;
    return best != 0;
}
