/* SPDX-License-Identifier: Apache-2.0 */
/* name - names of entries of an archive: what becomes of them, and which are refused. */

#include "name.h"

#include <limits.h>

/* The next part of a path, its length in *len; NULL at the end. */
static const char *
next_part(const char **at, size_t *len)
{
    const char *part = *at + strspn(*at, "/");

    *len = strcspn(part, "/");
    *at = part + *len;
    return *len ? part : NULL;
}

static int
is_up(const char *part, size_t len)
{
    return len == 2 && part[0] == '.' && part[1] == '.';
}

static int
is_here(const char *part, size_t len)
{
    return len == 1 && *part == '.';
}

const char *
name_clean(rhost_ctx *ctx, const char *raw, int64_t strip, const char **why)
{
    char *clean = rhost_alloc(ctx, strlen(raw) + 1), *to = clean;
    const char *at = raw, *part;
    int64_t parts = 0;
    size_t len;

    *why = NULL;
    if (*raw == '/')
        *why = "its name is an absolute path";
    else if (strlen(raw) >= PATH_MAX)
        *why = "its name is too long";
    while (!*why && (part = next_part(&at, &len))) {
        if (is_up(part, len))
            *why = "its name contains '..'";
        else if (len > NAME_MAX)
            *why = "a part of its name is too long";
        if (*why || is_here(part, len) || parts++ < strip)
            continue;
        if (parts - strip > NAME_DEEPEST)
            *why = "it lies in too many directories";
        if (to > clean)
            *to++ = '/';
        memcpy(to, part, len);
        to += len;
    }
    *to = '\0';
    return *why ? NULL : clean;
}

const char *
name_link_refused(const char *name, const char *target)
{
    const char *at = target, *part;
    size_t above = 0, len;
    int below = 0;

    if (*target == '/')
        return "it points to an absolute path";
    if (!*target || strlen(target) >= PATH_MAX)
        return "its target is empty or too long";
    for (const char *p = name; *p; p++)
        above += *p == '/';
    while ((part = next_part(&at, &len))) {
        if (is_here(part, len))
            continue;
        if (!is_up(part, len)) {
            below = 1;
            continue;
        }
        if (below)
            return "its target contains '..' behind another part";
        if (above-- == 0)
            return "it points out of the tree";
    }
    return NULL;
}
