/* SPDX-License-Identifier: Apache-2.0 */
/* database - what dpkg keeps of diversions. */

#include "database.h"

#include <rhost/path.h>

enum { LARGEST = 16 << 20 };

/* The next line, without its end; NULL: there is none. */
static const char *
next_line(rhost_ctx *ctx, const char **at)
{
    const char *line = *at, *end = strchr(line, '\n');

    if (!end)
        return NULL;
    *at = end + 1;
    return rhost_copy(ctx, line, (size_t)(end - line));
}

static size_t
count_lines(const char *text)
{
    size_t n = 0;

    while ((text = strchr(text, '\n'))) {
        text++;
        n++;
    }
    return n;
}

int32_t
database_read(rhost_ctx *ctx, const char *admin_dir, struct diversion **all, size_t *n)
{
    const char *path = rhost_fmt(ctx, "%s/diversions", admin_dir);
    size_t len, lines;
    const char *text = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &len, NULL);

    *all = NULL;
    *n = 0;
    if (!text)
        return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(ctx, "cannot read '%s'", path);
    lines = count_lines(text);
    if (strlen(text) != len || lines % 3 != 0 || (len && text[len - 1] != '\n'))
        return rhost_fail(ctx, "'%s' is damaged: it is not three lines for each diversion", path);
    *all = rhost_alloc(ctx, (lines / 3 + 1) * sizeof **all);
    while (*text) {
        struct diversion *d = &(*all)[(*n)++];

        d->path = next_line(ctx, &text);
        d->to = next_line(ctx, &text);
        d->holder = next_line(ctx, &text);
        if (strcmp(d->holder, ":") == 0)
            d->holder = LOCAL;
    }
    return 0;
}

const struct diversion *
database_find(const struct diversion *all, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].path, path) == 0)
            return &all[i];
    return NULL;
}
