/* SPDX-License-Identifier: Apache-2.0 */
/* site-files - the files of a site: all of a directory, but what version control and editors keep there. */
#include "config.h"

#include "reach/site-files.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/io.h"
#include "base/text.h"
#include "reach/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A walk through one directory. */
struct walk {
    const char *real; /* the directory, without links */
    bool links;       /* are followed */
    rh_site_file_fn *fn;
    void *data;
};

/* Where a link leads, when that is within the directory. */
static int
check_link(const struct walk *w, int dir, const char *name, const char *path, struct rh_error *err)
{
    rh_autofree char *shown = rh_printf("/proc/self/fd/%d/%s", dir, name);
    rh_autofree char *real = realpath(shown, NULL);
    size_t n = strlen(w->real);

    if (!w->links)
        return rh_error_set(err, RH_EINPUT, "'%s' is a symbolic link: a bundle cannot have it", path);
    if (!real)
        return rh_error_system(err, errno, "cannot follow the link '%s'", path);
    if (strncmp(real, w->real, n) == 0 && (real[n] == '/' || !real[n]))
        return 0;
    return rh_error_set(err, RH_EINPUT, "'%s' is a symbolic link that leads out of the site", path);
}

static int add_directory(const struct walk *w, int dir, const char *path, unsigned depth,
                         struct rh_error *err);

static int
add_entry(const struct walk *w, int dir, const char *name, const char *path, unsigned depth,
          struct rh_error *err)
{
    rh_autoclose int fd = -1;
    char *bytes;
    struct stat st;
    size_t n = 0;
    int rc;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return rh_error_system(err, errno, "cannot read '%s'", path);
    if (S_ISLNK(st.st_mode)) {
        if (check_link(w, dir, name, path, err) < 0)
            return -1;
        if (fstatat(dir, name, &st, 0) < 0)
            return rh_error_system(err, errno, "cannot read '%s'", path);
    }
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0; /* sockets and the like are no part of a site */
    fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot read '%s'", path);
    if (S_ISDIR(st.st_mode))
        return add_directory(w, rh_take_fd(&fd), path, depth + 1, err);
    bytes = rh_read_descriptor(fd, path, RH_SITE_BYTES, &n, err);
    if (!bytes)
        return -1;
    rc = w->fn(w->data, path, bytes, n, st.st_mode & 0100, err);
    explicit_bzero(bytes, n); /* secrets are files of a site */
    free(bytes);
    return rc;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the directory, sorted: the caller's, as each of them. -1 with errno. */
static ssize_t
names_of(int dir, char ***names)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rh_autoclosedir DIR *d = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *e;
    size_t n = 0, cap = 0;
    int failed;

    *names = NULL;
    if (!d) {
        failed = errno;
        if (copy >= 0)
            (void)close(copy);
        errno = failed;
        return -1;
    }
    errno = 0;
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || rh_folder_is_left_out(e->d_name))
            continue;
        *names = rh_xgrow(*names, &cap, n, sizeof **names);
        (*names)[n++] = rh_xstrdup(e->d_name);
        errno = 0;
    }
    if (errno == 0) {
        if (n)
            qsort(*names, n, sizeof **names, by_name);
        return (ssize_t)n;
    }
    failed = errno;
    while (n--)
        free((*names)[n]);
    free(*names);
    errno = failed;
    return -1;
}

/* Takes the descriptor. In the order of their names, so that the same site is the same stream. */
static int
add_directory(const struct walk *w, int dir, const char *path, unsigned depth, struct rh_error *err)
{
    rh_autoclose int own = dir;
    char **names = NULL;
    ssize_t n;
    int rc = 0;

    if (depth > RH_SITE_DEEPEST)
        return rh_error_set(err, RH_EINPUT, "directories of the site are nested more than %d deep",
                            RH_SITE_DEEPEST);
    n = names_of(own, &names);
    if (n < 0)
        return rh_error_system(err, errno, "cannot read the directory '%s'", *path ? path : w->real);
    for (ssize_t i = 0; i < n; i++) {
        rh_autofree char *below = rh_printf("%s%s%s", path, *path ? "/" : "", names[i]);

        if (rc == 0)
            rc = add_entry(w, own, names[i], below, depth, err);
        free(names[i]);
    }
    free(names);
    return rc;
}

/* A whole home, or the root, is not sent by mistake. */
static int
check_directory(const char *real, struct rh_error *err)
{
    const char *home = getenv("HOME");
    rh_autofree char *home_real = home && *home ? realpath(home, NULL) : NULL;
    static const char *const never[] = { "/", "/etc", "/home", "/root", "/tmp", "/usr", "/var", "/var/tmp" };
    bool refused = home_real && strcmp(home_real, real) == 0;

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        refused |= strcmp(real, never[i]) == 0;
    if (!refused)
        return 0;
    (void)rh_error_set(err, RH_EINPUT, "'%s' is a directory of the system, and no site", real);
    return rh_error_suggest(err, NULL, "put the manifest and its files into a directory of their own");
}

int
rh_site_files(const char *directory, bool links, rh_site_file_fn *fn, void *data, struct rh_error *err)
{
    rh_autofree char *real = realpath(directory, NULL);
    const struct walk w = { .real = real, .links = links, .fn = fn, .data = data };
    int dir;

    if (!real)
        return rh_error_system(err, errno, "cannot open '%s'", directory);
    if (check_directory(real, err) < 0)
        return -1;
    dir = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir < 0 ? rh_error_system(err, errno, "cannot open '%s'", directory)
                   : add_directory(&w, dir, "", 0, err);
}
