/* SPDX-License-Identifier: Apache-2.0 */
/* key - public keys of SSH. libcrypto gets them as a SubjectPublicKeyInfo (RFC 5280) in DER, which all its
 * versions read. */
#include "config.h"

#include "bundle/key.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEQUENCE = 0x30,
    INTEGER = 0x02,
    BIT_STRING = 0x03,
    SMALLEST_RSA = 2048 /* bits */,
    PRESENT = 1 /* a flag of keys in hardware: somebody touched it */
};

#define OID_ED25519 "\x06\x03\x2b\x65\x70"
#define OID_RSA "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00"
#define OID_EC "\x06\x07\x2a\x86\x48\xce\x3d\x02\x01"
#define OID_P256 "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
#define OID_P384 "\x06\x05\x2b\x81\x04\x00\x22"
#define OID_P521 "\x06\x05\x2b\x81\x04\x00\x23"

enum family { ED25519, RSA_SHA2, ECDSA };

struct kind {
    const char *type;      /* of the key */
    const char *signature; /* the type of its signatures */
    enum family family;
    const char *curve; /* of ECDSA */
    const char *algorithm;
    size_t n_algorithm;
    const EVP_MD *(*digest)(void);
    bool hardware;
};

#define BYTES(text) text, sizeof(text) - 1

static const struct kind kinds[] = {
    { "ssh-ed25519", "ssh-ed25519", ED25519, NULL, BYTES(OID_ED25519), NULL, false },
    { "ssh-rsa", "rsa-sha2-256", RSA_SHA2, NULL, BYTES(OID_RSA), EVP_sha256, false },
    { "ssh-rsa", "rsa-sha2-512", RSA_SHA2, NULL, BYTES(OID_RSA), EVP_sha512, false },
    { "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", ECDSA, "nistp256", BYTES(OID_EC OID_P256), EVP_sha256,
      false },
    { "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384", ECDSA, "nistp384", BYTES(OID_EC OID_P384), EVP_sha384,
      false },
    { "ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521", ECDSA, "nistp521", BYTES(OID_EC OID_P521), EVP_sha512,
      false },
    { "sk-ssh-ed25519@openssh.com", "sk-ssh-ed25519@openssh.com", ED25519, NULL, BYTES(OID_ED25519), NULL,
      true },
    { "sk-ecdsa-sha2-nistp256@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com", ECDSA, "nistp256",
      BYTES(OID_EC OID_P256), EVP_sha256, true },
};

/* Adds a value of DER. */
static void
add_der(struct rh_buf *to, int tag, const void *p, size_t n)
{
    rh_buf_addc(to, (char)tag);
    if (n >= 256) {
        rh_buf_addc(to, (char)0x82);
        rh_buf_addc(to, (char)(n >> 8));
    } else if (n >= 128) {
        rh_buf_addc(to, (char)0x81);
    }
    rh_buf_addc(to, (char)n);
    rh_buf_addn(to, p, n);
}

/* Two numbers of SSH, which are those of DER. */
static bool
take_pair(struct rh_blob from, struct rh_buf *to)
{
    rh_autobuf struct rh_buf pair = { 0 };
    struct rh_blob a, b;

    if (!rh_blob_take(&from, &a) || !rh_blob_take(&from, &b) || from.n || !a.n || !b.n || a.n + b.n > 16384)
        return false;
    add_der(&pair, INTEGER, a.p, a.n);
    add_der(&pair, INTEGER, b.p, b.n);
    add_der(to, SEQUENCE, pair.s, pair.n);
    return true;
}

/* The key of the blob, without its type; `application` is that of a key in hardware. NULL: it is none. */
static EVP_PKEY *
read_key(const struct kind *k, struct rh_blob from, struct rh_blob *application)
{
    rh_autobuf struct rh_buf bits = { 0 };
    rh_autobuf struct rh_buf both = { 0 };
    rh_autobuf struct rh_buf der = { 0 };
    struct rh_blob part, e, n;
    const unsigned char *p;

    rh_buf_addc(&bits, 0);
    if (k->family == RSA_SHA2) {
        rh_autobuf struct rh_buf pair = { 0 };

        if (!rh_blob_take(&from, &e) || !rh_blob_take(&from, &n) || from.n || n.n > 2049 || !e.n || e.n > 16)
            return NULL;
        add_der(&pair, INTEGER, n.p, n.n);
        add_der(&pair, INTEGER, e.p, e.n);
        add_der(&bits, SEQUENCE, pair.s, pair.n);
    } else {
        if (k->family == ECDSA && (!rh_blob_take(&from, &part) || !rh_blob_is(&part, k->curve)))
            return NULL;
        if (!rh_blob_take(&from, &part) || (k->hardware && !rh_blob_take(&from, application)) || from.n
            || part.n > 256)
            return NULL;
        rh_buf_addn(&bits, (const char *)part.p, part.n);
    }
    add_der(&both, SEQUENCE, k->algorithm, k->n_algorithm);
    add_der(&both, BIT_STRING, bits.s, bits.n);
    add_der(&der, SEQUENCE, both.s, both.n);
    p = (const unsigned char *)der.s;
    return d2i_PUBKEY(NULL, &p, (long)der.n);
}

