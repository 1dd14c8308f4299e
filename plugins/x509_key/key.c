/* SPDX-License-Identifier: Apache-2.0 */
/* key - private keys: reading, making and describing them. */

#include "key.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

enum { RSA_BITS = 3072 };

static int
give_passphrase(char *to, int size, int writing, void *data)
{
    const char *passphrase = data;
    size_t len = passphrase ? strlen(passphrase) : 0;

    (void)writing;
    if (!passphrase || len > (size_t)size)
        return -1;
    memcpy(to, passphrase, len);
    return (int)len;
}

/* What is in the BIO says by itself whether it is encrypted. */
static int
is_encrypted(BIO *bio)
{
    char *text = NULL;
    long len = BIO_get_mem_data(bio, &text);

    return len > 0
           && (memmem(text, (size_t)len, "BEGIN ENCRYPTED PRIVATE KEY", 27) != NULL
               || memmem(text, (size_t)len, "Proc-Type: 4,ENCRYPTED", 22) != NULL);
}

int
key_read(rhost_ctx *ctx, const char *path, uint64_t flags, const rhost_value *should, const char *attribute,
         struct key *k)
{
    const char *passphrase = rhost_str(should, attribute);
    BIO *bio = NULL;
    int found = crypto_read(ctx, path, flags, &bio, &k->st);

    k->pkey = NULL;
    k->encrypted = 0;
    if (found <= 0)
        return found;
    k->encrypted = is_encrypted(bio);
    if (!k->encrypted || passphrase)
        k->pkey = PEM_read_bio_PrivateKey(bio, NULL, give_passphrase, (void *)(uintptr_t)passphrase);
    (void)BIO_free(bio);
    if (k->pkey || (k->encrypted && !should))
        return 1;
    if (k->encrypted && !passphrase)
        return rhost_fail_attr(ctx, attribute, "the private key '%s' is encrypted: '%s' is required", path,
                               attribute);
    if (k->encrypted)
        return rhost_fail_attr(ctx, attribute,
                               "cannot decrypt '%s': wrong passphrase, or the file is damaged", path);
    return crypto_fail(ctx, "cannot read a private key in PEM from", path);
}

void
key_free(struct key *k)
{
    EVP_PKEY_free(k->pkey);
    k->pkey = NULL;
}

/* Called in the search for primes, which takes long: a sign of life, and whether the run shall end. */
static int
go_on(EVP_PKEY_CTX *making)
{
    rhost_ctx *ctx = EVP_PKEY_CTX_get_app_data(making);

    rhost_busy(ctx, 10, "generating a private key");
    return !rhost_stopping(ctx);
}

EVP_PKEY *
key_make(rhost_ctx *ctx, const rhost_value *should)
{
    const char *algorithm = rhost_str_or(should, "algorithm", "ec");
    const char *name = strcmp(algorithm, "rsa") == 0       ? "RSA"
                       : strcmp(algorithm, "ed25519") == 0 ? "ED25519"
                                                           : "EC";
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_from_name(NULL, name, NULL);
    EVP_PKEY *pkey = NULL;
    int ok = making && EVP_PKEY_keygen_init(making) > 0;

    if (ok && *name == 'R')
        ok = EVP_PKEY_CTX_set_rsa_keygen_bits(making, (int)rhost_int(should, "size", RSA_BITS)) > 0;
    if (ok && strcmp(name, "EC") == 0)
        ok = EVP_PKEY_CTX_set_group_name(making, rhost_str_or(should, "curve", "P-256")) > 0;
    if (ok) {
        EVP_PKEY_CTX_set_app_data(making, ctx);
        EVP_PKEY_CTX_set_cb(making, go_on);
        ok = EVP_PKEY_generate(making, &pkey) > 0;
    }
    EVP_PKEY_CTX_free(making);
    if (ok)
        return pkey;
    if (rhost_stopping(ctx))
        (void)rhost_fail(ctx, "interrupted while a private key was generated");
    else
        (void)crypto_fail(ctx, "cannot generate a private key with the algorithm", algorithm);
    return NULL;
}

const char *
key_sha256(rhost_ctx *ctx, const void *data, size_t len)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    char *text = rhost_alloc(ctx, 2 * EVP_MAX_MD_SIZE + 1);

    if (!EVP_Digest(data, len, digest, &n, EVP_sha256(), NULL))
        return NULL;
    for (unsigned int i = 0; i < n; i++)
        (void)snprintf(text + 2 * (size_t)i, 3, "%02x", digest[i]);
    return text;
}

/* Of EC and RSA: what is in the type of the attribute, and nothing else. */
static void
report_kind(EVP_PKEY *pkey, rhost_value *current)
{
    char group[64];
    const char *curve;
    size_t len;

    switch (EVP_PKEY_get_base_id(pkey)) {
    case EVP_PKEY_RSA:
        rhost_put_str(current, "algorithm", "rsa");
        if (EVP_PKEY_get_bits(pkey) >= 2048 && EVP_PKEY_get_bits(pkey) <= 8192)
            rhost_put_int(current, "size", EVP_PKEY_get_bits(pkey));
        break;
    case EVP_PKEY_EC:
        rhost_put_str(current, "algorithm", "ec");
        if (!EVP_PKEY_get_group_name(pkey, group, sizeof group, &len))
            break;
        curve = EC_curve_nid2nist(OBJ_txt2nid(group));
        if (curve
            && (strcmp(curve, "P-256") == 0 || strcmp(curve, "P-384") == 0 || strcmp(curve, "P-521") == 0))
            rhost_put_str(current, "curve", curve);
        break;
    case EVP_PKEY_ED25519:
        rhost_put_str(current, "algorithm", "ed25519");
        break;
    default:
        break;
    }
}

int32_t
key_report(rhost_ctx *ctx, EVP_PKEY *pkey, rhost_value *current)
{
    unsigned char *der = NULL;
    int len = i2d_PUBKEY(pkey, &der);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    long size = bio && PEM_write_bio_PUBKEY(bio, pkey) ? BIO_get_mem_data(bio, &text) : 0;
    const char *sum = len > 0 ? key_sha256(ctx, der, (size_t)len) : NULL;

    report_kind(pkey, current);
    if (size > 0)
        rhost_put_bytes(current, "public_key", text, (size_t)size);
    if (sum)
        rhost_put_str(current, "fingerprint", sum);
    OPENSSL_free(der);
    (void)BIO_free(bio);
    return size > 0 && sum ? 0 : rhost_fail(ctx, "cannot describe the private key: out of memory");
}

BIO *
key_text(EVP_PKEY *pkey, const char *passphrase)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    int len = passphrase ? (int)strlen(passphrase) : 0;

    if (bio
        && PEM_write_bio_PKCS8PrivateKey(bio, pkey, passphrase ? EVP_aes_256_cbc() : NULL, passphrase, len,
                                         NULL, NULL))
        return bio;
    (void)BIO_free(bio);
    return NULL;
}

const EVP_MD *
key_digest(EVP_PKEY *pkey, const rhost_value *should)
{
    const char *digest = rhost_str_or(should, "digest", "sha256");

    if (EVP_PKEY_get_base_id(pkey) == EVP_PKEY_ED25519 || EVP_PKEY_get_base_id(pkey) == EVP_PKEY_ED448)
        return NULL;
    return strcmp(digest, "sha512") == 0   ? EVP_sha512()
           : strcmp(digest, "sha384") == 0 ? EVP_sha384()
                                           : EVP_sha256();
}
