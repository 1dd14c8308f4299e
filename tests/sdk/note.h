/* SPDX-License-Identifier: Apache-2.0 */
/* note - what the fixtures of this folder manage: a small file. Its callbacks use nothing of the
 * host but what stood in its table from the first day. */
#ifndef TESTS_SDK_NOTE_H
#define TESTS_SDK_NOTE_H

#include <rhost/provider.h>

#include <stdio.h>
#include <unistd.h>

RHOST_UNUSED static int32_t
note_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    char text[200];
    FILE *f = fopen(path, "re");
    size_t n;

    (void)should;
    if (!f && errno == ENOENT)
        return RHOST_ABSENT;
    if (!f)
        return rhost_fail_errno(ctx, "cannot open '%s'", path);
    n = fread(text, 1, sizeof text, f);
    if (fclose(f) != 0)
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    rhost_put_bytes(current, "text", text, n);
    return 0;
}

RHOST_UNUSED static int32_t
note_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    FILE *f = fopen(path, "we");
    int bad;

    if (!f)
        return rhost_fail_errno(ctx, "cannot create '%s'", path);
    bad = fputs(rhost_str_or(change->should, "text", ""), f) < 0;
    if (fclose(f) != 0 || bad)
        return rhost_fail_errno(ctx, "cannot write '%s'", path);
    return 0;
}

RHOST_UNUSED static int32_t
note_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (unlink(path) < 0)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
    return 0;
}

#endif
