/* SPDX-License-Identifier: Apache-2.0 */
/* kit-load - the bytes of a kit, as they are sent. */
#include "config.h"

#include "reach/kit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rhost/sha256.h>

/* What the file is decompressed to, in memory. */
static int
decompress(int from, const char *path, struct rh_error *err)
{
    static const char *const programs[] = { "/usr/bin/gzip", "/bin/gzip" };
    char name[] = "gzip", option[] = "-dc", *argv[] = { name, option, NULL }, *env[] = { NULL };
    rh_autoclose int to = memfd_create("rhost-kit", MFD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    int rc, status = 0;
    pid_t pid = 0;

    if (to < 0)
        return rh_error_system(err, errno, "cannot decompress '%s'", path);
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0 && (rc = posix_spawn_file_actions_adddup2(&actions, from, 0)) == 0
        && (rc = posix_spawn_file_actions_adddup2(&actions, to, 1)) == 0)
        for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
            if ((rc = posix_spawn(&pid, programs[i], &actions, NULL, argv, env)) != ENOENT)
                break;
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc != 0)
        return rh_error_system(err, rc, "cannot start gzip");
    if (rh_wait_child(pid, &status) < 0)
        return rh_error_system(err, errno, "cannot decompress '%s'", path);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return rh_error_set(err, RH_EINPUT, "the kit '%s' is damaged: gzip cannot read it", path);
    return rh_take_fd(&to);
}

static int
add_up(struct rh_kit *kit, int fd, struct rh_error *err)
{
    struct rhost_sha256 sum;
    char part[64 << 10];
    uint64_t size = 0;
    ssize_t n;

    rhost_sha256_init(&sum);
    while ((n = pread(fd, part, sizeof part, (off_t)size)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return rh_error_system(err, errno, "cannot read the kit '%s'", kit->path);
        rhost_sha256_add(&sum, part, (size_t)n);
        size += (uint64_t)n;
    }
    rhost_sha256_hex(&sum, kit->checksum);
    kit->size = size;
    return 0;
}

int
rh_kit_load(struct rh_kit *kit, bool plain, struct rh_error *err)
{
    rh_autoclose int fd = open(kit->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open the kit '%s'", kit->path);
    if (!S_ISREG(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "the kit '%s' is not a regular file", kit->path);
    if (plain) {
        int to = decompress(fd, kit->path, err);

        if (to < 0)
            return -1;
        (void)close(fd);
        fd = to;
    }
    if (add_up(kit, fd, err) < 0)
        return -1;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return rh_error_system(err, errno, "cannot read the kit '%s'", kit->path);
    kit->fd = rh_take_fd(&fd);
    kit->plain = plain;
    return 0;
}
