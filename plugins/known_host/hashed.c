/* SPDX-License-Identifier: Apache-2.0 */
/* hashed - names of hosts that known_hosts does not show: "|1|salt|hash". */

#include "hashed.h"

#include "../ssh_authorized_key/keys.h"
#include "sha1.h"

#include <sys/random.h>

#define MAGIC "|1|"

enum { ENCODED = (SHA1_SIZE + 2) / 3 * 4 }; /* letters of a digest in base64 */

static void
encode(const unsigned char *bytes, char *to)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < SHA1_SIZE; i += 3) {
        size_t left = SHA1_SIZE - i;
        unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0)
                         | (left > 2 ? bytes[i + 2] : 0);

        *to++ = alphabet[three >> 18];
        *to++ = alphabet[three >> 12 & 63];
        *to++ = left > 1 ? alphabet[three >> 6 & 63] : '=';
        *to++ = left > 2 ? alphabet[three & 63] : '=';
    }
    *to = '\0';
}

int
hashed_is(const char *text, size_t len, const char *host)
{
    unsigned char salt[SHA1_BLOCK], wanted[SHA1_SIZE], digest[SHA1_SIZE];
    const char *end = text + len, *second;
    long n;

    if (len < sizeof MAGIC || memcmp(text, MAGIC, sizeof MAGIC - 1) != 0)
        return 0;
    text += sizeof MAGIC - 1;
    second = memchr(text, '|', (size_t)(end - text));
    if (!second || key_decode(second + 1, (size_t)(end - second) - 1, wanted, sizeof wanted) != SHA1_SIZE)
        return 0;
    n = key_decode(text, (size_t)(second - text), salt, sizeof salt);
    if (n <= 0)
        return 0;
    sha1_hmac(salt, (size_t)n, host, strlen(host), digest);
    return memcmp(digest, wanted, SHA1_SIZE) == 0;
}

const char *
hashed_make(rhost_ctx *ctx, const char *host)
{
    unsigned char salt[SHA1_SIZE], digest[SHA1_SIZE];
    char first[ENCODED + 1], second[ENCODED + 1];

    if (getrandom(salt, sizeof salt, 0) != (ssize_t)sizeof salt) {
        rhost_fail_errno(ctx, "cannot make a salt");
        return NULL;
    }
    sha1_hmac(salt, sizeof salt, host, strlen(host), digest);
    encode(salt, first);
    encode(digest, second);
    return rhost_fmt(ctx, MAGIC "%s|%s", first, second);
}
