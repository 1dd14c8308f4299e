/* SPDX-License-Identifier: Apache-2.0 */
/* spelling - names of locales: language, codeset and modifier. */

#include "spelling.h"

#include <ctype.h>

const char *
spelling_codeset(rhost_ctx *ctx, const char *name)
{
    const char *dot = strchr(name, '.');

    return dot ? rhost_copy(ctx, dot + 1, strcspn(dot + 1, "@")) : "";
}

const char *
spelling_without_codeset(rhost_ctx *ctx, const char *name)
{
    size_t base = strcspn(name, ".@");
    const char *modifier = strchr(name, '@');

    return rhost_fmt(ctx, "%.*s%s", (int)base, name, modifier ? modifier : "");
}

/* Letters and digits alone, in lower case. */
static int
is_same_codeset(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && *a != '@' && !isalnum((unsigned char)*a))
            a++;
        while (*b && *b != '@' && !isalnum((unsigned char)*b))
            b++;
        if (!*a || *a == '@' || !*b || *b == '@')
            return (!*a || *a == '@') && (!*b || *b == '@');
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return 0;
    }
}

int
spelling_same(const char *a, const char *b)
{
    size_t base = strcspn(a, ".@");
    const char *x = strchr(a, '.'), *y = strchr(b, '.'), *m = strchr(a, '@'), *n = strchr(b, '@');

    if (base != strcspn(b, ".@") || strncmp(a, b, base) != 0 || !x != !y
        || strcmp(m ? m : "", n ? n : "") != 0)
        return 0;
    return !x || is_same_codeset(x + 1, y + 1);
}

const char *
spelling_tidy(rhost_ctx *ctx, const char *name)
{
    const char *dot = strchr(name, '.');

    return dot && is_same_codeset(dot + 1, "UTF-8")
               ? rhost_fmt(ctx, "%.*s.UTF-8%s", (int)(dot - name), name, dot + 1 + strcspn(dot + 1, "@"))
               : name;
}
