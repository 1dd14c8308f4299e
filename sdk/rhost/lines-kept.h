/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/lines-kept.h - files that are kept from call to call. Part of <rhost/lines.h>. */
#ifndef RHOST_LINES_KEPT_H
#define RHOST_LINES_KEPT_H

#include <rhost/lines-edit.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_lines_kept {
    struct rhost_lines *file[8];
    unsigned next; /* gives way to the next one */
};

static inline void
rhost_lines_forget(void *data)
{
    struct rhost_lines_kept *kept = (struct rhost_lines_kept *)data;

    for (size_t i = 0; i < sizeof kept->file / sizeof kept->file[0]; i++)
        rhost_lines_free(kept->file[i]);
    free(kept);
}

static inline struct rhost_lines_kept *
rhost_lines_kept_of(rhost_ctx *ctx)
{
    void **word = rhost_keep_word(ctx, "rhost/lines.h", rhost_lines_forget);

    if (!word)
        rhost_fail(ctx, "this host cannot keep lines (" RHOST_KEEP_ID ")");
    else if (!*word && !(*word = calloc(1, sizeof(struct rhost_lines_kept))))
        rhost_fail(ctx, "out of memory");
    return word ? (struct rhost_lines_kept *)*word : NULL;
}

/* The file as it is now, read when needed; NULL after the reason was given. It stays until others were
 * asked for, and must only be edited if it is saved in the same call. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_of(rhost_ctx *ctx, const char *path)
{
    struct rhost_lines_kept *kept = rhost_lines_kept_of(ctx);
    const size_t room = sizeof kept->file / sizeof kept->file[0];
    size_t at = 0;

    if (!kept)
        return NULL;
    while (at < room && (!kept->file[at] || strcmp(kept->file[at]->path, path) != 0))
        at++;
    if (at == room) {
        at = kept->next;
        kept->next = (unsigned)((at + 1) % room);
    } else if (rhost_lines_are_fresh(kept->file[at])) {
        return kept->file[at];
    }
    rhost_lines_free(kept->file[at]);
    kept->file[at] = rhost_lines_read(ctx, path);
    if (!kept->file[at])
        rhost_lines_fail(ctx, path);
    return kept->file[at];
}

#ifdef __cplusplus
}
#endif

#endif
