/* SPDX-License-Identifier: Apache-2.0 */
/* sha1 - HMAC-SHA1 (RFC 2104, RFC 3174), with which known_hosts hides the names of hosts.
 *
 * A library for these lines would be loaded into each worker of the type, and be a dependency of the package.
 */

#include "sha1.h"

#include <stdint.h>
#include <string.h>

struct sha1 {
    uint32_t h[5];
    uint64_t total;
    unsigned char block[SHA1_BLOCK];
};

static uint32_t
rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void
add_block(struct sha1 *s)
{
    uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];

    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16
               | (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
    for (size_t i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (size_t i = 0; i < 80; i++) {
        uint32_t f = i < 20   ? (b & c) | (~b & d)
                     : i < 40 ? b ^ c ^ d
                     : i < 60 ? (b & c) | (b & d) | (c & d)
                              : b ^ c ^ d;
        uint32_t k = i < 20 ? 0x5a827999U : i < 40 ? 0x6ed9eba1U : i < 60 ? 0x8f1bbcdcU : 0xca62c1d6U;
        uint32_t next = rotate(a, 5) + f + e + k + w[i];

        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    s->h[0] += a;
    s->h[1] += b;
    s->h[2] += c;
    s->h[3] += d;
    s->h[4] += e;
}

static void
start(struct sha1 *s)
{
    *s = (struct sha1){ .h = { 0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U } };
}

static void
add(struct sha1 *s, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        s->block[s->total++ % SHA1_BLOCK] = ((const unsigned char *)bytes)[i];
        if (s->total % SHA1_BLOCK == 0)
            add_block(s);
    }
}

static void
finish(struct sha1 *s, unsigned char *digest)
{
    uint64_t bits = s->total * 8;
    unsigned char end[8];

    add(s, "\x80", 1);
    while (s->total % SHA1_BLOCK != SHA1_BLOCK - 8)
        add(s, "", 1);
    for (size_t i = 0; i < 8; i++)
        end[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(s, end, 8);
    for (size_t i = 0; i < SHA1_SIZE; i++)
        digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void
sha1_hmac(const unsigned char *key, size_t key_len, const char *text, size_t len, unsigned char *digest)
{
    unsigned char pad[SHA1_BLOCK];
    struct sha1 s;

    for (size_t i = 0; i < SHA1_BLOCK; i++)
        pad[i] = (unsigned char)((i < key_len ? key[i] : 0) ^ 0x36);
    start(&s);
    add(&s, pad, SHA1_BLOCK);
    add(&s, text, len);
    finish(&s, digest);
    for (size_t i = 0; i < SHA1_BLOCK; i++)
        pad[i] ^= 0x36 ^ 0x5c;
    start(&s);
    add(&s, pad, SHA1_BLOCK);
    add(&s, digest, SHA1_SIZE);
    finish(&s, digest);
}
