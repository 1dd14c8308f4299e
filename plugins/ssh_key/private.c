/* SPDX-License-Identifier: Apache-2.0 */
/* private - what a private key in the format of OpenSSH says without being decrypted: openssh/PROTOCOL.key.
 */

#include "private.h"

#include "../ssh_authorized_key/keys.h"

#include <stdlib.h>

#define BEGIN "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define END "-----END OPENSSH PRIVATE KEY-----"
#define MAGIC "openssh-key-v1" /* with its NUL */

struct bytes {
    const unsigned char *at;
    size_t len;
};

static int
take_number(struct bytes *from, size_t *n)
{
    if (from->len < 4)
        return -1;
    *n = (size_t)from->at[0] << 24 | (size_t)from->at[1] << 16 | (size_t)from->at[2] << 8 | from->at[3];
    from->at += 4;
    from->len -= 4;
    return 0;
}

static int
take(struct bytes *from, struct bytes *part)
{
    size_t n;

    if (take_number(from, &n) < 0 || n > from->len)
        return -1;
    *part = (struct bytes){ from->at, n };
    from->at += n;
    from->len -= n;
    return 0;
}

static int
is(struct bytes part, const char *text)
{
    return part.len == strlen(text) && memcmp(part.at, text, part.len) == 0;
}

static const char *
base64(rhost_ctx *ctx, struct bytes from)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = rhost_alloc(ctx, (from.len + 2) / 3 * 4 + 1), *to = text;

    for (size_t i = 0; i < from.len; i += 3) {
        unsigned three = (unsigned)from.at[i] << 16 | (i + 1 < from.len ? (unsigned)from.at[i + 1] << 8 : 0)
                         | (i + 2 < from.len ? from.at[i + 2] : 0);

        *to++ = letters[three >> 18];
        *to++ = letters[three >> 12 & 63];
        *to++ = letters[three >> 6 & 63];
        *to++ = letters[three & 63];
    }
    if (from.len % 3)
        to[-1] = '=';
    if (from.len % 3 == 1)
        to[-2] = '=';
    *to = '\0';
    return text;
}

static int64_t
bits_of(struct bytes number)
{
    int64_t bits;

    while (number.len && !*number.at) {
        number.at++;
        number.len--;
    }
    bits = (int64_t)number.len * 8;
    for (unsigned top = number.len ? *number.at : 128; top < 128; top <<= 1)
        bits--;
    return bits;
}

static int
describe(rhost_ctx *ctx, struct bytes blob, struct private_key *k)
{
    struct bytes rest = blob, type, exponent, modulus;

    if (take(&rest, &type) < 0 || !type.len || type.len > 64)
        return -1;
    k->type = rhost_copy(ctx, (const char *)type.at, type.len);
    k->blob = base64(ctx, blob);
    if (is(type, "ssh-ed25519"))
        k->algorithm = "ed25519";
    if (is(type, "ssh-rsa")) {
        if (take(&rest, &exponent) < 0 || take(&rest, &modulus) < 0)
            return -1;
        k->algorithm = "rsa";
        k->bits = bits_of(modulus);
    }
    if (strncmp(k->type, "ecdsa-sha2-nistp", 16) == 0) {
        k->algorithm = "ecdsa";
        k->bits = strtol(k->type + 16, NULL, 10);
    }
    return 0;
}

static const char *
parse_binary(rhost_ctx *ctx, struct bytes all, struct private_key *k)
{
    struct bytes cipher, kdf, options, blob, secret;
    size_t n;

    if (all.len < sizeof MAGIC || memcmp(all.at, MAGIC, sizeof MAGIC) != 0)
        return "the file is damaged";
    all.at += sizeof MAGIC;
    all.len -= sizeof MAGIC;
    if (take(&all, &cipher) < 0 || take(&all, &kdf) < 0 || take(&all, &options) < 0
        || take_number(&all, &n) < 0 || n != 1 || take(&all, &blob) < 0 || take(&all, &secret) < 0
        || describe(ctx, blob, k) < 0)
        return "the file is damaged";
    k->encrypted = !is(cipher, "none");
    return NULL;
}

const char *
private_parse(rhost_ctx *ctx, const char *text, size_t len, struct private_key *k)
{
    const char *end = memmem(text, len, END, strlen(END)), *why;
    unsigned char *bytes;
    char *packed;
    size_t n = 0;
    long size;

    memset(k, 0, sizeof *k);
    if (len < strlen(BEGIN) || memcmp(text, BEGIN, strlen(BEGIN)) != 0) {
        if (memmem(text, len, "PRIVATE KEY-----", 16))
            return "it is not in the format of OpenSSH; 'ssh-keygen -p -f FILE' converts it";
        return "it is no private key";
    }
    if (!end)
        return "the file is damaged: its end is missing";
    packed = rhost_alloc(ctx, len);
    bytes = rhost_alloc(ctx, len);
    for (const char *c = text + strlen(BEGIN); c < end; c++)
        if (*c != '\n' && *c != '\r')
            packed[n++] = *c;
    size = key_decode(packed, n, bytes, len);
    why = size < 0 ? "the file is damaged" : parse_binary(ctx, (struct bytes){ bytes, (size_t)size }, k);
    explicit_bzero(packed, len);
    explicit_bzero(bytes, len);
    return why;
}
