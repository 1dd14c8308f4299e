/* SPDX-License-Identifier: Apache-2.0 */
/* pair - the files of a key pair, in a directory that may belong to an ordinary user, and ssh-keygen.
 *
 * The directory belongs to root or to the owner of the key. ssh-keygen gets a path, and follows what it finds
 * there: so it runs as the owner of the directory, on a file of another name, which takes its place when it
 * is complete. */
#ifndef RH_SSH_KEY_PAIR_H
#define RH_SSH_KEY_PAIR_H

#include "private.h"

#include <rhost/path.h>

struct pair {
    const char *path, *base; /* of the private key, and its name in the directory; in memory of the call */
    const char *pub;         /* the name of the public key there */
    int dir;                 /* the directory; -1: there is none */
    uid_t runs_as;           /* to whom it belongs */
};

/* Opens the directory of the key of `path`; `should` (or NULL) has the owner. A missing directory ".ssh" is
 * made if `make`, as the owner of the home. 0; 1: there is no directory; -1 after the reason was given.
 * pair_close() in any case. */
int pair_open(rhost_ctx *ctx, const char *path, const rhost_value *should, int make, struct pair *p);
void pair_close(struct pair *p);

/* Reads the private key, with its text and length in memory of the call (NULL: not wanted), and what the file
 * is. 1; 0: it does not exist; -1 after the reason was given. */
int pair_read(rhost_ctx *ctx, const struct pair *p, struct private_key *k, const char **text, size_t *len,
              struct stat *st);

/* Why the public key is not that of the private one, as a text for messages; NULL: it is, and its comment is
 * in *comment (NULL: it has none), in memory of the call. */
const char *pair_public_fault(rhost_ctx *ctx, const struct pair *p, const struct private_key *k,
                              const char **comment);

/* Refuses a public key that stands alone: the private key may be elsewhere, and what is there may be its only
 * trace. 0; or -1 after the reason was given. */
int pair_refuse_lone_public(rhost_ctx *ctx, const struct pair *p);

/* Whether the passphrase decrypts the private key: 1, 0, or -1 after the reason was given. */
int pair_passphrase_fits(rhost_ctx *ctx, const struct pair *p, const char *passphrase);

/* Makes a key pair as `should` says. A file that is there stays, and is a failure. 0, or -1 after the reason
 * was given: then nothing is left. */
int32_t pair_make(rhost_ctx *ctx, const struct pair *p, const rhost_value *should);

/* Encrypts the private key, or gives it another comment, which takes the passphrase of an encrypted one. The
 * former key stays in place until the new file is complete. Answers as above. */
int32_t pair_encrypt(rhost_ctx *ctx, const struct pair *p, const char *passphrase);
int32_t pair_comment(rhost_ctx *ctx, const struct pair *p, const char *comment, const char *passphrase);

/* Writes the public key of the private one, with a comment (NULL: none). */
int32_t pair_write_public(rhost_ctx *ctx, const struct pair *p, const struct private_key *k,
                          const char *comment);

/* Gives both files owner and group, and the private key its mode, as far as `should` has them. */
int32_t pair_own(rhost_ctx *ctx, const struct pair *p, const rhost_value *should);

/* Removes both. */
int32_t pair_remove(rhost_ctx *ctx, const struct pair *p);

#endif
