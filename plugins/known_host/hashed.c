/* SPDX-License-Identifier: Apache-2.0 */
/* hashed - names of hosts that known_hosts does not show: "|1|salt|hash", the hash by HMAC-SHA1. */

#include "hashed.h"

#include "../ssh_authorized_key/keys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#define MAGIC "|1|"

enum { SIZE = 20, LONGEST_SALT = 64, ENCODED = (SIZE + 2) / 3 * 4 /* letters in base64 */ };

/* Without the configuration file of openssl(1), which can load any library. */
static int
digest_of(const unsigned char *salt, size_t n, const char *host, unsigned char digest[SIZE])
{
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL)
           && HMAC(EVP_sha1(), salt, (int)n, (const unsigned char *)host, strlen(host), digest, NULL);
}

int
hashed_is(const char *text, size_t len, const char *host)
{
    unsigned char salt[LONGEST_SALT], wanted[SIZE], digest[SIZE];
    const char *end = text + len, *second;
    long n;

    if (len < sizeof MAGIC || memcmp(text, MAGIC, sizeof MAGIC - 1) != 0)
        return 0;
    text += sizeof MAGIC - 1;
    second = memchr(text, '|', (size_t)(end - text));
    if (!second || key_decode(second + 1, (size_t)(end - second) - 1, wanted, sizeof wanted) != SIZE)
        return 0;
    n = key_decode(text, (size_t)(second - text), salt, sizeof salt);
    return n > 0 && digest_of(salt, (size_t)n, host, digest) && memcmp(digest, wanted, SIZE) == 0;
}

const char *
hashed_make(rhost_ctx *ctx, const char *host)
{
    unsigned char salt[SIZE], digest[SIZE], first[ENCODED + 1], second[ENCODED + 1];

    if (getrandom(salt, sizeof salt, 0) != (ssize_t)sizeof salt) {
        (void)rhost_fail_errno(ctx, "cannot make a salt");
        return NULL;
    }
    if (!digest_of(salt, sizeof salt, host, digest)) {
        (void)rhost_fail(ctx, "cannot hash the name of a host: libcrypto refuses HMAC-SHA1");
        return NULL;
    }
    (void)EVP_EncodeBlock(first, salt, SIZE);
    (void)EVP_EncodeBlock(second, digest, SIZE);
    return rhost_fmt(ctx, MAGIC "%s|%s", (const char *)first, (const char *)second);
}
