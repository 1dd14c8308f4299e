/* SPDX-License-Identifier: Apache-2.0 */
/* description - rN.json: what a revision of a site is. It is what gets signed, and has the digest of the
 * archive. */
#ifndef RH_BUNDLE_DESCRIPTION_H
#define RH_BUNDLE_DESCRIPTION_H

#include "base/cleanup.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_value;

#define RH_BUNDLE_NAMESPACE "rhost-bundle"
#define RH_BUNDLE_SUFFIX ".tar.zst"
#define RH_BUNDLE_LAST INT64_C(999999999999999999) /* the highest revision */

struct rh_description {
    int64_t revision, parent; /* parent 0: none */
    char sha256[65];          /* of the archive, SHA256.tar.zst beside it */
    int64_t size, unpacked;   /* bytes of the archive, and of all its files */
    int64_t files;
    const char *manifest;         /* what is applied, "site.yaml" */
    const char *min_rhost;        /* NULL: any version */
    const char *commit;           /* of the sources, as version control says it; or NULL */
    const struct rh_value *types; /* the names of those that the manifest uses */
};

/* Reads it, and checks each part; its texts go into `a`. Parts that are unknown are ignored; another format
 * is an error. */
RH_CHECKED int rh_description_read(struct rh_arena *a, const char *text, size_t n, struct rh_description *d,
                                   struct rh_error *err);

/* The same description has the same bytes. */
void rh_description_write(struct rh_buf *b, const struct rh_description *d);

/* -1 with an error where this rhost is older than `min_rhost`. */
RH_CHECKED int rh_description_check_version(const struct rh_description *d, const char *version,
                                            struct rh_error *err);

#endif
