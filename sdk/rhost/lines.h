/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/lines.h - text files as lines: read once, edited, and written once for a whole batch.
 *
 * For providers whose resource is a part of a file that others write to as well. What is not edited
 * stays byte for byte: comments, order, line endings (also mixed), a missing newline at the end, and
 * bytes that are no text. A new line ends as the others of the file do, and gives a newline to a last
 * line that lacked one. Owner, mode and attributes of the file are kept by <rhost/file.h>.
 *
 *   load:  const struct rhost_lines *l = rhost_lines_of(ctx, path);    NULL: the reason was given
 *   set:   return rhost_lines_set(ctx, changes, n, &how);       one rewrite of each file
 *          return rhost_lines_set_kept(ctx, changes, n, &keeper);   of lines that lie elsewhere
 *
 * A file is kept from call to call for as long as it does not change on disk, so that a thousand
 * resources in it cost one reading (rhost/keep.h: the provider's state word stays its own). Paths are walked as
 * <rhost/path.h> does it: root follows no link that an ordinary user could have made. What others wrote
 * between reading and writing is not lost: the file is read again then, and edited again. Needs POSIX.1-2008. */
#ifndef RHOST_LINES_H
#define RHOST_LINES_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/file.h>
#include <rhost/keep.h>
#include <rhost/path.h>
#include <rhost/provider.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* Larger files are refused: whoever owns one must not use up our memory, `truncate -s 20G` is quickly done. */
#ifndef RHOST_LINES_LARGEST
#define RHOST_LINES_LARGEST ((size_t)64 << 20)
#endif

/* So often a file is read and edited again because somebody else changed it in between. */
#define RHOST_LINES_TRIES 5

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_line {
    const char *text; /* not terminated; may hold any byte but a newline */
    size_t len;       /* without what ends it */
    unsigned end;     /* bytes that end it: 1 "\n", 2 "\r\n", 0 for the last of a file without newline */
    char *own;        /* the text, when it was put there */
};

struct rhost_lines {
    char *path;
    int exists; /* 0: there is no such file, which is an empty one */
    int failed; /* memory ran out while editing: it can't be written any more */
    int edited; /* or it should have been: saving it then says why not */
    struct stat stat;
    struct timespec read_at;
    char *text; /* of the file, whole */
    size_t text_len;
    struct rhost_line *at;
    size_t n, room;
};

static inline void
rhost_lines_free(struct rhost_lines *l)
{
    int why = errno;

    for (size_t i = 0; l && i < l->n; i++)
        free(l->at[i].own);
    if (l) {
        free(l->path);
        free(l->text);
        free(l->at);
    }
    free(l);
    errno = why;
}

static inline int
rhost_lines_grow(struct rhost_lines *l, size_t n)
{
    size_t room = l->room ? l->room * 2 : 64;
    struct rhost_line *at;

    if (n <= l->room)
        return 0;
    if (room < n)
        room = n;
    at = (struct rhost_line *)realloc(l->at, room * sizeof *at);
    if (!at) {
        l->failed = l->edited = 1;
        return -1;
    }
    l->at = at;
    l->room = room;
    return 0;
}

/* Splits l->text, which is complete. */
static inline int
rhost_lines_split(struct rhost_lines *l)
{
    const char *p = l->text, *end = l->text + l->text_len;
    size_t n = 0;

    for (const char *q = p; q < end; n++) {
        const char *newline = (const char *)memchr(q, '\n', (size_t)(end - q));

        q = newline ? newline + 1 : end;
    }
    if (rhost_lines_grow(l, n + 8) < 0)
        return -1;
    while (p < end) {
        const char *newline = (const char *)memchr(p, '\n', (size_t)(end - p));
        struct rhost_line *line = &l->at[l->n++];

        memset(line, 0, sizeof *line);
        line->text = p;
        line->len = (size_t)((newline ? newline : end) - p);
        if (newline)
            line->end = line->len && newline[-1] == '\r' ? 2 : 1;
        if (line->end == 2)
            line->len--;
        p = newline ? newline + 1 : end;
    }
    return 0;
}

/* What is in memory already, as what a command printed. NULL when memory is out. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_from(const char *text, size_t len)
{
    struct rhost_lines *l = (struct rhost_lines *)calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->exists = 1;
    l->text = (char *)malloc(len ? len : 1);
    if (l->text) {
        if (len)
            memcpy(l->text, text, len);
        l->text_len = len;
        if (rhost_lines_split(l) == 0)
            return l;
    }
    rhost_lines_free(l);
    return NULL;
}

/* Reads all that `fd` has, which stays open. -1 with errno; EFBIG: it has more than `largest` bytes. */
static inline int
rhost_lines_fill(struct rhost_lines *l, int fd, size_t largest)
{
    size_t room;
    ssize_t got = 0;

    if (fstat(fd, &l->stat) < 0)
        return -1;
    if (S_ISDIR(l->stat.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(l->stat.st_mode)) {
        errno = EINVAL; /* a device or a pipe has no lines that could be kept */
        return -1;
    }
    errno = EFBIG;
    if ((uint64_t)l->stat.st_size > largest)
        return -1;
    (void)clock_gettime(CLOCK_REALTIME, &l->read_at);
    room = (size_t)l->stat.st_size + 1;
    l->text = (char *)malloc(room);
    while (l->text && (got = read(fd, l->text + l->text_len, room - l->text_len)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        l->text_len += (size_t)got;
        errno = EFBIG;
        if (l->text_len > largest)
            return -1;
        if (l->text_len == room) { /* it grew meanwhile, or has no size, as in /proc */
            char *more = (char *)realloc(l->text, room * 2);

            if (!more)
                return -1;
            l->text = more;
            room *= 2;
        }
    }
    if (!l->text)
        return -1;
    l->exists = 1;
    return rhost_lines_split(l);
}

/* The file that is open as `fd` (-1: there is none), if it has no more than `largest` bytes; `path` is what it is
 * called in messages. NULL with errno. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_read_fd(int fd, const char *path, size_t largest)
{
    struct rhost_lines *l = (struct rhost_lines *)calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->path = strdup(path);
    if (!l->path || (fd >= 0 && rhost_lines_fill(l, fd, largest) < 0)) {
        rhost_lines_free(l);
        return NULL;
    }
    return l;
}

/* NULL with errno. A file that is missing is an empty one, with `exists` 0. Links are followed. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_read(rhost_ctx *ctx, const char *path)
{
    /* O_NONBLOCK: a named pipe must not hold us up. */
    int fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    struct rhost_lines *l;

    if (fd < 0 && errno != ENOENT)
        return NULL;
    l = rhost_lines_read_fd(fd, path, RHOST_LINES_LARGEST);
    rhost_path_close(fd);
    return l;
}

/* Says with errno why a file could not be read. */
RHOST_UNUSED static inline int
rhost_lines_fail(rhost_ctx *ctx, const char *path)
{
    if (errno == EFBIG)
        return rhost_fail(ctx, "cannot read '%s': it is larger than %lu MiB", path,
                          (unsigned long)(RHOST_LINES_LARGEST >> 20));
    if (errno == EINVAL)
        return rhost_fail(ctx, "cannot read '%s': it is not a regular file", path);
    return rhost_fail_path(ctx, "cannot read '%s'", path);
}

/* Whether the file at its path is still what was read. One that was changed in the very moment in
 * which it was read is not trusted: its times could not tell. The path is not walked with care here: wherever
 * it leads, only the very file that was read is taken for it. */
RHOST_UNUSED static inline int
rhost_lines_are_fresh(const struct rhost_lines *l)
{
    const struct stat *was = &l->stat;
    struct stat now;
    double age;

    if (l->edited || l->failed)
        return 0;
    if (stat(l->path, &now) < 0)
        return errno == ENOENT && !l->exists;
    age = (double)(l->read_at.tv_sec - was->st_ctim.tv_sec)
          + (double)(l->read_at.tv_nsec - was->st_ctim.tv_nsec) / 1e9;
    return l->exists && age > 0.02 && now.st_ino == was->st_ino && now.st_dev == was->st_dev
           && now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec
           && now.st_mtim.tv_nsec == was->st_mtim.tv_nsec
           && now.st_ctim.tv_sec == was->st_ctim.tv_sec
           && now.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

/* Whether this is text as values have it. Files may hold anything: what is in another encoding can't be
 * reported as a string, and is best left unknown. */
RHOST_UNUSED static inline int
rhost_is_utf8(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text, *end = len ? p + len : p;

    while (p < end) {
        size_t more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p >= 0xe0 && *p < 0xf0 ? 2 : 3;

        if ((more == 3 && (*p < 0xf0 || *p > 0xf4)) || (size_t)(end - p) <= more)
            return 0;
        if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f)
            || (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
            return 0;
        for (p++; more; more--, p++)
            if ((*p & 0xc0) != 0x80)
                return 0;
    }
    return 1;
}

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

/* --- Files that are kept from call to call. ------------------------------------------------- */

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

/* --- A batch of changes, as set() gets it. --------------------------------------------------- */

struct rhost_lines_how {
    size_t struct_size;
    /* The file that a change is for. NULL: the one that its attribute `path` names. */
    const char *(*path)(rhost_ctx *ctx, const struct rhost_change *change);
    /* Makes one change in the lines, or leaves them alone and says why not, in memory of the call:
     * that fails this resource, and the others go on. NULL: made. Called again for lines that were read again,
     * because somebody else changed the file. */
    const char *(*edit)(rhost_ctx *ctx, struct rhost_lines *l, const struct rhost_change *change);
    /* May be NULL: how the file is written, which starts as "as it was, links followed". Changes of one
     * file for which `validate` differs are written one after the other. */
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
    char *done = (char *)rhost_alloc(ctx, n + 1); /* 0: to do; 1: in this turn; 2: done */
    const char **why = (const char **)rhost_alloc(ctx, (n + 1) * sizeof *why);
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

/* What rhost_lines_set() has to keep are files. */
static inline int
rhost_lines_same_file(rhost_ctx *ctx, void *data, size_t i, size_t k)
{
    struct rhost_new_file *files = (struct rhost_new_file *)data;

    (void)ctx;
    if (strcmp(files[k].path, files[i].path) != 0
        || !rhost_lines_same_words(files[k].validate, files[i].validate))
        return 0;
    files[i].flags |= files[k].flags; /* one secret makes the file one */
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
