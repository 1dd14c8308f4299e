/* SPDX-License-Identifier: Apache-2.0 */
/* blob - the binary format of SSH (RFC 4251, section 5): what keys and signatures are made of. */
#ifndef RH_BUNDLE_BLOB_H
#define RH_BUNDLE_BLOB_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;

/* A part of a text that belongs to somebody else. */
struct rh_blob {
    const unsigned char *p;
    size_t n;
};

/* Each takes a value from the beginning of `from`. False: it is too short for it. */
RH_CHECKED bool rh_blob_take_number(struct rh_blob *from, uint32_t *number);
RH_CHECKED bool rh_blob_take(struct rh_blob *from, struct rh_blob *part);

bool rh_blob_is(const struct rh_blob *b, const char *text);
bool rh_blob_equal(const struct rh_blob *a, const struct rh_blob *b);

/* Adds a value with its length. */
void rh_blob_add(struct rh_buf *to, const void *p, size_t n);

/* Decodes base64, which may have blanks and ends of lines in it. NULL: it is none. The caller's. */
unsigned char *rh_blob_decode(const char *text, size_t n, size_t *len);

#endif
