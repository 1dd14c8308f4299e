/* SPDX-License-Identifier: Apache-2.0 */
/* publish-s3 - bundles and channels in a store that speaks S3, as BUCKET/PREFIX. */
#ifndef RH_BUNDLE_PUBLISH_S3_H
#define RH_BUNDLE_PUBLISH_S3_H

#include "base/cleanup.h"

struct rh_bundle;
struct rh_error;

/* Puts the archive, the signature and at last the description of the bundle of `path`; another bundle of the
 * same revision there is an error. */
RH_CHECKED int rh_bundle_publish_s3(const struct rh_bundle *b, const char *path, const char *to,
                                    struct rh_error *err);

/* Puts channel.json and its signature, after it was verified, where the revisions that it names are there and
 * the channel that is there has a lower serial. */
RH_CHECKED int rh_channel_publish_s3(const char *path, const char *signers, const char *to,
                                     struct rh_error *err);

#endif