/* What a key in hardware signs instead of the bytes: the application and the bytes as digests, with the flags
 * and the counter between them. */
static bool
hardware_text(const struct rh_blob *application, const struct rh_blob *rest, const struct rh_blob *bytes,
              struct rh_buf *to)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;

    if (rest->n != 5 || !(rest->p[0] & PRESENT)
        || !EVP_Digest(application->p, application->n, digest, &n, EVP_sha256(), NULL))
        return false;
    rh_buf_addn(to, (const char *)digest, n);
    rh_buf_addn(to, (const char *)rest->p, rest->n);
    if (!EVP_Digest(bytes->p, bytes->n, digest, &n, EVP_sha256(), NULL))
        return false;
    rh_buf_addn(to, (const char *)digest, n);
    return true;
}

static bool
is_signed(EVP_PKEY *key, const struct kind *k, const struct rh_blob *signature, const struct rh_blob *bytes)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is;

    if (!context)
        rh_out_of_memory();
    is = EVP_DigestVerifyInit(context, NULL, k->digest ? k->digest() : NULL, NULL, key) == 1
         && EVP_DigestVerify(context, signature->p, signature->n, bytes->p, bytes->n) == 1;
    EVP_MD_CTX_free(context);
    return is;
}

static const struct kind *
find_kind(const struct rh_blob *type, const struct rh_blob *signature)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (rh_blob_is(type, kinds[i].type) && rh_blob_is(signature, kinds[i].signature))
            return &kinds[i];
    return NULL;
}

int
rh_key_verify(const struct rh_blob *key, const struct rh_blob *signature, const struct rh_blob *bytes,
              struct rh_error *err)
{
    struct rh_blob key_rest = *key, rest = *signature, type, signature_type, value, application = { 0 };
    rh_autobuf struct rh_buf der = { 0 };
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_blob checked = *bytes;
    const struct kind *k;
    EVP_PKEY *public;
    bool is;

    if (!rh_blob_take(&key_rest, &type) || !rh_blob_take(&rest, &signature_type)
        || !rh_blob_take(&rest, &value))
        return rh_error_set(err, RH_EINPUT, "the signature is damaged");
    k = find_kind(&type, &signature_type);
    if (!k)
        return rh_error_set(err, RH_EINPUT, "the type of the signature is not supported");
    if (!k->hardware && rest.n)
        return rh_error_set(err, RH_EINPUT, "the signature is damaged");
    public = read_key(k, key_rest, &application);
    if (public && k->family == RSA_SHA2 && EVP_PKEY_bits(public) < SMALLEST_RSA) {
        EVP_PKEY_free(public);
        public = NULL;
    }
    if (!public)
        return rh_error_set(err, RH_EINPUT, "the key of the signature cannot be used");
    if (k->family == ECDSA) {
        if (!take_pair(value, &der)) {
            EVP_PKEY_free(public);
            return rh_error_set(err, RH_EINPUT, "the signature is damaged");
        }
        value = (struct rh_blob){ (const unsigned char *)der.s, der.n };
    }
    is = !k->hardware || hardware_text(&application, &rest, bytes, &text);
    if (k->hardware)
        checked = (struct rh_blob){ (const unsigned char *)text.s, text.n };
    is = is && is_signed(public, k, &value, &checked);
    EVP_PKEY_free(public);
    return is ? 0 : rh_error_set(err, RH_EINPUT, "the signature is not that of the file");
}

char *
rh_key_fingerprint(const struct rh_blob *key)
{
    unsigned char digest[EVP_MAX_MD_SIZE], text[2 * EVP_MAX_MD_SIZE];
    unsigned n = 0;
    size_t len;

    if (!EVP_Digest(key->p, key->n, digest, &n, EVP_sha256(), NULL))
        rh_out_of_memory();
    len = (size_t)EVP_EncodeBlock(text, digest, (int)n);
    while (len && text[len - 1] == '=')
        len--;
    return rh_printf("SHA256:%.*s", (int)len, (const char *)text);
}
