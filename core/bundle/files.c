/* SPDX-License-Identifier: Apache-2.0 */
/* files - the files of a bundle, in memory and on disk. */
#include "config.h"

#include "bundle/files.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "bundle/files-parts.h"
#include "reach/site-files.h"
#include "reach/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
rh_files_add(struct rh_bundle_files *f, const char *path, char *bytes, size_t n, bool executable,
             struct rh_error *err)
{
    rh_autofree char *own = bytes;

    if (f->n == RH_SITE_FILES)
        return rh_error_set(err, RH_EINPUT, "a bundle can have %d files at most", RH_SITE_FILES);
    if (n > RH_SITE_BYTES || f->bytes + n > RH_SITE_BYTES)
        return rh_error_set(err, RH_EINPUT, "a bundle can have %d MiB at most", RH_SITE_BYTES >> 20);
    if (!rh_utf8_valid(path, strlen(path)) || !rh_wire_is_path(path)) {
        rh_autofree char *shown = rh_safe_text(path);

        return rh_error_set(err, RH_EINPUT, "a bundle cannot have a file with the name '%s'", shown);
    }
    f->v = rh_xgrow(f->v, &f->cap, f->n, sizeof *f->v);
    f->v[f->n++] = (struct rh_bundle_file){ rh_xstrdup(path), rh_take(&own), n, executable };
    f->bytes += n;
    return 0;
}

static int
by_path(const void *a, const void *b)
{
    return strcmp(((const struct rh_bundle_file *)a)->path, ((const struct rh_bundle_file *)b)->path);
}

int
rh_files_sort(struct rh_bundle_files *f, struct rh_error *err)
{
    if (f->n)
        qsort(f->v, f->n, sizeof *f->v, by_path);
    for (size_t i = 1; i < f->n; i++) {
        size_t n = strlen(f->v[i - 1].path);

        if (strncmp(f->v[i - 1].path, f->v[i].path, n) == 0 && (!f->v[i].path[n] || f->v[i].path[n] == '/'))
            return rh_error_set(err, RH_EINPUT, "the archive has '%s' twice", f->v[i - 1].path);
    }
    return 0;
}

const struct rh_bundle_file *
rh_files_find(const struct rh_bundle_files *f, const char *path)
{
    size_t from = 0, to = f->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(f->v[middle].path, path);

        if (order == 0)
            return &f->v[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* Bundles are published: of the secrets of a site only those go with it that are encrypted by age(1). */
static bool
is_plain_secret(const char *path, const char *bytes, size_t n)
{
    static const char *const sealed[] = { "age-encryption.org/v1", "-----BEGIN AGE ENCRYPTED FILE-----" };

    if (strncmp(path, "secrets/", 8) != 0 && !strstr(path, "/secrets/"))
        return false;
    for (size_t i = 0; i < sizeof sealed / sizeof sealed[0]; i++)
        if (n > strlen(sealed[i]) && memcmp(bytes, sealed[i], strlen(sealed[i])) == 0)
            return false;
    return true;
}

static int
add(void *data, const char *path, const char *bytes, size_t n, bool executable, struct rh_error *err)
{
    char *copy;

    if (is_plain_secret(path, bytes, n)) {
        rh_autofree char *shown = rh_safe_text(path);

        (void)fprintf(stderr, "rhost bundle: skipping '%s': it is a secret in plain text\n", shown);
        return 0;
    }
    copy = rh_xalloc(n + 1);
    memcpy(copy, bytes, n);
    return rh_files_add(data, path, copy, n, executable, err);
}

int
rh_files_read(struct rh_bundle_files *f, const char *directory, struct rh_error *err)
{
    if (rh_site_files(directory, false, add, f, err) < 0)
        return -1;
    return rh_files_sort(f, err);
}

/* The directory that the last name of the path is in, with those above it. */
static int
open_parent(int directory, const char *path, const char **name)
{
    rh_autoclose int at = fcntl(directory, F_DUPFD_CLOEXEC, 3);
    const char *slash;

    while (at >= 0 && (slash = strchr(path, '/'))) {
        rh_autofree char *part = rh_xstrndup(path, (size_t)(slash - path));
        int next;

        if (mkdirat(at, part, 0700) < 0 && errno != EEXIST)
            return -1;
        next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        (void)close(at);
        at = next;
        path = slash + 1;
    }
    *name = path;
    return rh_take_fd(&at);
}

static int
write_file(int directory, const struct rh_bundle_file *file)
{
    const char *name;
    rh_autoclose int at = open_parent(directory, file->path, &name);
    rh_autoclose int fd = at < 0 ? -1
                                 : openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                          file->executable ? 0700 : 0600);

    return fd < 0 || rh_write_all(fd, file->bytes, file->n) < 0 ? -1 : 0;
}

int
rh_files_write(const struct rh_bundle_files *f, int directory, const char *shown, struct rh_error *err)
{
    for (size_t i = 0; i < f->n; i++)
        if (write_file(directory, &f->v[i]) < 0)
            return rh_error_system(err, errno, "cannot create '%s/%s'", shown, f->v[i].path);
    /* One call for all: the directory is used only when it has its name, which it gets afterwards. */
    if (syncfs(directory) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", shown);
    return 0;
}

bool
rh_files_are(const struct rh_bundle_files *f, int directory)
{
    for (size_t i = 0; i < f->n; i++) {
        rh_autoclose int fd = openat(directory, f->v[i].path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        size_t n = 0;
        rh_autofree char *bytes =
            fd < 0 ? NULL : rh_read_descriptor(fd, f->v[i].path, RH_SITE_BYTES, &n, NULL);

        if (!bytes || n != f->v[i].n || memcmp(bytes, f->v[i].bytes, n) != 0)
            return false;
    }
    return true;
}

void
rh_files_clear(struct rh_bundle_files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].path);
        free(f->v[i].bytes);
    }
    free(f->v);
    *f = (struct rh_bundle_files){ 0 };
}
