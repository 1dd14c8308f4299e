/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/sha256.h - the digest of FIPS 180-4, for providers that report what is too long to be
 * compared as text: a hundred lines, so that a plugin for this alone needs no library, nor the host at its
 * start.
 *
 *   struct rhost_sha256 sum;
 *   char hex[65];
 *
 *   rhost_sha256_init(&sum);
 *   rhost_sha256_add(&sum, bytes, n);       as often as there is something
 *   rhost_sha256_hex(&sum, hex);            ends it; or rhost_sha256_bytes() */
#ifndef RHOST_SHA256_H
#define RHOST_SHA256_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_sha256 {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    unsigned char block[64];
};

static inline uint32_t
rhost_sha256_rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* One round; the eight words stay where they are, and their roles move on. */
static inline void
rhost_sha256_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f,
                   uint32_t g, uint32_t *h, uint32_t kw)
{
    uint32_t t = *h + kw + (g ^ (e & (f ^ g)))
                 + (rhost_sha256_rotate(e, 6) ^ rhost_sha256_rotate(e, 11)
                    ^ rhost_sha256_rotate(e, 25));

    *d += t;
    *h = t + ((a & b) | (c & (a | b)))
         + (rhost_sha256_rotate(a, 2) ^ rhost_sha256_rotate(a, 13) ^ rhost_sha256_rotate(a, 22));
}

/* One block of 64 bytes. */
static inline void
rhost_sha256_compress(uint32_t h[8], const unsigned char *p)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    };
    uint32_t w[64], a = h[0], b = h[1], c = h[2], d = h[3];
    uint32_t e = h[4], f = h[5], g = h[6], last = h[7];

    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7]
               + (rhost_sha256_rotate(w[i - 15], 7) ^ rhost_sha256_rotate(w[i - 15], 18)
                  ^ w[i - 15] >> 3)
               + (rhost_sha256_rotate(w[i - 2], 17) ^ rhost_sha256_rotate(w[i - 2], 19)
                  ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i += 8) {
        rhost_sha256_round(a, b, c, &d, e, f, g, &last, k[i] + w[i]);
        rhost_sha256_round(last, a, b, &c, d, e, f, &g, k[i + 1] + w[i + 1]);
        rhost_sha256_round(g, last, a, &b, c, d, e, &f, k[i + 2] + w[i + 2]);
        rhost_sha256_round(f, g, last, &a, b, c, d, &e, k[i + 3] + w[i + 3]);
        rhost_sha256_round(e, f, g, &last, a, b, c, &d, k[i + 4] + w[i + 4]);
        rhost_sha256_round(d, e, f, &g, last, a, b, &c, k[i + 5] + w[i + 5]);
        rhost_sha256_round(c, d, e, &f, g, last, a, &b, k[i + 6] + w[i + 6]);
        rhost_sha256_round(b, c, d, &e, f, g, last, &a, k[i + 7] + w[i + 7]);
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
    h[5] += f;
    h[6] += g;
    h[7] += last;
}

static inline void
rhost_sha256_init(struct rhost_sha256 *s)
{
    static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

    memset(s, 0, sizeof *s);
    memcpy(s->h, start, sizeof start);
}

static inline void
rhost_sha256_add(struct rhost_sha256 *s, const void *p, size_t n)
{
    const unsigned char *at = (const unsigned char *)p;
    size_t used = s->length % 64;

    s->length += n;
    for (; !used && n >= 64; at += 64, n -= 64)
        rhost_sha256_compress(s->h, at);
    while (n) {
        size_t take = n < 64 - used ? n : 64 - used;

        memcpy(s->block + used, at, take);
        used += take;
        at += take;
        n -= take;
        if (used == 64) {
            rhost_sha256_compress(s->h, s->block);
            used = 0;
        }
    }
}

/* Ends it: 32 bytes. */
static inline void
rhost_sha256_bytes(struct rhost_sha256 *s, unsigned char sum[32])
{
    unsigned char length[8];
    uint64_t bits = s->length * 8;

    for (int i = 7; i >= 0; i--, bits >>= 8)
        length[i] = (unsigned char)bits;
    rhost_sha256_add(s, "\x80", 1);
    while (s->length % 64 != 56)
        rhost_sha256_add(s, "", 1);
    rhost_sha256_add(s, length, 8);
    for (int i = 0; i < 32; i++)
        sum[i] = (unsigned char)(s->h[i / 4] >> (24 - i % 4 * 8));
}

/* Ends it: 64 digits and a NUL. */
static inline void
rhost_sha256_hex(struct rhost_sha256 *s, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char sum[32];

    rhost_sha256_bytes(s, sum);
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = digits[sum[i] >> 4];
        hex[2 * i + 1] = digits[sum[i] & 15];
    }
    hex[64] = '\0';
}

#ifdef __cplusplus
}
#endif

#endif
