/* SPDX-License-Identifier: Apache-2.0 */
/* write - changes a partition table, by sfdisk(8), and tells the kernel, by partx(8).
 *
 * sfdisk is libfdisk behind an interface that refuses by itself to use a number twice and to overlap. The
 * worker that reads the table has no right to write to disks. */
#ifndef PARTITION_WRITE_H
#define PARTITION_WRITE_H

#include "table.h"

/* Whether the kernel has the partition as the table has it: 1 or 0. It is 1, too, where the kernel takes no
 * partitions, as of a file or a device of the device mapper. */
int write_kernel_has(rhost_ctx *ctx, const struct device *d, const struct partition *p);

/* Has the kernel take what the table says of a partition. 0; or -1 after the reason was given. */
int write_tell_kernel(rhost_ctx *ctx, const struct device *d, int number);

/* Makes an empty table on a blank disk. 0; or -1 after the reason was given. */
int write_table(rhost_ctx *ctx, const struct device *d, int gpt);

/* Adds a partition. 0; or -1 after the reason was given. */
int write_new(rhost_ctx *ctx, const struct device *d, const struct table *before, const struct partition *p);

/* Gives a partition another size, which must be larger. 0; or -1 after the reason was given. */
int write_size(rhost_ctx *ctx, const struct device *d, const struct table *before, const struct partition *p,
               uint64_t size);

/* The path of a partition's device, in memory of the call. */
const char *write_device(rhost_ctx *ctx, const char *disk, int number);

#endif
