/* SPDX-License-Identifier: Apache-2.0 */
/* kept - the file that has a table for the next boot. */

#include "kept.h"

#include <rhost/file.h>
#include <rhost/path.h>

enum { LARGEST = 8 << 20 };

static const char *
first_line(rhost_ctx *ctx, const char *table)
{
    return rhost_fmt(ctx, "# Kept by rhost: nft_table[%s]\n", table);
}

int
kept_look(rhost_ctx *ctx, const char *file, const char *table, const char **text, const char **why)
{
    const char *mark = first_line(ctx, table), *unsafe;
    struct stat st;
    size_t len;
    int error;

    *text = rhost_path_read(ctx, file, 0, LARGEST, &len, &st);
    if (*text)
        return len == 0 ? KEPT_NONE : strncmp(*text, mark, strlen(mark)) == 0 ? KEPT_OURS : KEPT_OTHER;
    error = errno;
    if (error == ENOENT || error == ENOTDIR)
        return KEPT_NONE;
    if (error == EFBIG || error == EINVAL || error == EISDIR)
        return KEPT_OTHER;
    unsafe = rhost_path_unsafe(ctx);
    *why = rhost_fmt(ctx, "cannot read '%s': %s", file, unsafe ? unsafe : strerror(error));
    return -1;
}

const char *
kept_other(rhost_ctx *ctx, const char *file)
{
    return rhost_fmt(ctx, "'%s' has something else than this table, and is not replaced", file);
}

const char *
kept_text(rhost_ctx *ctx, const char *table, const char *content)
{
    size_t len = strlen(content);

    return rhost_fmt(ctx, "%stable %s\ndelete table %s\n\ntable %s {\n%s%s}\n", first_line(ctx, table), table,
                     table, table, content, len && content[len - 1] != '\n' ? "\n" : "");
}

const char *
kept_content(rhost_ctx *ctx, const char *table, const char *text)
{
    const char *empty = kept_text(ctx, table, "");
    size_t before = strlen(empty) - 2, len = strlen(text);

    if (len < before + 2 || strncmp(text, empty, before) != 0 || strcmp(text + len - 2, "}\n") != 0)
        return NULL;
    return rhost_copy(ctx, text + before, len - before - 2);
}

void
kept_write(rhost_ctx *ctx, const char *file, const char *table, const char *content)
{
    struct rhost_new_file new = { .struct_size = sizeof new, .path = file, .uid = -1, .gid = -1 };
    const char *text, *why;
    int there = kept_look(ctx, file, table, &text, &why);

    new.content = kept_text(ctx, table, content);
    new.content_len = strlen(new.content);
    if (there < 0 || there == KEPT_OTHER)
        rhost_fail_attr(ctx, "file", "%s", there < 0 ? why : kept_other(ctx, file));
    else if (rhost_path_trusted(ctx, file) < 0 && errno != ENOENT) /* it is loaded at boot, by root */
        rhost_fail_path(ctx, "cannot write '%s'", file);
    else
        (void)rhost_replace_file(ctx, &new);
}

void
kept_remove(rhost_ctx *ctx, const char *file, const char *table)
{
    const char *text, *why;
    int there = kept_look(ctx, file, table, &text, &why);

    if (there < 0)
        rhost_fail_attr(ctx, "file", "%s", why);
    else if (there == KEPT_OURS && rhost_path_unlink(ctx, file, 0) < 0 && errno != ENOENT)
        rhost_fail_path(ctx, "cannot remove '%s'", file);
}
