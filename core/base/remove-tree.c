/* SPDX-License-Identifier: Apache-2.0 */
/* remove-tree - removing a directory of ours with all that is in it. */
#include "config.h"

#include "base/io.h"

#include "base/mounted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 64 }; /* a descriptor is held for each level */

struct removal {
    int top;         /* what is too deep is moved there */
    unsigned lifted; /* the number of the next one */
    bool again;      /* there are such, which the next walk removes */
    int why;         /* an errno of this walk; 0: nothing stays */
};

static void empty(struct removal *r, int fd, int depth);

static void
lift(struct removal *r, int dir, const char *name)
{
    char to[40];

    (void)snprintf(to, sizeof to, ".rhost-removal-%u", r->lifted++);
    if (renameat(dir, name, r->top, to) == 0)
        r->again = true;
    else
        r->why = errno;
}

static void
remove_directory(struct removal *r, int dir, const char *name, int depth)
{
    int fd;

    if (rh_is_mounted(dir, name)) {
        r->why = EBUSY;
        return;
    }
    if (depth == DEEPEST) {
        lift(r, dir, name);
        return;
    }
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && rh_is_mounted(fd, "")) /* just now */
        (void)close(fd);
    else if (fd >= 0)
        empty(r, fd, depth);
    if (unlinkat(dir, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
        r->why = errno;
}

/* Takes over `fd`. */
static void
empty(struct removal *r, int fd, int depth)
{
    DIR *d = fdopendir(fd);
    const struct dirent *e;

    if (!d) {
        r->why = errno;
        (void)close(fd);
        return;
    }
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0
            || unlinkat(dirfd(d), e->d_name, 0) == 0 || errno == ENOENT)
            continue;
        if (errno == EISDIR || errno == EPERM)
            remove_directory(r, dirfd(d), e->d_name, depth + 1);
        else
            r->why = errno;
    }
    (void)closedir(d);
}

int
rh_empty_directory(const char *path)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct removal r = { .top = fd, .again = true };

    if (fd < 0)
        return -1;
    while (r.again) {
        int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        r.again = false;
        r.why = 0;
        if (own < 0)
            return -1;
        empty(&r, own, 0);
    }
    errno = r.why;
    return r.why ? -1 : 0;
}

void
rh_remove_tree(const char *path)
{
    rh_discard(rh_empty_directory(path));
    (void)remove(path);
}
