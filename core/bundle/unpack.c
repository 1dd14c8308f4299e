/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - bundles that are applied, in the state directory. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 5, DAY = 24 * 3600 };

struct unpacked {
    char *name;
    struct timespec used;
};

static int
latest_first(const void *a, const void *b)
{
    const struct unpacked *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
    return x->used.tv_nsec < y->used.tv_nsec ? 1 : x->used.tv_nsec > y->used.tv_nsec ? -1 : 0;
}

/* Removes all but the bundles used last or in the last day, which may be in use, and what a killed process
 * left. Under the lock. */
static void
remove_old(int top, const char *directory)
{
    int copy = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rh_autoclosedir DIR *d = copy < 0 ? NULL : fdopendir(copy);
    struct unpacked *v = NULL;
    size_t n = 0, cap = 0;
    const struct dirent *e;

    if (!d && copy >= 0)
        (void)close(copy);
    while (d && (e = readdir(d))) {
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || strcmp(e->d_name, "lock") == 0
            || fstatat(top, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        v = rh_xgrow(v, &cap, n, sizeof *v);
        v[n++] = (struct unpacked){ rh_xstrdup(e->d_name),
                                    e->d_name[0] == '.' ? (struct timespec){ 0 } : st.st_mtim };
    }
    if (n)
        qsort(v, n, sizeof *v, latest_first);
    for (size_t i = 0; i < n; i++) {
        rh_autofree char *path = rh_printf("%s/%s", directory, v[i].name);

        if ((i >= KEPT && v[i].used.tv_sec < time(NULL) - DAY) || v[i].name[0] == '.')
            rh_remove_tree(path);
        free(v[i].name);
    }
    free(v);
}

static int
unpack(const struct rh_bundle *b, int top, const char *directory, const char *name, struct rh_error *err)
{
    rh_autofree char *new = rh_printf(".%s", name), *shown = rh_printf("%s/%s", directory, name);
    rh_autoclose int fd = -1;

    if (mkdirat(top, new, 0700) == 0)
        fd = openat(top, new, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot create '%s'", shown);
    if (rh_files_write(&b->files, fd, shown, err) < 0) {
        rh_autofree char *path = rh_printf("%s/%s", directory, new);

        rh_remove_tree(path);
        return -1;
    }
    if (renameat(top, new, top, name) < 0 || fsync(top) < 0)
        return rh_error_system(err, errno, "cannot create '%s'", shown);
    return 0;
}

int
rh_bundle_unpack(const struct rh_bundle *b, const char *directory, struct rh_buf *path, struct rh_error *err)
{
    rh_autofree char *name =
        rh_printf("r%lld-%.16s", (long long)b->description.revision, b->description.sha256);
    rh_autoclose int top = -1;
    rh_autoclose int lock = -1;
    rh_autoclose int there = -1;

    if (rh_make_directory(directory, 0700, err) < 0 || rh_trust_path(directory, RH_TRUST_CALLER, err) < 0)
        return -1;
    top = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    lock = top < 0 ? -1 : openat(top, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) < 0)
        return rh_error_system(err, errno, "cannot use '%s'", directory);
    remove_old(top, directory);
    there = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (there >= 0 && !rh_files_are(&b->files, there)) {
        rh_autofree char *damaged = rh_printf("%s/%s", directory, name);

        rh_remove_tree(damaged);
        rh_cleanup_close(&there);
        there = -1;
    }
    if (there < 0 && unpack(b, top, directory, name, err) < 0)
        return -1;
    if (utimensat(top, name, NULL, AT_SYMLINK_NOFOLLOW) < 0)
        return rh_error_system(err, errno, "cannot use '%s/%s'", directory, name);
    rh_buf_addf(path, "%s/%s/%s", directory, name, b->description.manifest);
    return 0;
}
