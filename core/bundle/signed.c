/* SPDX-License-Identifier: Apache-2.0 */
/* signed - files with a signature beside them. */
#include "config.h"

#include "bundle/signed.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"
#include "bundle/key.h"
#include "bundle/signers.h"
#include "bundle/sshsig.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_SIGNATURE = 64 << 10, LARGEST_SIGNERS = 1 << 20 };

static int
verify(struct rh_signed *s, const char *path, const char *signature_path, const char *name_space,
       const char *signers, struct rh_error *err)
{
    rh_autosshsig struct rh_sshsig signature = { 0 };
    size_t n_text = 0, n_signers = 0;
    rh_autofree char *text = NULL, *allowed = NULL;

    if (geteuid() == 0 && rh_trust_path(signers, RH_TRUST_CALLER | RH_TRUST_MISSING, err) < 0)
        return rh_error_prefix(err, "the allowed signers in '%s' cannot be trusted", signers);
    allowed = rh_read_file(signers, LARGEST_SIGNERS, &n_signers, err);
    if (!allowed)
        return -1;
    if (access(signature_path, F_OK) < 0 && errno == ENOENT)
        return rh_error_set(err, RH_EINPUT, "'%s' is not signed: missing '%s'", path, signature_path);
    text = rh_read_file(signature_path, LARGEST_SIGNATURE, &n_text, err);
    if (!text)
        return -1;
    if (rh_sshsig_read(&signature, text, n_text, err) < 0)
        return rh_error_prefix(err, "'%s'", signature_path);
    /* The key first: that of a stranger is only compared. */
    s->signer = rh_signers_find(allowed, signers, &signature.key, name_space, time(NULL), err);
    if (!s->signer)
        return rh_error_prefix(err, "the signature of '%s' does not count", path);
    if (rh_sshsig_verify(&signature, name_space, s->text, s->n, err) < 0)
        return rh_error_prefix(err, "'%s' is not signed by '%s'", path, signature_path);
    s->fingerprint = rh_key_fingerprint(&signature.key);
    return 0;
}

int
rh_signed_open(struct rh_signed *s, const char *path, size_t limit, const char *name_space,
               const char *signers, struct rh_error *err)
{
    rh_autofree char *signature = rh_printf("%s.sig", path);

    return rh_signed_open_beside(s, path, signature, limit, name_space, signers, err);
}

int
rh_signed_open_beside(struct rh_signed *s, const char *path, const char *signature, size_t limit,
                      const char *name_space, const char *signers, struct rh_error *err)
{
    *s = (struct rh_signed){ 0 };
    s->text = rh_read_file(path, limit, &s->n, err);
    if (!s->text)
        return -1;
    return signers ? verify(s, path, signature, name_space, signers, err) : 0;
}

void
rh_signed_clear(struct rh_signed *s)
{
    free(s->text);
    free(s->signer);
    free(s->fingerprint);
    *s = (struct rh_signed){ 0 };
}
