/* SPDX-License-Identifier: Apache-2.0 */
/* md5 - MD5 (RFC 1321), which dpkg has of configuration files. It tells whether a text was changed, and
 * protects nothing. */
#include "config.h"

#include "base/digest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct state {
    uint32_t a, b, c, d;
};

static uint32_t
rotate(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static uint32_t
word_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void
add_block(struct state *s, const unsigned char *block)
{
    /* floor(2^32 * abs(sin(i + 1))) */
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    static const unsigned char rotations[4][4] = {
        { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 }
    };
    struct state n = *s;

    for (unsigned i = 0; i < 64; i++) {
        uint32_t mixed, sum;
        unsigned k;

        if (i < 16) {
            mixed = (n.b & n.c) | (~n.b & n.d);
            k = i;
        } else if (i < 32) {
            mixed = (n.d & n.b) | (~n.d & n.c);
            k = (5 * i + 1) % 16;
        } else if (i < 48) {
            mixed = n.b ^ n.c ^ n.d;
            k = (3 * i + 5) % 16;
        } else {
            mixed = n.c ^ (n.b | ~n.d);
            k = 7 * i % 16;
        }
        sum = n.a + mixed + sines[i] + word_at(block + (size_t)4 * k);
        n.a = n.d;
        n.d = n.c;
        n.c = n.b;
        n.b += rotate(sum, rotations[i / 16][i % 4]);
    }
    s->a += n.a;
    s->b += n.b;
    s->c += n.c;
    s->d += n.d;
}

void
rh_md5(const void *text, size_t n, unsigned char bytes[16])
{
    const unsigned char *p = text;
    struct state s = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
    unsigned char last[128] = { 0 };
    uint64_t bits = (uint64_t)n * 8;
    size_t rest = n % 64, blocks = rest < 56 ? 1 : 2;
    uint32_t words[4];

    for (size_t i = 0; i + 64 <= n; i += 64)
        add_block(&s, p + i);
    if (rest)
        memcpy(last, p + n - rest, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[blocks * 64 - 8 + i] = (unsigned char)(bits >> (8 * i));
    for (size_t i = 0; i < blocks; i++)
        add_block(&s, last + 64 * i);
    words[0] = s.a;
    words[1] = s.b;
    words[2] = s.c;
    words[3] = s.d;
    for (size_t i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(words[i / 4] >> (8 * (i % 4)));
}

void
rh_md5_sum(const void *text, size_t n, char hex[RH_MD5_TEXT])
{
    unsigned char bytes[16];

    rh_md5(text, n, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)bytes[i]);
}
