/* SPDX-License-Identifier: Apache-2.0 */
/* command - what a command of the operator is kept from. */
#include "config.h"

#include "sandbox/command.h"

#include "sandbox/parts.h"

#include "base/alloc.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const temporary[] = { "/tmp", "/var/tmp" };

/* A network of its own has the loopback interface, which is down at first. */
static int
leave_network(void)
{
    struct ifreq lo = { .ifr_name = "lo" };
    rh_autoclose int fd = -1;

    if (unshare(CLONE_NEWNET) < 0)
        return -1;
    fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
        return -1;
    lo.ifr_flags |= IFF_UP;
    return ioctl(fd, SIOCSIFFLAGS, &lo);
}

static int
open_path(const char *path)
{
    return rh_safe_open(path, true, O_PATH, 0, NULL);
}

/* Copies of mounts, which are put where they came from once all is read-only that is to be. */
static int
copy_writable(const struct rh_command_limits *l, int *copies)
{
    for (size_t i = 0; l->read_write && l->read_write[i]; i++) {
        rh_autoclose int fd = open_path(l->read_write[i]);

        copies[i] = fd < 0 ? -1 : rh_mount_copy(fd);
        if (copies[i] < 0)
            return -1;
    }
    return 0;
}

/* All mounts below "/" become read-only; of another path, a copy that is mounted onto it. */
static int
make_read_only(const char *path)
{
    rh_autoclose int fd = open_path(path), copy = -1;

    if (fd < 0)
        return -1;
    if (strcmp(path, "/") == 0)
        return rh_mount_make_read_only(-1);
    copy = rh_mount_copy(fd);
    return copy < 0 || rh_mount_make_read_only(copy) < 0 ? -1 : rh_mount_put(copy, fd);
}

static int
put_writable(const struct rh_command_limits *l, const int *copies)
{
    for (size_t i = 0; l->read_write && l->read_write[i]; i++) {
        rh_autoclose int fd = open_path(l->read_write[i]);

        if (fd < 0 || rh_mount_put(copies[i], fd) < 0)
            return -1;
    }
    return 0;
}

static int
restrict_paths(const struct rh_command_limits *l, int *copies)
{
    if (copy_writable(l, copies) < 0)
        return -1;
    for (size_t i = 0; l->read_only && l->read_only[i]; i++)
        if (make_read_only(l->read_only[i]) < 0)
            return -1;
    for (size_t i = 0; l->private_tmp && i < sizeof temporary / sizeof *temporary; i++)
        if (rh_mount_memory(temporary[i]) < 0)
            return -1;
    return put_writable(l, copies);
}

static int
limit_paths(const struct rh_command_limits *l)
{
    rh_autofree int *copies = NULL;
    size_t n = 0;
    int done;

    while (l->read_write && l->read_write[n])
        n++;
    copies = rh_xalloc((n + 1) * sizeof *copies);
    memset(copies, -1, (n + 1) * sizeof *copies);
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return -1;
    done = restrict_paths(l, copies);
    for (size_t i = 0; i < n; i++) {
        int why = errno;

        rh_cleanup_close(&copies[i]);
        errno = why;
    }
    return done;
}

int
rh_command_limit(const struct rh_command_limits *l)
{
    if (l->no_network && leave_network() < 0)
        return -1;
    if (((l->read_only && l->read_only[0]) || (l->read_write && l->read_write[0]) || l->private_tmp)
        && limit_paths(l) < 0)
        return -1;
    return l->no_new_privileges ? prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) : 0;
}
