/* SPDX-License-Identifier: Apache-2.0 */
/* decompress - the content of a compressed file, by the filters of libarchive. */
#ifndef REMOTE_FILE_DECOMPRESS_H
#define REMOTE_FILE_DECOMPRESS_H

#include <rhost/provider.h>

#include <sys/types.h>

/* What came of it. */
struct decompressed {
    off_t size;      /* bytes of the content */
    const char *sum; /* "ALGORITHM:HEX" of the content, in memory of the call */
    uint32_t crc;    /* CRC-32 of the content, where it was compressed with gzip */
    const char *why; /* it cannot be decompressed, in words in memory of the call; NULL: it was */
};

/* Whether `decompress` says so. */
int decompress_is_desired(const rhost_value *should);

/* Writes the content of the file `from`, of `size` bytes, to the file `to`, which it empties first. The size
 * of the content is limited by `size_limit`. `is_checked`: a checksum or a signature says that the bytes are
 * as they were made. 0, see `d`; or -1, with the reason given, when `to`, which is to become `path`, cannot
 * be written or the run is to end. */
int32_t decompress_file(rhost_ctx *ctx, const rhost_value *should, const char *path, int from, off_t size,
                        int is_checked, int to, struct decompressed *d);

#endif
