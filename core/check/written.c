/* SPDX-License-Identifier: Apache-2.0 */
/* written - the files that this process, and those that it starts, write.
 *
 * The kernel tells of a file that was closed after writing (fanotify), and gives us a descriptor of it. A
 * mark is on a mount: in a mount namespace of our own nobody else's files are among them. */
#include "config.h"

#include "check/written.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

struct rh_written {
    int fd;
};

/* A path of mountinfo has blanks and the like as three octal digits. */
static void
unescape(char *path)
{
    char *to = path;

    for (const char *at = path; *at; at++) {
        unsigned digits;

        if (*at == '\\' && sscanf(at + 1, "%3o", &digits) == 1) {
            *to++ = (char)digits;
            at += 3;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* Each mount that can be; some file systems of the kernel can't. */
static bool
mark_mounts(int fd)
{
    rh_autofclose FILE *mounts = fopen("/proc/self/mountinfo", "re");
    char path[PATH_MAX];
    bool any = false;

    while (mounts && fscanf(mounts, "%*s %*s %*s %*s %4095s%*[^\n]", path) == 1) {
        unescape(path);
        any |= fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_CLOSE_WRITE, AT_FDCWD, path) == 0;
    }
    return any;
}

struct rh_written *
rh_written_watch(void)
{
    struct rh_written *w;
    int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE
                               | FAN_UNLIMITED_MARKS,
                           O_RDONLY | O_LARGEFILE | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return NULL;
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
        || !mark_mounts(fd)) {
        (void)close(fd);
        return NULL;
    }
    w = rh_xalloc(sizeof *w);
    w->fd = fd;
    return w;
}

void
rh_written_close(struct rh_written *w)
{
    if (w)
        (void)close(w->fd);
    free(w);
}

/* A file that was made without a name (O_TMPFILE) keeps none for whoever opened it so: the name that it has
 * got is looked up in its directory. */
static void
find_name(char *path, size_t size, const struct stat *st)
{
    char *slash = strrchr(path, '/');
    size_t room = slash ? size - (size_t)(slash + 1 - path) : 0;
    DIR *dir;

    if (!slash || slash == path)
        return;
    *slash = '\0';
    dir = opendir(path);
    *slash = '/';
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_ino == st->st_ino && strlen(e->d_name) < room) {
            (void)snprintf(slash + 1, room, "%s", e->d_name);
            break;
        }
    if (dir)
        (void)closedir(dir);
}

static void
take(const struct fanotify_event_metadata *e,
     void (*one)(void *data, const char *path, int fd, const struct stat *st), void *data)
{
    static const char removed[] = " (deleted)";
    rh_autofree char *link = rh_printf("/proc/self/fd/%d", e->fd);
    rh_autoclose int fd = e->fd;
    char path[PATH_MAX + 16];
    struct stat st;
    ssize_t n = readlink(link, path, sizeof path - 1);

    if (n < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    path[n] = '\0';
    if ((size_t)n >= sizeof removed && strcmp(path + n - (sizeof removed - 1), removed) == 0) {
        path[(size_t)n - (sizeof removed - 1)] = '\0';
        if (st.st_nlink)
            find_name(path, sizeof path, &st);
    }
    one(data, path, fd, &st);
}

void
rh_written_each(struct rh_written *w,
                void (*one)(void *data, const char *path, int fd, const struct stat *st), void *data)
{
    struct fanotify_event_metadata events[64];
    ssize_t n;

    while (w && (n = read(w->fd, events, sizeof events)) > 0)
        for (const struct fanotify_event_metadata *e = events; FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n))
            if (e->vers == FANOTIFY_METADATA_VERSION && e->fd >= 0)
                take(e, one, data);
}
