/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/lines-batch.h - a batch of changes, as set() gets it: one writing of each file. Part of <rhost/lines.h>. */
#ifndef RHOST_LINES_BATCH_H
#define RHOST_LINES_BATCH_H

#include <rhost/lines-kept.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_lines_how {
    size_t struct_size;
    /* The file that a change is for. NULL: the one that its attribute `path` names. */
    const char *(*path)(rhost_ctx *ctx, const struct rhost_change *change);
    /* Makes one change in the lines, or leaves them alone and says why not, in memory of the call:
     * that fails this resource, and the others go on. NULL: made. Called again for lines that were read again,
     * because somebody else changed the file. */
    const char *(*edit)(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change);
    /* May be NULL: how the file is written, which starts as "as it was, links followed". Changes of one
     * file for which `validate`, `mode`, `uid` or `gid` differ are written one after the other; one that leaves a mode
     * or an owner as it was (-1) goes with those that state it. */
    void (*like)(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file);
};

/* The same for lines that are read and written in another way: those that a command prints and takes, those
 * in a folder that somebody else may change. Changes are told by their places in the batch. */
struct rhost_lines_keeper {
    size_t struct_size;
    void *data; /* for the callbacks */
    /* Whether both are for the same lines. */
    int (*same)(rhost_ctx *ctx, void *data, size_t i, size_t k);
    /* The lines that it is for, which stay until others are asked for; NULL after the reason was given. */
    struct rhost_lines *(*read)(rhost_ctx *ctx, void *data, size_t i);
    /* As in rhost_lines_how. */
    const char *(*edit)(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change);
    /* Writes what was edited; RHOST_FILE_CHANGED when it is not what was read any more: it is read and edited
     * again; -1 after the reason was given. */
    int32_t (*write)(rhost_ctx *ctx, void *data, size_t i, struct rhost_lines *l);
};

/* Reports a change as made, or as failed: with a reason, or for what was given to fail() last. */
static inline void
rhost_lines_tell(rhost_ctx *ctx, const struct rhost_change *change, int failed, const char *why)
{
    int32_t doing = failed               ? RHOST_FAILING
                    : rhost_gone(change) ? RHOST_DELETING
                    : change->is         ? RHOST_UPDATING
                                         : RHOST_CREATING;

    (void)ctx->host->did(ctx, doing, &change->title, 1, failed ? NULL : change->is,
                         failed ? NULL : change->should, why);
}

/* Reads the lines of change i, makes in them the changes that `done` marks, and writes them, all again for as
 * long as somebody else changes them in between. Why a change was not made goes into `why`. -1 after
 * the reason was given: nothing was written. */
static inline int32_t
rhost_lines_edit_kept(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n, size_t i,
                      const struct rhost_lines_keeper *keeper, const char *done, const char **why)
{
    const struct rhost_lines *last = NULL;

    for (int attempt = 0; attempt < RHOST_LINES_TRIES; attempt++) {
        struct rhost_lines *l = keeper->read(ctx, keeper->data, i);
        int32_t saved;

        if (!l)
            return -1;
        last = l;
        for (size_t k = i; k < n; k++)
            if (done[k] == 1)
                why[k] = keeper->edit(ctx, l, changes[k]);
        saved = l->edited || l->failed ? keeper->write(ctx, keeper->data, i, l) : 0;
        if (saved != RHOST_FILE_CHANGED)
            return saved;
    }
    return rhost_lines_fail_changed(ctx, last->path ? last->path : changes[i]->title);
}

/* Makes all changes, with one writing of the lines that several are for, and reports each as done once they
 * are written. What `edit` refused and what is among lines that can't be written fails alone. */
static inline int32_t
rhost_lines_set_kept(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n,
                     const struct rhost_lines_keeper *keeper)
{
    char *done = (char *)rhost_alloc(ctx, n); /* 0: to do; 1: in this turn; 2: done */
    const char **why = (const char **)rhost_alloc(ctx, n * sizeof *why);
    int32_t result = 0;

    for (size_t i = 0; i < n; i++) {
        int32_t saved;

        if (done[i])
            continue;
        for (size_t k = i; k < n; k++)
            if (!done[k] && (k == i || keeper->same(ctx, keeper->data, i, k)))
                done[k] = 1;
        saved = rhost_lines_edit_kept(ctx, changes, n, i, keeper, done, why);
        if (saved < 0)
            result = -1;
        for (size_t k = i; k < n; k++) {
            if (done[k] != 1)
                continue;
            done[k] = 2;
            rhost_lines_tell(ctx, changes[k], saved < 0 || why[k], why[k]);
        }
    }
    return result;
}

static inline int
rhost_lines_same_words(const char *const *a, const char *const *b)
{
    size_t i = 0;

    if (!a || !b)
        return a == b;
    while (a[i] && b[i] && strcmp(a[i], b[i]) == 0)
        i++;
    return !a[i] && !b[i];
}

static inline int
rhost_lines_agree(int64_t a, int64_t b)
{
    return a == b || a < 0 || b < 0;
}

/* What rhost_lines_set() has to keep are files. */
static inline int
rhost_lines_same_file(rhost_ctx *ctx, void *data, size_t i, size_t k)
{
    struct rhost_new_file *files = (struct rhost_new_file *)data;

    (void)ctx;
    if (strcmp(files[k].path, files[i].path) != 0
        || !rhost_lines_same_words(files[k].validate, files[i].validate)
        || !rhost_lines_agree(files[i].mode, files[k].mode) || !rhost_lines_agree(files[i].uid, files[k].uid)
        || !rhost_lines_agree(files[i].gid, files[k].gid))
        return 0;
    files[i].flags |= files[k].flags; /* one secret makes the file one */
    files[i].mode = files[i].mode < 0 ? files[k].mode : files[i].mode;
    files[i].uid = files[i].uid < 0 ? files[k].uid : files[i].uid;
    files[i].gid = files[i].gid < 0 ? files[k].gid : files[i].gid;
    return 1;
}

static inline struct rhost_lines *
rhost_lines_of_file(rhost_ctx *ctx, void *data, size_t i)
{
    return rhost_lines_of(ctx, ((struct rhost_new_file *)data)[i].path);
}

static inline int32_t
rhost_lines_save_file(rhost_ctx *ctx, void *data, size_t i, struct rhost_lines *l)
{
    return rhost_lines_save(ctx, l, &((struct rhost_new_file *)data)[i]);
}

/* The same, of files. */
RHOST_UNUSED static inline int32_t
rhost_lines_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n,
                const struct rhost_lines_how *how)
{
    struct rhost_new_file *files = (struct rhost_new_file *)rhost_alloc(ctx, n * sizeof *files);
    struct rhost_lines_keeper keeper;

    for (size_t i = 0; i < n; i++) {
        files[i].struct_size = sizeof files[i];
        files[i].path = how->path ? how->path(ctx, changes[i]) : rhost_str(changes[i]->name, "path");
        files[i].mode = files[i].uid = files[i].gid = -1;
        files[i].flags = RHOST_FILE_FOLLOW;
        if (how->like)
            how->like(ctx, changes[i], &files[i]);
    }
    keeper.struct_size = sizeof keeper;
    keeper.data = files;
    keeper.same = rhost_lines_same_file;
    keeper.read = rhost_lines_of_file;
    keeper.edit = how->edit;
    keeper.write = rhost_lines_save_file;
    return rhost_lines_set_kept(ctx, changes, n, &keeper);
}

#ifdef __cplusplus
}
#endif

#endif
