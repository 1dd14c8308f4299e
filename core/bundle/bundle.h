/* SPDX-License-Identifier: Apache-2.0 */
/* bundle - a revision of a site: three files beside each other. rN.json describes it, rN.json.sig is its
 * signature, and SHA256.tar.zst has its files. */
#ifndef RH_BUNDLE_BUNDLE_H
#define RH_BUNDLE_BUNDLE_H

#include "base/cleanup.h"
#include "base/text.h"
#include "bundle/description.h"
#include "bundle/files.h"
#include "bundle/signed.h"

#include <stdint.h>

struct rh_arena;
struct rh_error;

/* make.c */

struct rh_bundle_request {
    const char *directory, *output; /* of the site; where the bundle goes */
    const char *manifest;           /* below the directory */
    int64_t revision;               /* 0: the one after the highest that is in the output directory */
    int64_t parent;                 /* 0: the highest that is there */
    const char *min_rhost, *commit; /* or NULL */
    const char *types;              /* names with commas between; or NULL */
};

/* Writes the archive and the description, in this order. `path` gets the name of the description. A revision
 * that is there already with other contents is an error. */
RH_CHECKED int rh_bundle_make(const struct rh_bundle_request *r, struct rh_buf *path, struct rh_error *err);

/* open.c */

struct rh_bundle {
    struct rh_arena *arena;
    struct rh_description description;
    struct rh_bundle_files files;
    struct rh_signed described; /* the description as it was read, and who signed it */
};

#define rh_autobundle __attribute__((cleanup(rh_bundle_clear)))

/* Reads it. Its signature is verified first, where `signers` (a file of allowed signers) is not NULL; then
 * the archive must have the size and the digest of the description. For root, the file of signers must be one
 * that others cannot change. */
RH_CHECKED int rh_bundle_open(struct rh_bundle *b, const char *path, const char *signers,
                              struct rh_error *err);

/* Reads its description alone, in the same way: for what gets the archive afterwards. */
RH_CHECKED int rh_bundle_describe(struct rh_bundle *b, const char *path, const char *signers,
                                  struct rh_error *err);

/* Unpacks it below the directory, and adds where the manifest is to `path`. A bundle that is there already is
 * used; the oldest are removed where there are more than a few. */
RH_CHECKED int rh_bundle_unpack(const struct rh_bundle *b, const char *directory, struct rh_buf *path,
                                struct rh_error *err);

/* The file beside the description that has its archive; the caller's. */
char *rh_bundle_archive_path(const char *path, const char *sha256);

void rh_bundle_clear(struct rh_bundle *b);

/* diff.c: prints how the files of `b` differ from those of `a`: a unified diff, or one line for each file.
 * The number of files that differ; -1 with an error. */
RH_CHECKED int rh_bundle_diff(const struct rh_bundle *a, const struct rh_bundle *b, struct rh_error *err);

/* publish.c: copies the bundle to a directory, the archive first; another bundle of the same revision there
 * is an error. */
RH_CHECKED int rh_bundle_publish(const struct rh_bundle *b, const char *path, const char *directory,
                                 struct rh_error *err);

/* publish-rsync.c: the same to what rsync takes as its destination, HOST:DIRECTORY or a directory. */
RH_CHECKED int rh_bundle_publish_rsync(const struct rh_bundle *b, const char *path, const char *to,
                                       struct rh_error *err);

/* publish-s3.c: the same to a store that speaks S3, as BUCKET/PREFIX. */
RH_CHECKED int rh_bundle_publish_s3(const struct rh_bundle *b, const char *path, const char *to,
                                    struct rh_error *err);

/* Puts channel.json and its signature, after it was verified, where the revisions that it names are there and
 * the channel that is there has a lower serial. */
RH_CHECKED int rh_channel_publish_s3(const char *path, const char *signers, const char *to,
                                     struct rh_error *err);

#endif
