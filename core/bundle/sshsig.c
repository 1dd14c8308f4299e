/* SPDX-License-Identifier: Apache-2.0 */
/* sshsig - signatures of files by keys of SSH. */
#include "config.h"

#include "bundle/sshsig.h"

#include "base/error.h"
#include "base/text.h"
#include "bundle/key.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "SSHSIG", begin[] = "-----BEGIN SSH SIGNATURE-----",
                  end[] = "-----END SSH SIGNATURE-----";

int
rh_sshsig_read(struct rh_sshsig *s, const char *text, size_t n, struct rh_error *err)
{
    const char *from = memmem(text, n, begin, sizeof begin - 1), *to;
    struct rh_blob b = { 0 };
    uint32_t version;

    *s = (struct rh_sshsig){ 0 };
    if (from)
        from += sizeof begin - 1;
    to = from ? memmem(from, n - (size_t)(from - text), end, sizeof end - 1) : NULL;
    if (!to)
        return rh_error_set(err, RH_EINPUT, "it is no signature of SSH");
    s->bytes = rh_blob_decode(from, (size_t)(to - from), &b.n);
    b.p = s->bytes;
    if (!s->bytes || b.n < sizeof magic - 1 || memcmp(b.p, magic, sizeof magic - 1) != 0)
        return rh_error_set(err, RH_EINPUT, "it is no signature of SSH");
    b.p += sizeof magic - 1;
    b.n -= sizeof magic - 1;
    if (!rh_blob_take_number(&b, &version) || version != 1)
        return rh_error_set(err, RH_EINPUT, "it is a signature of another version");
    if (!rh_blob_take(&b, &s->key) || !rh_blob_take(&b, &s->name_space) || !rh_blob_take(&b, &s->reserved)
        || !rh_blob_take(&b, &s->hash) || !rh_blob_take(&b, &s->signature) || b.n)
        return rh_error_set(err, RH_EINPUT, "the signature is damaged");
    return 0;
}

void
rh_sshsig_clear(struct rh_sshsig *s)
{
    free(s->bytes);
    *s = (struct rh_sshsig){ 0 };
}

int
rh_sshsig_verify(const struct rh_sshsig *s, const char *name_space, const char *file, size_t n,
                 struct rh_error *err)
{
    const EVP_MD *md = rh_blob_is(&s->hash, "sha512")   ? EVP_sha512()
                       : rh_blob_is(&s->hash, "sha256") ? EVP_sha256()
                                                        : NULL;
    unsigned char digest[EVP_MAX_MD_SIZE];
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_blob bytes;
    unsigned length = 0;

    if (!rh_blob_is(&s->name_space, name_space)) {
        rh_autobuf struct rh_buf shown = { 0 };

        rh_buf_add_safe(&shown, (const char *)s->name_space.p, s->name_space.n < 64 ? s->name_space.n : 64,
                        false);
        return rh_error_set(err, RH_EINPUT, "the signature is for '%s', not for '%s'", rh_buf_text(&shown),
                            name_space);
    }
    if (!md || !EVP_Digest(file, n, digest, &length, md, NULL))
        return rh_error_set(err, RH_EINPUT, "the signature has an unknown hash");
    rh_buf_addn(&text, magic, sizeof magic - 1);
    rh_blob_add(&text, s->name_space.p, s->name_space.n);
    rh_blob_add(&text, s->reserved.p, s->reserved.n);
    rh_blob_add(&text, s->hash.p, s->hash.n);
    rh_blob_add(&text, digest, length);
    bytes = (struct rh_blob){ (const unsigned char *)text.s, text.n };
    return rh_key_verify(&s->key, &s->signature, &bytes, err);
}
