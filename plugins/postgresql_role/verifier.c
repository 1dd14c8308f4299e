/* SPDX-License-Identifier: Apache-2.0 */
/* verifier - "SCRAM-SHA-256$ITERATIONS:SALT$STORED KEY:SERVER KEY", the last three in base64. */

#include "verifier.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdlib.h>

#define BEGIN "SCRAM-SHA-256$"

enum { SIZE = 32, SALT = 16, MOST_SALT = 192, ITERATIONS = 4096, MOST_ITERATIONS = 10000000 };

struct keys {
    unsigned char stored[SIZE], server[SIZE];
};

int
verifier_is(const char *text)
{
    return strncmp(text, BEGIN, sizeof BEGIN - 1) == 0;
}

/* 1; 0 when the library has failed. */
static int
derive(const char *password, const unsigned char *salt, size_t n, int iterations, struct keys *k)
{
    static const char client[] = "Client Key", server[] = "Server Key";
    unsigned char salted[SIZE], key[SIZE];
    int done =
        PKCS5_PBKDF2_HMAC(password, (int)strlen(password), salt, (int)n, iterations, EVP_sha256(), SIZE,
                          salted)
        && HMAC(EVP_sha256(), salted, SIZE, (const unsigned char *)client, sizeof client - 1, key, NULL)
        && EVP_Digest(key, SIZE, k->stored, NULL, EVP_sha256(), NULL)
        && HMAC(EVP_sha256(), salted, SIZE, (const unsigned char *)server, sizeof server - 1, k->server,
                NULL);

    OPENSSL_cleanse(salted, sizeof salted);
    OPENSSL_cleanse(key, sizeof key);
    return done;
}

static const char *
encode(rhost_ctx *ctx, const unsigned char *bytes, size_t n)
{
    char *text = rhost_alloc(ctx, (n + 2) / 3 * 4 + 1);

    (void)EVP_EncodeBlock((unsigned char *)text, bytes, (int)n);
    return text;
}

/* The `n` characters at `text`, which are base64, as bytes: their number, or -1. */
static int
decode(const char *text, size_t n, unsigned char *bytes, size_t room)
{
    unsigned char whole[MOST_SALT + 3];
    int len, padding;

    if (n == 0 || n % 4 || n / 4 * 3 > sizeof whole)
        return -1;
    len = EVP_DecodeBlock(whole, (const unsigned char *)text, (int)n);
    padding = (text[n - 1] == '=') + (text[n - 2] == '=');
    if (len < padding || (size_t)(len - padding) > room)
        return -1;
    memcpy(bytes, whole, (size_t)(len - padding));
    return len - padding;
}

const char *
verifier_make(rhost_ctx *ctx, const char *password)
{
    unsigned char salt[SALT];
    struct keys k;

    if (RAND_bytes(salt, SALT) != 1 || !derive(password, salt, SALT, ITERATIONS, &k)) {
        rhost_fail_attr(ctx, "password", "libcrypto cannot compute what the server keeps of it");
        return NULL;
    }
    return rhost_fmt(ctx, BEGIN "%d:%s$%s:%s", ITERATIONS, encode(ctx, salt, SALT),
                     encode(ctx, k.stored, SIZE), encode(ctx, k.server, SIZE));
}

/* Its parts; 0 when it is no verifier that could be computed. */
static int
parse(const char *text, int *iterations, unsigned char *salt, int *n_salt, struct keys *k)
{
    const char *after, *dollar, *colon;
    char *end;
    long count;

    if (!verifier_is(text))
        return 0;
    count = strtol(text + sizeof BEGIN - 1, &end, 10);
    after = *end == ':' ? end + 1 : NULL;
    dollar = after ? strchr(after, '$') : NULL;
    colon = dollar ? strchr(dollar, ':') : NULL;
    if (!colon || count < 1 || count > MOST_ITERATIONS)
        return 0;
    *iterations = (int)count;
    *n_salt = decode(after, (size_t)(dollar - after), salt, MOST_SALT);
    return *n_salt > 0 && decode(dollar + 1, (size_t)(colon - dollar - 1), k->stored, SIZE) == SIZE
           && decode(colon + 1, strlen(colon + 1), k->server, SIZE) == SIZE;
}

int
verifier_matches(rhost_ctx *ctx, const char *verifier, const char *password)
{
    unsigned char salt[MOST_SALT];
    int iterations, n;
    struct keys is, computed;

    if (verifier_is(password))
        return strcmp(verifier, password) == 0;
    if (!parse(verifier, &iterations, salt, &n, &is))
        return 0;
    if (!derive(password, salt, (size_t)n, iterations, &computed))
        return rhost_fail_attr(ctx, "password", "libcrypto cannot compute what the server keeps of it");
    return CRYPTO_memcmp(&is, &computed, sizeof is) == 0;
}
