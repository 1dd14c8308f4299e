/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-json - the one thing in JSON that is not YAML. */
#include "config.h"

#include "manifest/text/yaml-parts.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 6 }; /* "\ud83d" */

/* The number in "\uXXXX", 0 when it is none. */
static uint32_t
read_escape(const char *s, const char *end)
{
    char digits[5] = { 0 };

    if (end - s < ESCAPE || s[0] != '\\' || s[1] != 'u')
        return 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)s[2 + i]))
            return 0;
        digits[i] = s[2 + i];
    }
    return (uint32_t)strtoul(digits, NULL, 16);
}

char *
rh_yaml_from_json(const char *text, size_t n, size_t *length)
{
    const char *at = text, *end = text + n, *done = text;
    struct rh_buf out = { 0 };

    while (at < end && strchr(" \t\r\n", *at) && *at)
        at++;
    if (at == end || (*at != '{' && *at != '['))
        return NULL;
    /* In JSON a backslash is always the start of an escape. */
    while ((at = memchr(at, '\\', (size_t)(end - at)))) {
        uint32_t high = read_escape(at, end), low;

        if (high < 0xd800 || high > 0xdbff) {
            at += end - at > 1 ? 2 : 1;
            continue;
        }
        low = read_escape(at + ESCAPE, end);
        if (low < 0xdc00 || low > 0xdfff) {
            at += ESCAPE;
            continue;
        }
        rh_buf_addn(&out, done, (size_t)(at - done));
        rh_buf_addf(&out, "\\U%08x", 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        at += 2 * ESCAPE;
        done = at;
    }
    if (!out.n)
        return NULL;
    rh_buf_addn(&out, done, (size_t)(end - done));
    *length = out.n;
    return rh_buf_take(&out);
}
