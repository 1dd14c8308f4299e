/* SPDX-License-Identifier: Apache-2.0 */
/* sha1 - SHA-1 of FIPS 180-4, which names and checksums of others still need. It protects nothing. */
#include "config.h"

#include "base/digest.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64 };

static uint32_t
rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void
add_block(uint32_t h[5], const unsigned char *block)
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

    for (unsigned i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (unsigned i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t mixed, next;

        if (i < 20)
            mixed = ((b & c) | (~b & d)) + 0x5a827999;
        else if (i < 40)
            mixed = (b ^ c ^ d) + 0x6ed9eba1;
        else if (i < 60)
            mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
        else
            mixed = (b ^ c ^ d) + 0xca62c1d6;
        next = rotate(a, 5) + mixed + e + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

void
rh_sha1(const void *text, size_t n, unsigned char bytes[20])
{
    const unsigned char *p = text;
    uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    unsigned char last[2 * BLOCK] = { 0 };
    size_t rest = n % BLOCK, blocks = rest < BLOCK - 8 ? 1 : 2;

    for (size_t i = 0; i + BLOCK <= n; i += BLOCK)
        add_block(h, p + i);
    if (rest)
        memcpy(last, p + n - rest, rest);
    last[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        last[blocks * BLOCK - 1 - i] = (unsigned char)((uint64_t)n << 3 >> 8 * i);
    for (size_t i = 0; i < blocks; i++)
        add_block(h, last + BLOCK * i);
    for (unsigned i = 0; i < 20; i++)
        bytes[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}
