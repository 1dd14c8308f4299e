/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/lines-edit.h - looking at lines, editing and writing them. Part of <rhost/lines.h>. */
#ifndef RHOST_LINES_EDIT_H
#define RHOST_LINES_EDIT_H

#include <rhost/lines-read.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Looking, and editing. Memory that runs out is told by what writes: no need to check each. A line
 * that was not inserted is not there: what is edited behind that does nothing more. ------------ */

/* Whether line i is exactly this text. */
RHOST_UNUSED static inline int
rhost_line_is(const struct rhost_lines *l, size_t i, const char *text, size_t len)
{
    return l->at[i].len == len && memcmp(l->at[i].text, text, len) == 0;
}

/* How new lines of this file end. */
static inline unsigned
rhost_lines_ending(const struct rhost_lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].end)
            return l->at[i].end;
    return 1;
}

/* Line i has this text from now on (of which a copy is made), and ends as it did. */
RHOST_UNUSED static inline void
rhost_lines_put(struct rhost_lines *l, size_t i, const char *text, size_t len)
{
    char *own = l->failed || i >= l->n ? NULL : (char *)malloc(len + 1);

    if (!own) {
        l->failed = l->edited = 1;
        return;
    }
    memcpy(own, text, len);
    own[len] = '\0';
    free(l->at[i].own);
    l->at[i].text = l->at[i].own = own;
    l->at[i].len = len;
    l->edited = 1;
}

/* A new line in front of line i; i = l->n appends. */
RHOST_UNUSED static inline void
rhost_lines_insert(struct rhost_lines *l, size_t i, const char *text, size_t len)
{
    unsigned end = rhost_lines_ending(l);

    if (l->failed || i > l->n || rhost_lines_grow(l, l->n + 1) < 0) {
        l->failed = l->edited = 1;
        return;
    }
    if (i > 0 && !l->at[i - 1].end)
        l->at[i - 1].end = end;
    memmove(l->at + i + 1, l->at + i, (l->n - i) * sizeof *l->at);
    memset(&l->at[i], 0, sizeof l->at[i]);
    l->at[i].text = "";
    l->at[i].end = end;
    l->n++;
    rhost_lines_put(l, i, text, len);
}

RHOST_UNUSED static inline void
rhost_lines_append(struct rhost_lines *l, const char *text)
{
    rhost_lines_insert(l, l->n, text, strlen(text));
}

/* Takes out n lines from line i on. */
RHOST_UNUSED static inline void
rhost_lines_remove(struct rhost_lines *l, size_t i, size_t n)
{
    if (i > l->n || n > l->n - i) {
        l->failed = l->edited = 1;
        return;
    }
    for (size_t k = i; k < i + n; k++)
        free(l->at[k].own);
    memmove(l->at + i, l->at + i + n, (l->n - i - n) * sizeof *l->at);
    l->n -= n;
    l->edited = 1;
}

/* Takes out each line for which `which` says so: many at once cost one pass. */
RHOST_UNUSED static inline void
rhost_lines_remove_marked(struct rhost_lines *l, const char *which)
{
    size_t left = 0;

    for (size_t i = 0; i < l->n; i++)
        if (which[i])
            free(l->at[i].own);
        else
            l->at[left++] = l->at[i];
    if (left < l->n)
        l->edited = 1;
    l->n = left;
}

/* All of it is this text from now on, of which a copy is made. */
RHOST_UNUSED static inline void
rhost_lines_set_text(struct rhost_lines *l, const char *text, size_t len)
{
    char *own = l->failed ? NULL : (char *)malloc(len + 1);

    l->edited = 1;
    if (!own) {
        l->failed = 1;
        return;
    }
    memcpy(own, text, len);
    own[len] = '\0';
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i].own);
    free(l->text);
    l->text = own;
    l->text_len = len;
    l->n = 0;
    (void)rhost_lines_split(l); /* memory that runs out is noted there */
}

/* All of it as one text, for free(), with a NUL behind it; NULL when memory is or was out. */
RHOST_UNUSED static inline char *
rhost_lines_text(const struct rhost_lines *l, size_t *len)
{
    size_t size = 1;
    char *text, *to;

    for (size_t i = 0; i < l->n; i++)
        size += l->at[i].len + l->at[i].end;
    text = to = l->failed ? NULL : (char *)malloc(size);
    if (!text)
        return NULL;
    for (size_t i = 0; i < l->n; i++) {
        const struct rhost_line *line = &l->at[i];

        memcpy(to, line->text, line->len);
        to += line->len;
        if (line->end)
            memcpy(to, line->end == 2 ? "\r\n" : "\n", line->end);
        to += line->end;
    }
    *to = '\0';
    *len = size - 1;
    return text;
}

/* Writes the lines to where `like` says, or else whence they came; mode, owner, flags and validation
 * as there. RHOST_FILE_CHANGED: nothing is written, the file is not that any more which was read; -1 after the
 * reason was given. */
RHOST_UNUSED static inline int32_t
rhost_lines_save(rhost_ctx *ctx, const struct rhost_lines *l, const struct rhost_new_file *like)
{
    const struct stat *st = &l->stat;
    struct rhost_file_seen seen;
    struct rhost_new_file file = *like;
    size_t len = 0;
    char *text = rhost_lines_text(l, &len);
    int32_t result;

    memset(&seen, 0, sizeof seen);
    seen.struct_size = sizeof seen;
    seen.exists = l->exists;
    seen.dev = (uint64_t)st->st_dev;
    seen.ino = (uint64_t)st->st_ino;
    seen.size = st->st_size;
    seen.mtime_sec = st->st_mtim.tv_sec;
    seen.mtime_nsec = st->st_mtim.tv_nsec;
    seen.ctime_sec = st->st_ctim.tv_sec;
    seen.ctime_nsec = st->st_ctim.tv_nsec;
    if (!file.path || (l->path && strcmp(file.path, l->path) == 0))
        file.seen = &seen;
    if (!file.path)
        file.path = l->path;
    if (!text)
        return rhost_fail(ctx, "cannot write '%s': out of memory", file.path);
    file.content = text;
    file.content_len = len;
    result = rhost_replace_file(ctx, &file);
    free(text);
    return result;
}

/* What is said after RHOST_LINES_TRIES times RHOST_FILE_CHANGED. */
static inline int
rhost_lines_fail_changed(rhost_ctx *ctx, const char *path)
{
    return rhost_fail(ctx, "cannot write '%s': something else changed it %d times while it was edited", path,
                      RHOST_LINES_TRIES);
}

#ifdef __cplusplus
}
#endif

#endif
