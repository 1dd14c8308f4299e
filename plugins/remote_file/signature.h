/* SPDX-License-Identifier: Apache-2.0 */
/* signature - the detached signature of a file, and the keys that it may be made with. */
#ifndef REMOTE_FILE_SIGNATURE_H
#define REMOTE_FILE_SIGNATURE_H

#include "fetch.h"
#include "gpgv.h"
#include "minisign.h"

enum signature_kind { SIGNATURE_NONE, SIGNATURE_MINISIGN, SIGNATURE_OPENPGP };

struct signature {
    enum signature_kind kind;
    struct minisign_key key; /* of minisign */
    struct gpgv gpgv;        /* of OpenPGP */
    const char *text;        /* the signature, with a NUL behind it */
    size_t len;
};

int32_t signature_validate(rhost_ctx *ctx, const rhost_value *resource);

/* Reads the keys, and the signature from where `signature` says. 0, also where none is desired; or -1 with
 * the reason given. */
int32_t signature_open(struct fetch *f, struct signature *s);

/* Whether it is one of the file `fd`, of `size` bytes. 0, and *why: NULL where it is, and where none is
 * desired; or why it is not, in words. -1: that could not be found out, with the reason given. */
int32_t signature_check(rhost_ctx *ctx, const struct signature *s, int fd, off_t size, const char **why);

/* What a record has of a file with the digest `sum` whose signature was checked with these keys, in memory of
 * the call; NULL: they cannot be read, and nothing is given to fail(). */
const char *signature_record(rhost_ctx *ctx, const rhost_value *should, const char *sum);

#endif
