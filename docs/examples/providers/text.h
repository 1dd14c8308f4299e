/* SPDX-License-Identifier: Apache-2.0 */
/* text - reading and writing a small text file, for the examples beside it. */
#ifndef TEXT_H
#define TEXT_H

#include <rhost/provider.h>

#include <sys/stat.h>

enum { TEXT_MAX = 4096 };

/* Puts what stands in a file under `key`, and its mode under "mode" (without the bits that say what
 * kind of file it is: they are no part of what is wanted). RHOST_ABSENT when there is no file. */
static inline int
text_load(rhost_ctx *ctx, const char *path, rhost_value *current, const char *key)
{
    char text[TEXT_MAX];
    struct stat st;
    size_t n;
    FILE *f = fopen(path, "r");

    if (!f && errno == ENOENT)
        return RHOST_ABSENT;
    if (!f || fstat(fileno(f), &st) < 0) {
        int rc = rhost_fail_errno(ctx, "cannot read '%s'", path);

        if (f)
            fclose(f);
        return rc;
    }
    n = fread(text, 1, sizeof text, f);
    fclose(f);
    rhost_put_fmt(current, "mode", "%04o", (unsigned)(st.st_mode & 07777));
    rhost_put_bytes(current, key, text, n);
    return 0;
}

static inline int
text_write(rhost_ctx *ctx, const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return rhost_fail_errno(ctx, "cannot open '%s'", path);
    if (fputs(text, f) < 0) {
        fclose(f);
        return rhost_fail_errno(ctx, "cannot write '%s'", path);
    }
    return fclose(f) == 0 ? 0 : rhost_fail_errno(ctx, "cannot write '%s'", path);
}

#endif
