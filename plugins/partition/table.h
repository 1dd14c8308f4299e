/* SPDX-License-Identifier: Apache-2.0 */
/* table - the partition table of a disk, read by libblkid from what is open. */
#ifndef PARTITION_TABLE_H
#define PARTITION_TABLE_H

#include "../filesystem/device.h"

/* Partitions begin and end at multiples of this, and the first and the last of a GPT are left to its tables.
 */
#define TABLE_STEP (UINT64_C(1) << 20)

struct partition {
    int number;
    uint64_t start, size;    /* in bytes */
    const char *code;        /* its type: a GUID or two hexadecimal digits */
    const char *name, *uuid; /* NULL: it has none */
    int is_extended;         /* of an MBR: its size is what may be in it */
};

struct table {
    int gpt;              /* else dos */
    struct partition *at; /* in memory of the call */
    size_t n;
    uint64_t first, end; /* what partitions may use */
};

/* 1: a table; 0: the disk is blank; -1 after the reason was given: the disk is a partition, or has something
 * else, or a table that is not understood. */
int table_read(rhost_ctx *ctx, const struct device *d, struct table *t);

/* The bounds of a table that is to be made. */
void table_new(const struct device *d, int gpt, struct table *t);

/* Refuses an MBR where libblkid, which counts in 512 bytes and 32 bits, would read wrong places: on a disk of
 * more than 2 TiB whose sectors are larger. 0; or -1 after the reason was given. */
int table_refuse_wide(rhost_ctx *ctx, const struct device *d, int gpt);

const struct partition *table_find(const struct table *t, int number);

/* How many bytes a partition can have more, behind it. */
uint64_t table_room(const struct table *t, const struct partition *p);

/* The first free space of at least `size` bytes, or the largest (size 0): where it starts and how large it
 * is. 0: there is none. */
int table_free(const struct table *t, uint64_t size, uint64_t *start, uint64_t *found);

#endif
