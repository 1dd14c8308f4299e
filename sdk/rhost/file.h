/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/file.h - the extension rhost.file/1: replace a file, or leave it as it was.
 *
 * The new content is written beside its place, given its owner, mode and attributes, checked if
 * asked, and renamed into place: readers see the old file or the new one, whole, also after a
 * crash. What a batch created is brought to disk together, before it is reported as done. */
#ifndef RHOST_FILE_H
#define RHOST_FILE_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_FILE_ID "rhost.file/1"

#define RHOST_FILE_FOLLOW UINT64_C(1) /* a symbolic link at `path`: replace what it points at;
                                       * without it the link itself is replaced. Links that another user
                                       * than root could have made are refused, here and in all of `path` */
#define RHOST_FILE_DEFERRED_SYNC UINT64_C(2) /* replacing an existing file may wait for the batch's
                                              * sync as well: nothing of worth would be lost */
#define RHOST_FILE_SECRET UINT64_C(4) /* the content is sensitive: what `validate` prints is not
                                       * shown, and a new file has 0600 unless `mode` says more. The host
                                       * sets it itself where the content has a secret that it knows, and
                                       * then heeds only a `mode` that the manifest states */
#define RHOST_FILE_AT UINT64_C(8) /* the last part of `path` is a name in the directory `dir` */
#define RHOST_FILE_ONLY_CHANGE UINT64_C(16) /* the callback changes nothing but files that it replaces with this
                                             * flag. When it fails and replaced none, the host knows that
                                             * nothing was changed: no notification stays pending */

#define RHOST_FILE_MODE_0 UINT64_C(32) /* mode 0 is meant: nobody but root may read it. Otherwise 0 is as -1, and where
                                        * mode, uid and gid are all 0, so are all three */

#define RHOST_FILE_CHANGED 1 /* replace(): somebody has changed the file meanwhile; nothing was written */

/* What a file was when its content was read: see `seen` below. From fstat(2). */
struct rhost_file_seen {
    size_t struct_size;
    int32_t exists; /* 0: there was no such file, and the rest says nothing */
    int32_t reserved;
    uint64_t dev, ino;
    int64_t size, mtime_sec, mtime_nsec, ctime_sec, ctime_nsec;
};

struct rhost_new_file {
    size_t struct_size;
    const char *path; /* absolute */
    const void *content;
    size_t content_len;
    const char *source; /* NULL; or a file to copy instead of `content` */
    int64_t mode;       /* permission bits; -1: as it was, but for setuid and setgid, which were granted to the
                         * old content; 0644 for a new file (0600 for a secret) */
    int64_t uid, gid;   /* -1: as it was; ours for a new file */
    uint64_t flags;     /* RHOST_FILE_...; one that the host does not know is refused */
    const char *const *validate; /* NULL; or an argument vector that must exit with 0 before the file
                                  * is put in place; "%" alone is the new file's path */
    uint32_t validate_timeout;   /* milliseconds; 0: 60,000 */
    int32_t dir; /* with RHOST_FILE_AT: a descriptor of the directory, which may be an O_PATH one (rhost/path.h) */
    const struct rhost_file_seen *seen; /* NULL; or what the new content was made from: when the file is not that
                                         * any more, it is left alone, and the answer is RHOST_FILE_CHANGED */
};

struct rhost_file {
    size_t struct_size;
    /* 0: in place; RHOST_FILE_CHANGED, see `seen`; -1 with the reason given to fail(): what was there is whole.
     * ACLs, extended attributes and the security label of an existing file are kept; capabilities are not, and the
     * ACL is not when the owner or the group changes, or for a secret. */
    int32_t (*replace)(rhost_ctx *ctx, const struct rhost_new_file *file);
    /* Has the batch's sync cover `path`, which the plugin wrote by itself. */
    void (*touched)(rhost_ctx *ctx, const char *path);
};

static inline int32_t
rhost_replace_file(rhost_ctx *ctx, const struct rhost_new_file *file)
{
    const struct rhost_file *ext =
        (const struct rhost_file *)ctx->host->extension(ctx, RHOST_FILE_ID);

    if (!ext)
        return ctx->host->fail(ctx, 0, NULL, "this host cannot replace files (" RHOST_FILE_ID ")");
    return ext->replace(ctx, file);
}

/* For what was changed without replacing a file: made, removed, given another owner. */
static inline void
rhost_touched(rhost_ctx *ctx, const char *path)
{
    const struct rhost_file *ext =
        (const struct rhost_file *)ctx->host->extension(ctx, RHOST_FILE_ID);

    if (ext)
        ext->touched(ctx, path);
}

#ifdef __cplusplus
}
#endif

#endif
