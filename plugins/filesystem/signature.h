/* SPDX-License-Identifier: Apache-2.0 */
/* signature - what libblkid recognizes on a device: file systems, swap areas, members of RAID, LVM and LUKS,
 * partition tables, also those with a wrong checksum. It is what wipefs(8) shows. */
#ifndef FILESYSTEM_SIGNATURE_H
#define FILESYSTEM_SIGNATURE_H

#include "device.h"

struct signature {
    const char *type;         /* "ext4", "crypto_LUKS", "gpt" */
    const char *label, *uuid; /* NULL: it has none */
    int is_table;
};

struct signatures {
    const struct signature *at; /* each type once, in memory of the call */
    size_t n;
    int zeros; /* the first and the last MiB have nothing else in them */
};

/* What is on the device. 0; -1 after the reason was given, above all when a part of it can't be read, and for
 * an internal device of LVM or Stratis, which libblkid does not probe. */
int signatures_read(rhost_ctx *ctx, const struct device *d, struct signatures *s);

/* As an operator reads it: "an ext4 file system", "a gpt partition table and a swap area". */
const char *signatures_text(rhost_ctx *ctx, const struct signatures *s);

/* Refuses a device that has a signature, and a file with data in it, which may be anything: the image of a
 * virtual machine, a database. 0; or -1 after the reason was given, with what to do. */
int signatures_refuse_any(rhost_ctx *ctx, const struct device *d);

#endif
