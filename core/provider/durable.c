/* SPDX-License-Identifier: Apache-2.0 */
/* durable - the file systems that were written to since the last sync. */
#include "config.h"

#include "provider/file-parts.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_FILE_SYSTEMS = 32,
    LARGE = 64 << 20,    /* bytes */
    SLOWEST_DISK = 3600, /* seconds */
};

/* The kept descriptor is what syncfs() needs, and what keeps the file system mounted until then. */
static struct {
    dev_t dev;
    int fd;
} touched[MAX_FILE_SYSTEMS];
static size_t n_touched;
static bool everything; /* we lost count: sync(2) is what is left */

void
rh_durable_touch(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        everything = true;
    else
        rh_durable_touch_on(fd, st.st_dev);
}

void
rh_durable_touch_on(int fd, dev_t dev)
{
    if (everything)
        return;
    /* The newest first: neighbours mostly live together. */
    for (size_t i = n_touched; i-- > 0;)
        if (touched[i].dev == dev)
            return;
    if (n_touched < MAX_FILE_SYSTEMS) {
        int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);

        if (kept >= 0) {
            touched[n_touched].dev = dev;
            touched[n_touched++].fd = kept;
            return;
        }
    }
    everything = true;
}

int
rh_durable_sync(struct rh_error *err)
{
    int result = 0;

    if (everything)
        sync();
    for (size_t i = 0; i < n_touched; i++) {
        if (syncfs(touched[i].fd) < 0) {
            int why = errno;
            char link[64], path[4096] = "?";
            ssize_t len;

            snprintf(link, sizeof link, "/proc/self/fd/%d", touched[i].fd);
            len = readlink(link, path, sizeof path - 1);
            if (len > 0)
                path[len] = '\0';
            result = rh_error_system(err, why, "cannot sync the file system of '%s' to disk", path);
        }
    }
    rh_durable_clear();
    return result;
}

int
rh_durable_content(rhost_ctx *ctx, int fd)
{
    struct stat st;
    bool large = fstat(fd, &st) == 0 && st.st_size >= LARGE;
    int result, why;

    if (large)
        ctx->host->busy(ctx, SLOWEST_DISK, NULL);
    result = fdatasync(fd);
    why = errno;
    if (large)
        ctx->host->busy(ctx, 0, NULL);
    errno = why;
    return result;
}

bool
rh_durable_pending(void)
{
    return everything || n_touched > 0;
}

void
rh_durable_clear(void)
{
    while (n_touched > 0)
        (void)close(touched[--n_touched].fd);
    everything = false;
}
