/* SPDX-License-Identifier: Apache-2.0 */
/* uuid - UUIDs of file systems and swap areas. */

#include "uuid.h"

#include <sys/random.h>

enum { SHORT = 9 };

static int
fill(rhost_ctx *ctx, unsigned char *b, size_t n)
{
    if (getrandom(b, n, 0) == (ssize_t)n)
        return 0;
    return rhost_fail_errno(ctx, "cannot get random bytes for a UUID");
}

const char *
uuid_new(rhost_ctx *ctx)
{
    unsigned char b[16];

    if (fill(ctx, b, sizeof b) < 0)
        return NULL;
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    return rhost_fmt(ctx, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
                     b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                     b[15]);
}

const char *
uuid_new_short(rhost_ctx *ctx)
{
    unsigned char b[4];

    if (fill(ctx, b, sizeof b) < 0)
        return NULL;
    return rhost_fmt(ctx, "%02X%02X-%02X%02X", b[0] | 1, b[1], b[2], b[3]);
}

void
uuid_tidy(rhost_ctx *ctx, rhost_value *resource)
{
    const char *uuid = rhost_str(resource, "uuid");
    int upper = uuid && strlen(uuid) == SHORT;
    char *copy = uuid ? rhost_copy(ctx, uuid, strlen(uuid)) : NULL;

    for (char *p = copy; p && *p; p++)
        if (upper ? *p >= 'a' && *p <= 'f' : *p >= 'A' && *p <= 'F')
            *p ^= 0x20;
    if (copy && strcmp(copy, uuid) != 0)
        rhost_put_str(resource, "uuid", copy);
}
