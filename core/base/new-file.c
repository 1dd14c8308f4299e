/* SPDX-License-Identifier: Apache-2.0 */
/* new-file - a file that takes the place of the one with its name when it is complete. */
#include "config.h"

#include "base/new-file.h"

#include "base/alloc.h"
#include "base/beside.h"
#include "base/error.h"
#include "base/io.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether something has the name that must not lose it. */
static bool
is_taken(int dir, const char *name)
{
    struct stat st;

    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode);
}

/* The path from the root on, the caller's; NULL with errno. */
static char *
whole_path(const char *path)
{
    rh_autofree char *here = NULL;

    if (!*path || path[strlen(path) - 1] == '/') {
        errno = *path ? EISDIR : ENOENT;
        return NULL;
    }
    if (*path == '/')
        return rh_xstrdup(path);
    here = getcwd(NULL, 0);
    return here ? rh_printf("%s/%s", here, path) : NULL;
}

static int
fail(struct rh_new_file *f, const char *path, int why, struct rh_error *err)
{
    rh_new_file_clear(f);
    return rh_error_system(err, why, "cannot write '%s'", path);
}

int
rh_new_file_open(struct rh_new_file *f, const char *path, bool follow, struct rh_error *err)
{
    rh_autofree char *whole = whole_path(path);
    struct rh_unsafe unsafe = { "" };

    *f = (struct rh_new_file)RH_NEW_FILE_NONE;
    if (!whole)
        return fail(f, path, errno, err);
    f->dir = rh_safe_parent(whole, follow, f->name, &unsafe);
    if (f->dir < 0 && *unsafe.why)
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': %s", path, unsafe.why);
    if (f->dir < 0)
        return fail(f, path, errno, err);
    if (is_taken(f->dir, f->name)) {
        rh_new_file_clear(f);
        return rh_error_set(err, RH_ESYSTEM, "cannot write '%s': it is not a regular file", path);
    }
    f->fd = rh_beside_open(f->dir, f->name, 0600, f->beside);
    return f->fd < 0 ? fail(f, path, errno, err) : 0;
}

/* Before an older content is given up, the new one must be on disk: a rename may get there before the bytes
 * that it names. What the name stands for may have become something else since it was looked at. */
int
rh_new_file_place(struct rh_new_file *f, mode_t mode)
{
    if (is_taken(f->dir, f->name)) {
        errno = EEXIST;
        return -1;
    }
    if (fchmod(f->fd, mode) < 0 || fdatasync(f->fd) < 0)
        return -1;
    if (!f->beside[0]) {
        if (rh_beside_link(f->fd, f->dir, f->name) == 0)
            return 0;
        if (errno != EEXIST || rh_beside_name(f->fd, f->dir, f->name, f->beside) < 0)
            return -1;
    }
    if (renameat(f->dir, f->beside, f->dir, f->name) < 0)
        return -1;
    f->beside[0] = '\0';
    rh_beside_release(f->fd);
    return 0;
}

void
rh_new_file_clear(struct rh_new_file *f)
{
    if (f->beside[0])
        (void)unlinkat(f->dir, f->beside, 0);
    if (f->fd >= 0)
        (void)close(f->fd);
    if (f->dir >= 0)
        (void)close(f->dir);
    *f = (struct rh_new_file)RH_NEW_FILE_NONE;
}

int
rh_replaceable(const char *path, struct rh_error *err)
{
    if (is_taken(AT_FDCWD, path))
        return rh_error_set(err, RH_ESYSTEM, "cannot write '%s': it is not a regular file", path);
    return 0;
}

int
rh_rename_file(const char *from, const char *to, struct rh_error *err)
{
    if (rh_replaceable(to, err) < 0)
        return -1;
    return rename(from, to) < 0 ? rh_error_system(err, errno, "cannot write '%s'", to) : 0;
}

int
rh_replace_file(const char *path, const void *p, size_t n, unsigned mode, struct rh_error *err)
{
    rh_autonewfile struct rh_new_file f = RH_NEW_FILE_NONE;

    if (rh_new_file_open(&f, path, false, err) < 0)
        return -1;
    if (rh_write_all(f.fd, p, n) < 0 || rh_new_file_place(&f, (mode_t)mode) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", path);
    return 0;
}
