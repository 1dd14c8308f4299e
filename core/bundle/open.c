/* SPDX-License-Identifier: Apache-2.0 */
/* open - reads bundles, and believes nothing of them before it is verified. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"
#include "bundle/key.h"
#include "bundle/signers.h"
#include "bundle/sshsig.h"
#include "reach/wire.h"

#include <rhost/sha256.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_DESCRIPTION = 1 << 20, LARGEST_SIGNATURE = 64 << 10, LARGEST_SIGNERS = 1 << 20 };

char *
rh_bundle_archive_path(const char *path, const char *sha256)
{
    const char *slash = strrchr(path, '/');

    return rh_printf("%.*s%s" RH_BUNDLE_SUFFIX, slash ? (int)(slash + 1 - path) : 0, path, sha256);
}

/* Who signed the description; -1 with an error where that is none of the allowed signers. */
static int
verify(struct rh_bundle *b, const char *path, const char *signers, struct rh_error *err)
{
    rh_autofree char *signature_path = rh_printf("%s.sig", path);
    rh_autosshsig struct rh_sshsig signature = { 0 };
    size_t n_text = 0, n_signers = 0;
    rh_autofree char *text = NULL, *allowed = NULL;

    if (geteuid() == 0 && rh_trust_path(signers, RH_TRUST_CALLER | RH_TRUST_MISSING, err) < 0)
        return rh_error_prefix(err, "the allowed signers in '%s' cannot be trusted", signers);
    allowed = rh_read_file(signers, LARGEST_SIGNERS, &n_signers, err);
    if (!allowed)
        return -1;
    if (access(signature_path, F_OK) < 0 && errno == ENOENT)
        return rh_error_set(err, RH_EINPUT, "'%s' is not signed: there is no '%s'", path, signature_path);
    text = rh_read_file(signature_path, LARGEST_SIGNATURE, &n_text, err);
    if (!text)
        return -1;
    if (rh_sshsig_read(&signature, text, n_text, err) < 0)
        return rh_error_prefix(err, "'%s'", signature_path);
    /* The key first: that of a stranger is only compared. */
    b->signer = rh_signers_find(allowed, signers, &signature.key, RH_BUNDLE_NAMESPACE, time(NULL), err);
    if (!b->signer)
        return rh_error_prefix(err, "the signature of '%s' does not count", path);
    if (rh_sshsig_verify(&signature, RH_BUNDLE_NAMESPACE, b->text, b->n, err) < 0)
        return rh_error_prefix(err, "'%s' is not signed by '%s'", path, signature_path);
    b->fingerprint = rh_key_fingerprint(&signature.key);
    return 0;
}

static int
describe(struct rh_bundle *b, const char *path, const char *signers, struct rh_error *err)
{
    rh_autofree char *name = NULL;
    const char *slash;

    *b = (struct rh_bundle){ .arena = rh_arena_new(NULL) };
    b->text = rh_read_file(path, LARGEST_DESCRIPTION, &b->n, err);
    /* The signature comes first: nothing else is parsed of what a stranger has written. */
    if (!b->text || (signers && verify(b, path, signers, err) < 0))
        return -1;
    if (rh_description_read(b->arena, b->text, b->n, &b->description, err) < 0)
        return rh_error_prefix(err, "'%s' describes no bundle", path);
    /* Who serves files must not give one revision out as another. */
    slash = strrchr(path, '/');
    name = rh_printf("r%lld.json", (long long)b->description.revision);
    if (strcmp(slash ? slash + 1 : path, name) != 0)
        return rh_error_set(err, RH_EINPUT, "'%s' is the description of revision %lld: its name must be '%s'",
                            path, (long long)b->description.revision, name);
    return 0;
}

int
rh_bundle_open(struct rh_bundle *b, const char *path, const char *signers, struct rh_error *err)
{
    rh_autofree char *archive_path = NULL, *archive = NULL;
    const struct rh_description *d = &b->description;
    struct rhost_sha256 sum;
    char digest[65];
    size_t n = 0;

    if (describe(b, path, signers, err) < 0)
        return -1;
    archive_path = rh_bundle_archive_path(path, d->sha256);
    archive = rh_read_file(archive_path, RH_SITE_BYTES, &n, err);
    if (!archive)
        return -1;
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, archive, n);
    rhost_sha256_hex(&sum, digest);
    if ((int64_t)n != d->size || strcmp(digest, d->sha256) != 0)
        return rh_error_set(err, RH_EINPUT,
                            "'%s' is damaged: it has not the size and digest of its description",
                            archive_path);
    if (rh_files_unpack(&b->files, archive, n, (uint64_t)d->files, (uint64_t)d->unpacked, err) < 0)
        return rh_error_prefix(err, "'%s' is no bundle", archive_path);
    if (!rh_files_find(&b->files, d->manifest))
        return rh_error_set(err, RH_EINPUT, "'%s' lacks its manifest '%s'", archive_path, d->manifest);
    return 0;
}

void
rh_bundle_clear(struct rh_bundle *b)
{
    rh_files_clear(&b->files);
    rh_arena_free(b->arena);
    free(b->text);
    free(b->signer);
    free(b->fingerprint);
    *b = (struct rh_bundle){ 0 };
}
