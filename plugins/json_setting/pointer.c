/* SPDX-License-Identifier: Apache-2.0 */
/* pointer - JSON pointers (RFC 6901): "/server/ports/0". */

#include "pointer.h"

/* In place: "~1" is '/', "~0" is '~'. */
static void
decode(char *key)
{
    char *to = key;

    for (const char *p = key; *p; p++) {
        if (*p == '~' && (p[1] == '0' || p[1] == '1'))
            *to++ = *++p == '0' ? '~' : '/';
        else
            *to++ = *p;
    }
    *to = '\0';
}

size_t
pointer_keys(rhost_ctx *ctx, const char *pointer, const char ***keys)
{
    size_t n = 0;

    *keys = rhost_alloc(ctx, (strlen(pointer) + 1) * sizeof **keys);
    while (*pointer == '/') {
        size_t len = strcspn(pointer + 1, "/");
        char *key = rhost_copy(ctx, pointer + 1, len);

        decode(key);
        (*keys)[n++] = key;
        pointer += 1 + len;
    }
    return n;
}
