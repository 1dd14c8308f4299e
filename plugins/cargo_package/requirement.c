/* SPDX-License-Identifier: Apache-2.0 */
/* requirement - versions of crates, and requirements of them, as 'cargo install --version' reads them. */

#include "requirement.h"

#include "../npm_package/semver.h"

/* One operator with a version behind it. npm also reads "~> 1.2" and "v1.2", and cargo does not. */
static int
is_comparator(const char *p, size_t len)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.*+-";
    size_t at = len && strchr("<>=^~", *p) ? 1 : 0;

    if (at == 0)
        return 0;
    if (at < len && (*p == '<' || *p == '>') && p[1] == '=')
        at++;
    while (at < len && p[at] == ' ')
        at++;
    if (at == len || p[at] < '0' || p[at] > '9')
        return 0;
    while (at < len && strchr(allowed, p[at]))
        at++;
    return at == len;
}

const char *
requirement_range(rhost_ctx *ctx, const char *text)
{
    char *range = rhost_strdup(ctx, text);

    if (semver_is_version(text))
        return rhost_fmt(ctx, "=%s", text);
    for (char *p = range;; p++) {
        size_t len;

        p += strspn(p, " ");
        len = strcspn(p, ",");
        while (len && p[len - 1] == ' ')
            len--;
        if (!is_comparator(p, len))
            return NULL;
        p += strcspn(p, ",");
        if (!*p)
            break;
        *p = ' ';
    }
    return semver_is_range(range) ? range : NULL;
}

int
requirement_accepts(rhost_ctx *ctx, const char *text, const char *version)
{
    const char *range = requirement_range(ctx, text);

    return range && semver_matches(version, range);
}
