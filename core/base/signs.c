/* SPDX-License-Identifier: Apache-2.0 */
/* signs - the signs outside of ASCII that rhost itself writes, or plain ASCII. Texts of others stay as they
 * are. */
#include "config.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ARROW "→"

static bool ascii;

static bool
has_utf8(const char *locale)
{
    const char *dot = strchr(locale, '.');

    return dot && (strncasecmp(dot, ".utf-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
}

void
rh_signs_read_locale(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    ascii = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *locale = getenv(names[i]);

        if (locale && *locale) {
            ascii = !has_utf8(locale);
            return;
        }
    }
}

const char *
rh_sign_arrow(void)
{
    return ascii ? "->" : ARROW;
}

const char *
rh_sign_dot(void)
{
    return ascii ? "-" : "·";
}

void
rh_buf_add_message(struct rh_buf *b, const char *s, size_t n)
{
    const char *end = s + n, *at;

    while (ascii && (at = memmem(s, (size_t)(end - s), ARROW, strlen(ARROW)))) {
        rh_buf_add_safe(b, s, (size_t)(at - s), false);
        rh_buf_add(b, rh_sign_arrow());
        s = at + strlen(ARROW);
    }
    rh_buf_add_safe(b, s, (size_t)(end - s), false);
}
