/* SPDX-License-Identifier: Apache-2.0 */
/* digest - SHA-256 and SHA-512 by libcrypto. */

#include "digest.h"

#include <rhost/progress.h>

#include <ctype.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, SHA256_DIGITS = 64, SHA512_DIGITS = 128 };

const char *
digest_canonical(rhost_ctx *ctx, const char *text)
{
    const char *hex = text, *algorithm = NULL;
    char *sum;
    size_t n;

    if (strncasecmp(text, "sha256:", 7) == 0 || strncasecmp(text, "sha512:", 7) == 0) {
        algorithm = text[3] == '2' ? "sha256" : "sha512";
        hex += 7;
    }
    n = strlen(hex);
    if (n != strspn(hex, "0123456789abcdefABCDEF") || (n != SHA256_DIGITS && n != SHA512_DIGITS))
        return NULL;
    if (algorithm && (n == SHA256_DIGITS) != (strcmp(algorithm, "sha256") == 0))
        return NULL;
    sum = rhost_alloc(ctx, 7 + n + 1);
    memcpy(sum, n == SHA256_DIGITS ? "sha256:" : "sha512:", 7);
    for (size_t i = 0; i < n; i++)
        sum[7 + i] = (char)tolower((unsigned char)hex[i]);
    return sum;
}

const char *
digest_algorithm(const char *sum)
{
    return strncmp(sum, "sha512:", 7) == 0 ? "sha512" : "sha256";
}

static int
is_sha512(const struct digest *d)
{
    return strcmp(d->algorithm, "sha512") == 0;
}

void
digest_begin(struct digest *d, const char *algorithm)
{
    d->algorithm = algorithm;
    (void)(is_sha512(d) ? SHA512_Init(&d->state.sha512) : SHA256_Init(&d->state.sha256));
}

void
digest_add(struct digest *d, const void *bytes, size_t n)
{
    (void)(is_sha512(d) ? SHA512_Update(&d->state.sha512, bytes, n)
                        : SHA256_Update(&d->state.sha256, bytes, n));
}

const char *
digest_end(rhost_ctx *ctx, struct digest *d)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = is_sha512(d) ? SHA512_DIGEST_LENGTH : SHA256_DIGEST_LENGTH;
    unsigned char bytes[SHA512_DIGEST_LENGTH];
    char *hex = rhost_alloc(ctx, 2 * n + 1);

    (void)(is_sha512(d) ? SHA512_Final(bytes, &d->state.sha512) : SHA256_Final(bytes, &d->state.sha256));
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    return rhost_fmt(ctx, "%s:%s", d->algorithm, hex);
}

const char *
digest_file(rhost_ctx *ctx, const char *path, int fd, const char *algorithm)
{
    struct digest d;
    char chunk[CHUNK];
    off_t at = 0;
    ssize_t got = 1;

    digest_begin(&d, algorithm);
    while (got > 0) {
        got = pread(fd, chunk, sizeof chunk, at);
        if (got < 0 && errno == EINTR) {
            got = 1;
        } else if (got > 0) {
            digest_add(&d, chunk, (size_t)got);
            at += got;
            rhost_alive(ctx);
        }
    }
    if (got == 0)
        return digest_end(ctx, &d);
    (void)rhost_fail_errno(ctx, "cannot read '%s'", path);
    return NULL;
}
