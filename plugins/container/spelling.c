/* SPDX-License-Identifier: Apache-2.0 */
/* spelling - ports and volumes in one form each. */

#include "spelling.h"

static const char *
without_end(rhost_ctx *ctx, const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0 ? rhost_copy(ctx, text, n - m) : text;
}

const char *
spelling_port(rhost_ctx *ctx, const char *text)
{
    static const char all[] = "0.0.0.0:";

    if (strncmp(text, all, sizeof all - 1) == 0)
        text += sizeof all - 1;
    return without_end(ctx, text, "/tcp");
}

static const char *
without_slash(rhost_ctx *ctx, const char *from, size_t n)
{
    while (n > 1 && from[n - 1] == '/')
        n--;
    return rhost_copy(ctx, from, n);
}

static int
has_option(const char *options, const char *name)
{
    size_t n = strlen(name);

    while (*options) {
        size_t len = strcspn(options, ",");

        if (len == n && strncmp(options, name, n) == 0)
            return 1;
        options += len + (options[len] == ',');
    }
    return 0;
}

const char *
spelling_volume(rhost_ctx *ctx, const char *text)
{
    size_t source = strcspn(text, ":"), n;
    const char *inside = text[source] ? text + source + 1 : "", *options;

    if (source == 64 && strspn(text, "0123456789abcdef") == 64)
        return NULL;
    n = strcspn(inside, ":");
    options = inside[n] ? inside + n + 1 : "";
    return rhost_fmt(ctx, "%s:%s%s", without_slash(ctx, text, source), without_slash(ctx, inside, n),
                     has_option(options, "ro") ? ":ro" : "");
}
