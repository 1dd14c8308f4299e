/* SPDX-License-Identifier: Apache-2.0 */
/* s3 - a store that speaks S3: whose requests they are, and where they go. As all programs for S3 have it, in
 * the environment: AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL and the like. */
#ifndef RH_SENDER_S3_H
#define RH_SENDER_S3_H

#include <stdbool.h>
#include <stddef.h>

struct rh_s3_account {
    char id[256], secret[256], token[4096]; /* token "": there is none */
};

/* False after complaining. The caller overwrites it in the end. */
bool rh_s3_read_account(struct rh_s3_account *to);

const char *rh_s3_region(void);

/* The URL of BUCKET/KEY. False after complaining, also where the way there has no TLS. */
bool rh_s3_make_url(const char *object, char *url, size_t size);

#endif
