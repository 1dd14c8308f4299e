/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was downloaded to a path, kept in the state directory: what the next conditional request
 * takes, and what tells that somebody has changed the file since. */
#ifndef REMOTE_FILE_RECORD_H
#define REMOTE_FILE_RECORD_H

#include <rhost/provider.h>

#include <sys/stat.h>

struct record {
    const char *sum;             /* of the file, "ALGORITHM:HEX" */
    const char *stamp;           /* the file when it had that; see record_stamp() */
    const char *etag, *modified; /* what the server said; NULL: nothing */
    const char *url_digest;      /* of the URL that it came from: it may be a secret */
    const char *url;             /* the URL, unless it is one; else NULL */
    const char *fetched;         /* the digest of what was decompressed into the file; NULL: nothing was */
};

/* What changes whenever somebody writes to the file, in memory of the call. */
const char *record_stamp(rhost_ctx *ctx, const struct stat *st);

/* 1: there is one, whose texts are in memory of the call; 0: there is none. */
int record_read(rhost_ctx *ctx, const rhost_value *name, struct record *r);

/* In callbacks that write. 0; or -1 with the reason given. */
int32_t record_write(rhost_ctx *ctx, const rhost_value *name, const struct record *r);

/* The digest of a URL that a record has; or NULL with the reason given. */
const char *record_url_digest(rhost_ctx *ctx, const rhost_value *name, const rhost_value *url);

/* The name of a new file beside the path that a run which was killed may have left there; NULL: there is
 * none. `key` tells the two apart that there may be. */
const char *record_beside(rhost_ctx *ctx, const rhost_value *name, const char *key);

/* Keeps that name; NULL: no longer. 0; or -1 with the reason given. */
int32_t record_put_beside(rhost_ctx *ctx, const rhost_value *name, const char *key, const char *beside);

/* What is kept of the signature that was checked, see signature_record(); NULL: nothing. */
const char *record_signature(rhost_ctx *ctx, const rhost_value *name);

/* Keeps that; NULL: nothing. 0; or -1 with the reason given. */
int32_t record_put_signature(rhost_ctx *ctx, const rhost_value *name, const char *signature);

#endif
