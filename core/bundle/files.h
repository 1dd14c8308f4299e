/* SPDX-License-Identifier: Apache-2.0 */
/* files - the files of a bundle, in memory, and as an archive. */
#ifndef RH_BUNDLE_FILES_H
#define RH_BUNDLE_FILES_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;
struct rh_error;

struct rh_bundle_file {
    char *path, *bytes;
    size_t n;
    bool executable;
};

struct rh_bundle_files {
    struct rh_bundle_file *v; /* sorted by path once they are complete */
    size_t n, cap;
    uint64_t bytes;
};

#define rh_autofiles __attribute__((cleanup(rh_files_clear)))

/* Reads those of a site, without its secrets in plain text, which are named on standard error. */
RH_CHECKED int rh_files_read(struct rh_bundle_files *f, const char *directory, struct rh_error *err);

/* The file of this path, or NULL. */
const struct rh_bundle_file *rh_files_find(const struct rh_bundle_files *f, const char *path);

/* The archive of them: a tar file, compressed by zstd. The same files have the same bytes as long as libzstd
 * is the same. */
RH_CHECKED int rh_files_pack(const struct rh_bundle_files *f, struct rh_buf *b, struct rh_error *err);

/* Reads an archive that has so many files of so many bytes together; more is an error at once. Nothing but
 * plain files below the directory is accepted: no links, no devices, no name twice. */
RH_CHECKED int rh_files_unpack(struct rh_bundle_files *f, const char *archive, size_t n, uint64_t files,
                               uint64_t bytes, struct rh_error *err);

/* Creates them below the directory, which is empty and belongs to this user; on disk when it returns. */
RH_CHECKED int rh_files_write(const struct rh_bundle_files *f, int directory, const char *shown,
                              struct rh_error *err);

/* Whether the directory has each of them as it was written. What else is there does not count. */
bool rh_files_are(const struct rh_bundle_files *f, int directory);

void rh_files_clear(struct rh_bundle_files *f);

#endif
