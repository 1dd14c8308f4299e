/* SPDX-License-Identifier: Apache-2.0 */
/* blob - the binary format of SSH. */
#include "config.h"

#include "bundle/blob.h"

#include "base/alloc.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

bool
rh_blob_take_number(struct rh_blob *from, uint32_t *number)
{
    if (from->n < 4)
        return false;
    *number =
        (uint32_t)from->p[0] << 24 | (uint32_t)from->p[1] << 16 | (uint32_t)from->p[2] << 8 | from->p[3];
    from->p += 4;
    from->n -= 4;
    return true;
}

bool
rh_blob_take(struct rh_blob *from, struct rh_blob *part)
{
    uint32_t n;

    if (!rh_blob_take_number(from, &n) || n > from->n)
        return false;
    *part = (struct rh_blob){ from->p, n };
    from->p += n;
    from->n -= n;
    return true;
}

bool
rh_blob_is(const struct rh_blob *b, const char *text)
{
    return b->n == strlen(text) && memcmp(b->p, text, b->n) == 0;
}

bool
rh_blob_equal(const struct rh_blob *a, const struct rh_blob *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

void
rh_blob_add(struct rh_buf *to, const void *p, size_t n)
{
    const char head[4] = { (char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n };

    rh_buf_addn(to, head, sizeof head);
    rh_buf_addn(to, p, n);
}

static int
digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

unsigned char *
rh_blob_decode(const char *text, size_t n, size_t *len)
{
    rh_autofree unsigned char *out = rh_xalloc(n / 4 * 3 + 4);
    unsigned bits = 0, digits = 0, padding = 0;
    size_t at = 0;

    for (size_t i = 0; i < n; i++) {
        int digit = digit_of(text[i]);

        if (text[i] == '\n' || text[i] == '\r' || text[i] == ' ' || text[i] == '\t')
            continue;
        if (text[i] == '=' && digits % 4 >= 2) {
            padding++;
            digits++;
            continue;
        }
        if (digit < 0 || padding)
            return NULL;
        bits = bits << 6 | (unsigned)digit;
        digits++;
        if (digits % 4 == 0)
            out[at++] = (unsigned char)(bits >> 16), out[at++] = (unsigned char)(bits >> 8),
            out[at++] = (unsigned char)bits;
    }
    if (digits % 4 || padding > 2)
        return NULL;
    if (padding == 1)
        out[at++] = (unsigned char)(bits >> 10), out[at++] = (unsigned char)(bits >> 2);
    else if (padding == 2)
        out[at++] = (unsigned char)(bits >> 4);
    *len = at;
    return rh_take(&out);
}
