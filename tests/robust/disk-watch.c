/* SPDX-License-Identifier: Apache-2.0 */
/* disk-watch - turns the system calls of a command into what the model of the disk is told. */
#include "config.h"

#include "disk-watch.h"

#include "disk-model.h"
#include "tracer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void
resolve(const struct call *c, int64_t at, uint64_t address, char *path)
{
    char name[4096], link[64], base[4096];
    ssize_t n;

    *path = '\0';
    if (!trace_text(c->pid, address, name, sizeof name))
        return;
    if (*name == '/') {
        memcpy(path, name, sizeof name);
        return;
    }
    if ((int)at == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/%d/cwd", (int)c->pid);
    else
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)c->pid, (int)at);
    n = readlink(link, base, sizeof base - 1);
    if (n <= 0)
        return;
    base[n] = '\0';
    if (strlen(base) + strlen(name) + 2 < sizeof base)
        sprintf(path, "%s/%s", base, name);
}

/* What the call names, in its two arguments that are paths. */
static void
find_paths(struct disk_watch_call *k, const struct call *c)
{
    const uint64_t *a = c->args;
    char *from = k->path[0], *to = k->path[1];

    *from = '\0';
    switch (c->nr) {
#ifdef SYS_open
    case SYS_open:
    case SYS_creat:
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_mkdir:
        resolve(c, AT_FDCWD, a[0], from);
        break;
    case SYS_symlink:
        resolve(c, AT_FDCWD, a[1], from);
        break;
    case SYS_rename:
    case SYS_link:
        resolve(c, AT_FDCWD, a[0], from);
        resolve(c, AT_FDCWD, a[1], to);
        break;
#endif
    case SYS_truncate:
        resolve(c, AT_FDCWD, a[0], from);
        break;
    case SYS_openat:
    case SYS_openat2:
    case SYS_fchmodat:
    case SYS_unlinkat:
    case SYS_mkdirat:
        resolve(c, (int64_t)a[0], a[1], from);
        break;
    case SYS_symlinkat:
        resolve(c, (int64_t)a[1], a[2], from);
        break;
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_linkat:
        resolve(c, (int64_t)a[0], a[1], from);
        resolve(c, (int64_t)a[2], a[3], to);
        break;
    default:
        break;
    }
}

static void
descriptor(const struct call *c, uint64_t fd, char *look, char *path)
{
    ssize_t n;

    sprintf(look, "/proc/%d/fd/%d", (int)c->pid, (int)fd);
    n = readlink(look, path, 4095);
    path[n > 0 ? n : 0] = '\0';
}

/* Calls of several processes are under way at the same time. */
static struct disk_watch_call *
call_of(struct disk_watch *w, pid_t pid)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->calls[i].pid == pid)
            return &w->calls[i];
    if (w->n == sizeof w->calls / sizeof w->calls[0]) {
        fprintf(stderr, "disk-watch: too many processes\n");
        exit(2);
    }
    w->calls[w->n].pid = pid;
    return &w->calls[w->n++];
}

enum intervention
disk_watch_enter(void *data, const struct call *c, int *error)
{
    struct disk_watch *w = data;
    struct disk_watch_call *k = call_of(w, c->pid);
    char look[64], path[4096];
    struct stat st;

    (void)error;
    if (c->nr == SYS_fsync || c->nr == SYS_fdatasync || c->nr == SYS_syncfs) {
        descriptor(c, c->args[0], look, path);
        if (strncmp(path, w->top, strlen(w->top)) == 0)
            w->power_goes(w->data);
    } else if (c->nr == SYS_sync) {
        w->power_goes(w->data);
    } else {
        find_paths(k, c);
        k->exists = *k->path[0] && lstat(k->path[0], &st) == 0;
    }
    return LET;
}

static void
opened(struct disk_watch *w, const struct disk_watch_call *k, const struct call *c)
{
    uint64_t flags = c->nr == SYS_openat ? c->args[2] : 0;
    char look[64], path[4096];

#ifdef SYS_open
    if (c->nr == SYS_open)
        flags = c->args[1];
    else if (c->nr == SYS_creat)
        flags = O_CREAT | O_TRUNC;
#endif
    if (c->nr == SYS_openat2 && !trace_bytes(c->pid, c->args[2], &flags, sizeof flags))
        return;
    if ((flags & O_TMPFILE) == O_TMPFILE || !(flags & (O_CREAT | O_TRUNC)))
        return;
    if (!k->exists && flags & O_CREAT)
        disk_named(w->disk, k->path[0]);
    else if (flags & O_TRUNC) {
        descriptor(c, (uint64_t)c->result, look, path);
        disk_written(w->disk, look);
    }
}

void
disk_watch_leave(void *data, const struct call *c)
{
    struct disk_watch *w = data;
    const struct disk_watch_call *k = call_of(w, c->pid);
    char look[64], path[4096];

    if (c->result < 0)
        return;
    switch (c->nr) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_sendfile:
    case SYS_ftruncate:
    case SYS_fallocate:
        descriptor(c, c->args[0], look, path);
        disk_written(w->disk, look);
        break;
    case SYS_copy_file_range:
    case SYS_splice:
        descriptor(c, c->args[2], look, path);
        disk_written(w->disk, look);
        break;
    case SYS_truncate:
        disk_written(w->disk, k->path[0]);
        break;
    case SYS_fchmod:
        descriptor(c, c->args[0], look, path);
        disk_dressed(w->disk, look);
        break;
    case SYS_fchmodat:
        disk_dressed(w->disk, k->path[0]);
        break;
#ifdef SYS_open
    case SYS_open:
    case SYS_creat:
        opened(w, k, c);
        break;
    case SYS_mkdir:
    case SYS_symlink:
        disk_named(w->disk, k->path[0]);
        break;
    case SYS_link:
        disk_named(w->disk, k->path[1]);
        break;
    case SYS_rename:
        disk_moved(w->disk, k->path[0], k->path[1]);
        break;
    case SYS_unlink:
    case SYS_rmdir:
        disk_removed(w->disk, k->path[0]);
        break;
#endif
    case SYS_openat:
    case SYS_openat2:
        opened(w, k, c);
        break;
    case SYS_mkdirat:
    case SYS_symlinkat:
        disk_named(w->disk, k->path[0]);
        break;
    case SYS_linkat:
        disk_named(w->disk, k->path[1]);
        break;
    case SYS_renameat:
    case SYS_renameat2:
        disk_moved(w->disk, k->path[0], k->path[1]);
        break;
    case SYS_unlinkat:
        disk_removed(w->disk, k->path[0]);
        break;
    case SYS_fsync:
    case SYS_fdatasync:
        descriptor(c, c->args[0], look, path);
        if (!w->ignore || strcmp(w->ignore, trace_name(c->nr)) != 0)
            disk_sync_file(w->disk, look, path);
        break;
    case SYS_syncfs:
        descriptor(c, c->args[0], look, path);
        if (!w->ignore || strcmp(w->ignore, "syncfs") != 0)
            disk_sync_file_system(w->disk, path);
        break;
    case SYS_sync:
        disk_sync_file_system(w->disk, NULL);
        break;
    default:
        break;
    }
}
