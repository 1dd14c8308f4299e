/* SPDX-License-Identifier: Apache-2.0 */
/* armor - a key of OpenPGP as text (RFC 4880, 6.2), since a manifest can have no bytes where text may stand.
 */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/text.h"

#include <stdint.h>

bool
rh_armor_is_binary_key(const char *bytes, size_t n)
{
    unsigned char first = n > 3 ? (unsigned char)*bytes : 0;

    /* A packet with a public key, of the old format or of the new one. */
    return (first & 0xfc) == 0x98 || first == 0xc6;
}

static uint32_t
checksum(const unsigned char *p, size_t n)
{
    uint32_t crc = 0xb704ce;

    for (size_t i = 0; i < n; i++) {
        crc ^= (uint32_t)p[i] << 16;
        for (int bit = 0; bit < 8; bit++) {
            crc <<= 1;
            if (crc & 0x1000000)
                crc ^= 0x1864cfb;
        }
    }
    return crc & 0xffffff;
}

static void
add_base64(struct rh_buf *b, const unsigned char *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)p[i] << 16 | (uint32_t)(i + 1 < n ? p[i + 1] : 0) << 8
                         | (uint32_t)(i + 2 < n ? p[i + 2] : 0);

        rh_buf_addc(b, digits[three >> 18]);
        rh_buf_addc(b, digits[three >> 12 & 63]);
        rh_buf_addc(b, i + 1 < n ? digits[three >> 6 & 63] : '=');
        rh_buf_addc(b, i + 2 < n ? digits[three & 63] : '=');
        if (i % 48 == 45 && i + 3 < n)
            rh_buf_addc(b, '\n');
    }
    rh_buf_addc(b, '\n');
}

const char *
rh_armor_key(struct looking *l, const char *bytes, size_t n)
{
    rh_autobuf struct rh_buf b = { 0 };
    const unsigned char *p = (const unsigned char *)bytes;
    uint32_t crc = checksum(p, n);
    const unsigned char sum[3] = { (unsigned char)(crc >> 16), (unsigned char)(crc >> 8),
                                   (unsigned char)crc };

    rh_buf_add(&b, "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n");
    add_base64(&b, p, n);
    rh_buf_addc(&b, '=');
    add_base64(&b, sum, sizeof sum);
    rh_buf_add(&b, "-----END PGP PUBLIC KEY BLOCK-----\n");
    return rh_arena_strndup(l->arena, rh_buf_text(&b), b.n);
}
