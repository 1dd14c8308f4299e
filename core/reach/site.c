/* SPDX-License-Identifier: Apache-2.0 */
/* site - the files that go to the targets: the directory of each manifest, as it is. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"
#include "reach/push.h"
#include "reach/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
rh_site_clear(struct rh_site *site)
{
    if (site->frames.cap)
        explicit_bzero(site->frames.s, site->frames.cap); /* secrets are files of a site */
    rh_buf_clear(&site->frames);
    rh_map_clear(&site->sent);
    for (size_t i = 0; i < site->n_paths; i++)
        free(site->paths[i]);
    free(site->paths);
    *site = (struct rh_site){ 0 };
}

/* What version control and editors keep beside the files of a site. */
static bool
is_left_out(const char *name)
{
    static const char *const patterns[] = { ".git",       ".hg", ".svn", ".DS_Store", "*~",
                                            ".*.sw[a-p]", "#*#", ".#*",  NULL };

    for (size_t i = 0; patterns[i]; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

/* False: it was sent already. */
static bool
note_path(struct rh_site *site, const char *name)
{
    char *path;

    if (rh_map_get(&site->sent, name))
        return false;
    path = rh_xstrdup(name);
    site->paths = rh_xgrow(site->paths, &site->cap_paths, site->n_paths, sizeof *site->paths);
    site->paths[site->n_paths++] = path;
    (void)rh_map_put(&site->sent, path, path);
    return true;
}

/* Room for so many bytes more, without leaving a copy of what is there in freed memory. */
static void
make_room(struct rh_site *site, size_t more)
{
    struct rh_buf larger = { 0 };

    if (site->frames.cap - site->frames.n > more)
        return;
    rh_buf_make_room(&larger, 2 * site->frames.n + more);
    rh_buf_addn(&larger, rh_buf_text(&site->frames), site->frames.n);
    if (site->frames.cap)
        explicit_bzero(site->frames.s, site->frames.cap);
    rh_buf_clear(&site->frames);
    site->frames = larger;
}

static void
forget_bytes(char *bytes, size_t n)
{
    if (bytes)
        explicit_bzero(bytes, n);
    free(bytes);
}

static int
add_bytes(struct rh_site *site, const char *name, const char *bytes, size_t n, bool executable,
          struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *file = rh_value_new(a, RH_HASH);

    if (!rh_utf8_valid(name, strlen(name)) || !rh_wire_is_path(name))
        return rh_error_set(err, RH_EINPUT, "cannot send a file with the name '%s'", name);
    if (!note_path(site, name))
        return 0;
    site->bytes += n;
    if (++site->files > RH_SITE_FILES)
        return rh_error_set(err, RH_EINPUT, "the site has more than %d files", RH_SITE_FILES);
    if (site->bytes > RH_SITE_BYTES)
        return rh_error_set(err, RH_EINPUT, "the site has more than %d MiB", RH_SITE_BYTES >> 20);
    rh_value_put(file, "path", rh_value_string(a, name));
    rh_value_put(file, "size", rh_value_integer(a, (int64_t)n));
    rh_value_put(file, "executable", rh_value_boolean(a, executable));
    /* A header for each part, and the frame that names the file: a name has less than PATH_MAX bytes, and
     * six of JSON for each at the most. */
    make_room(site, n + (n / RH_WIRE_PART + 2) * 8 + 6 * PATH_MAX + 256);
    rh_wire_add_value(&site->frames, RH_WIRE_FILE, file);
    if (n)
        rh_wire_add(&site->frames, RH_WIRE_DATA, bytes, n);
    return 0;
}

int
rh_site_add_file(struct rh_site *site, const char *path, const char *name, struct rh_error *err)
{
    size_t n = 0;
    char *bytes = rh_read_file(path, RH_SITE_BYTES, &n, err);
    int rc = bytes ? add_bytes(site, name, bytes, n, false, err) : -1;

    forget_bytes(bytes, n);
    return rc;
}

/* A walk through one directory. */
struct walk {
    struct rh_site *site;
    const char *real;   /* the directory, without links */
    const char *prefix; /* on the target, "site/" or "" */
};

/* Where a link leads, when that is within the directory. */
static int
check_link(const struct walk *w, int dir, const char *name, const char *path, struct rh_error *err)
{
    rh_autofree char *shown = rh_printf("/proc/self/fd/%d/%s", dir, name);
    rh_autofree char *real = realpath(shown, NULL);
    size_t n = strlen(w->real);

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
    rh_autofree char *there = NULL;
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
    there = rh_printf("%s%s", w->prefix, path);
    rc = add_bytes(w->site, there, bytes, n, st.st_mode & 0100, err);
    forget_bytes(bytes, n);
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
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || is_left_out(e->d_name))
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
    (void)rh_error_set(err, RH_EINPUT, "the manifest is in '%s', which would be sent to the targets", real);
    return rh_error_suggest(err, NULL, "put the manifest and its files into a directory of their own");
}

/* The directory of a manifest, as the command line has it. */
static char *
folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? rh_xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : rh_xstrdup(".");
}

/* What its files have before their names on the target: as the command line has it, where that can be, for
 * messages of the target name the file so. */
static char *
prefix_of(const char *folder, const char *real)
{
    if (strcmp(folder, ".") == 0)
        return rh_xstrdup("");
    return rh_printf("%s/", rh_wire_is_path(folder) ? folder : strrchr(real, '/') + 1);
}

int
rh_site_add_secret(struct rh_site *site, const char *manifest, const char *secret, const char *path,
                   struct rh_error *err)
{
    rh_autofree char *folder = manifest ? folder_of(manifest) : rh_xstrdup(".");
    rh_autofree char *real = realpath(folder, NULL), *prefix = NULL, *name = NULL;

    if (!real)
        return rh_error_system(err, errno, "cannot open '%s'", folder);
    prefix = prefix_of(folder, real);
    name = rh_printf("%ssecrets/%s", prefix, secret);
    if (rh_map_get(&site->sent, name))
        return rh_error_set(err, RH_EINPUT, "the secret '%s' is given twice", secret);
    return rh_site_add_file(site, path, name, err);
}

char *
rh_site_add_manifest(struct rh_site *site, const char *path, struct rh_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    rh_autofree char *folder = folder_of(path);
    rh_autofree char *real = realpath(folder, NULL), *prefix = NULL;
    struct walk w = { .site = site };
    struct stat st;
    int dir;

    if (!real || stat(path, &st) < 0) {
        (void)rh_error_system(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        (void)rh_error_set(err, RH_EINPUT, "'%s' is not a regular file", path);
        return NULL;
    }
    if (check_directory(real, err) < 0)
        return NULL;
    prefix = prefix_of(folder, real);
    w.real = real;
    w.prefix = prefix;
    dir = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) {
        (void)rh_error_system(err, errno, "cannot open '%s'", folder);
        return NULL;
    }
    if (add_directory(&w, dir, "", 0, err) < 0)
        return NULL;
    return rh_printf("%s%s", prefix, name);
}
