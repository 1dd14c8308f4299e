/* SPDX-License-Identifier: Apache-2.0 */
/* tree-copy - a small directory tree in memory; see the header. */
#include "config.h"

#include "tree-copy.h"

#include "names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
give_up(const char *what, const char *path)
{
    fprintf(stderr, "cannot %s '%s': %s\n", what, path, strerror(errno));
    exit(2);
}

static char *
join(const char *a, const char *b)
{
    char *s;

    if (asprintf(&s, "%s%s%s", a, *a && *b ? "/" : "", b) < 0)
        give_up("allocate", a);
    return s;
}

char *
read_whole(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = NULL;
    size_t n = 0, cap = 0;
    ssize_t got;

    if (fd < 0)
        return NULL;
    do {
        if (n + 4096 > cap && !(text = realloc(text, cap = cap * 2 + 8192)))
            give_up("allocate for", path);
        got = read(fd, text + n, cap - n - 1);
        n += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    (void)close(fd);
    text[n] = '\0';
    if (size)
        *size = n;
    return text;
}

void
tree_add(struct tree *t, const char *path, mode_t mode, char *content, size_t size)
{
    if (t->n == t->cap && !(t->v = realloc(t->v, (t->cap = t->cap * 2 + 16) * sizeof *t->v)))
        give_up("allocate for", path);
    t->v[t->n++] = (struct entry){ .path = join(path, ""), .mode = mode, .content = content, .size = size };
}

static int
by_path(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

void
tree_sort(struct tree *t)
{
    if (t->n)
        qsort(t->v, t->n, sizeof *t->v, by_path);
}

static void
take(struct tree *t, const char *top, const char *below)
{
    char *folder = join(top, below);
    DIR *d = opendir(folder);
    const struct dirent *e;

    if (!d)
        give_up("open", folder);
    while ((e = readdir(d))) {
        char *path, *full, *content = NULL;
        struct stat st;
        size_t n = 0;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        path = join(below, e->d_name);
        full = join(top, path);
        if (lstat(full, &st) < 0)
            give_up("look at", full);
        if (S_ISREG(st.st_mode)) {
            content = read_whole(full, &n);
        } else if (S_ISLNK(st.st_mode)) {
            content = calloc(1, 4096);
            n = content ? (size_t)readlink(full, content, 4095) : 0;
        }
        tree_add(t, path, st.st_mode, content, n);
        if (S_ISDIR(st.st_mode))
            take(t, top, path);
        free(path);
        free(full);
    }
    (void)closedir(d);
    free(folder);
}

void
tree_take(struct tree *t, const char *top)
{
    *t = (struct tree){ 0 };
    take(t, top, "");
    tree_sort(t);
}

void
tree_clear(struct tree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->v[i].path);
        free(t->v[i].content);
    }
    free(t->v);
    *t = (struct tree){ 0 };
}

const struct entry *
tree_find(const struct tree *t, const char *path)
{
    const struct entry key = { .path = (char *)(size_t)path };

    return t->n ? bsearch(&key, t->v, t->n, sizeof *t->v, by_path) : NULL;
}

static uint64_t
hash_without_digits(uint64_t hash, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] < '0' || s[i] > '9')
            hash = names_hash(hash, s + i, 1);
    return hash;
}

uint64_t
tree_hash(const struct tree *t)
{
    uint64_t hash = NAMES_HASH_BEGIN;

    for (size_t i = 0; i < t->n; i++) {
        const struct entry *e = &t->v[i];
        bool dated = strncmp(e->path, "state/runs", 10) == 0;
        uint64_t (*add)(uint64_t hash, const char *s, size_t n) = dated ? hash_without_digits : names_hash;

        hash = add(hash, e->path, strlen(e->path) + 1);
        hash = names_hash(hash, (const char *)&e->mode, sizeof e->mode);
        hash = add(hash, e->content ? e->content : "", e->size);
    }
    return hash;
}

bool
entry_same(const struct entry *a, const struct entry *b)
{
    if (!a || !b)
        return a == b;
    return (a->mode & S_IFMT) == (b->mode & S_IFMT) && a->size == b->size
           && (!a->size || memcmp(a->content, b->content, a->size) == 0);
}

void
tree_remove(const char *top)
{
    DIR *d = opendir(top);
    const struct dirent *e;

    while (d && (e = readdir(d))) {
        char *path;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        path = join(top, e->d_name);
        if (unlink(path) < 0) {
            tree_remove(path);
            if (rmdir(path) < 0)
                give_up("remove", path);
        }
        free(path);
    }
    if (d)
        (void)closedir(d);
}

void
tree_lay_out(const struct tree *t, const char *top)
{
    tree_remove(top);
    for (size_t i = 0; i < t->n; i++) {
        const struct entry *e = &t->v[i];
        char *path = join(top, e->path);

        if (S_ISDIR(e->mode)) {
            if (mkdir(path, 0700) < 0 || chmod(path, e->mode & 07777) < 0)
                give_up("make", path);
        } else if (S_ISLNK(e->mode)) {
            if (symlink(e->content, path) < 0)
                give_up("make", path);
        } else if (S_ISREG(e->mode)) {
            int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

            if (fd < 0 || (e->size && write(fd, e->content, e->size) != (ssize_t)e->size)
                || fchmod(fd, e->mode & 07777) < 0 || close(fd) < 0)
                give_up("write", path);
        }
        free(path);
    }
}
