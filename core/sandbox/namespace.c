/* SPDX-License-Identifier: Apache-2.0 */
/* namespace - an own view of the file system, and a network without interfaces.
 *
 * Landlock does not look at chmod(2), chown(2), setxattr(2) and their kind, and user 0 owns the files of the
 * system, with capabilities or without. So the process gets a mount namespace in which every mount is
 * read-only, with the paths that it may write to mounted onto themselves. Mounts of the machine still arrive
 * in it: one that a resource of the run makes is seen by the others. */
#include "config.h"

#include "sandbox/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/mount.h can't be included beside sys/mount.h everywhere, and older ones lack the last of these. The
 * numbers are the same on all architectures but alpha, which has no Landlock in use either. */
enum { OPEN_TREE = 428, MOVE_MOUNT = 429, FSOPEN = 430, FSCONFIG = 431, FSMOUNT = 432, MOUNT_SETATTR = 442 };
enum { TREE_CLONE = 1, TREE_RECURSIVE = 0x8000, EMPTY_PATH = 0x1000 };
enum { FROM_EMPTY_PATH = 0x04, TO_EMPTY_PATH = 0x40 };
enum { SET_STRING = 1, CREATE = 6, FS_CLOSE_ON_EXEC = 1, NOSUID_NODEV = 2 | 4, READ_ONLY = 1 };

struct mount_attributes {
    uint64_t set, clear, propagation, user_namespace;
};

static const char *const temporary[] = { "/tmp", "/var/tmp" };

bool
rh_namespaces_possible(void)
{
    return rh_capability_effective(CAP_SYS_ADMIN);
}

/* The kernel, or the container that this runs in, does not have it. */
static bool
is_lacking(int why)
{
    return why == EPERM || why == EACCES || why == ENOSYS || why == EINVAL || why == ENOSPC || why == EUSERS;
}

int
rh_mount_copy(int fd)
{
    struct stat st;
    unsigned long flags = TREE_CLONE | O_CLOEXEC | EMPTY_PATH;

    if (fstat(fd, &st) < 0)
        return -1;
    return (int)syscall(OPEN_TREE, fd, "", flags | (S_ISDIR(st.st_mode) ? TREE_RECURSIVE : 0));
}

int
rh_mount_make_read_only(int mount)
{
    struct mount_attributes read_only = { .set = READ_ONLY };

    return mount < 0
               ? (int)syscall(MOUNT_SETATTR, AT_FDCWD, "/", TREE_RECURSIVE, &read_only, sizeof read_only)
               : (int)syscall(MOUNT_SETATTR, mount, "", TREE_RECURSIVE | EMPTY_PATH, &read_only,
                              sizeof read_only);
}

int
rh_mount_put(int mount, int at)
{
    return (int)syscall(MOVE_MOUNT, mount, "", at, "", FROM_EMPTY_PATH | TO_EMPTY_PATH);
}

int
rh_mount_memory(const char *path)
{
    rh_autoclose int at = rh_safe_open(path, false, O_PATH | O_DIRECTORY, 0, NULL), fs = -1, mount = -1;

    if (at < 0)
        return errno == ENOENT || errno == ELOOP || errno == ENOTDIR ? 0 : -1;
    fs = (int)syscall(FSOPEN, "tmpfs", FS_CLOSE_ON_EXEC);
    if (fs < 0 || syscall(FSCONFIG, fs, SET_STRING, "mode", "1777", 0) < 0
        || syscall(FSCONFIG, fs, SET_STRING, "size", "25%", 0) < 0
        || syscall(FSCONFIG, fs, CREATE, NULL, NULL, 0) < 0)
        return -1;
    mount = (int)syscall(FSMOUNT, fs, FS_CLOSE_ON_EXEC, NOSUID_NODEV);
    if (mount < 0 || syscall(MOVE_MOUNT, mount, "", at, "", FROM_EMPTY_PATH | TO_EMPTY_PATH) < 0)
        return -1;
    return 1;
}

/* What the machine's directories of temporary files have is hidden, unless the plan has paths in them. */
static int
hide_temporary(struct rh_confinement *c, struct rh_error *err)
{
    bool seen = c->permissions & RH_PERMIT_TMP;

    for (size_t i = 0; i < sizeof temporary / sizeof *temporary; i++)
        seen = seen || rh_confinement_reaches(c, temporary[i]);
    for (size_t i = 0; !seen && i < sizeof temporary / sizeof *temporary; i++) {
        int made = rh_mount_memory(temporary[i]);

        if (made < 0 && is_lacking(errno))
            c->missed |= RH_GAP_TMP;
        else if (made < 0)
            return rh_error_system(err, errno, "cannot confine the process: %s", "mount tmpfs");
        else if (made > 0)
            rh_confinement_add_runtime(c, RH_ACCESS_READ | RH_ACCESS_WRITE, temporary[i]);
    }
    return 0;
}

int
rh_network_leave(void)
{
    rh_autoclose int own = rh_namespaces_possible() ? open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC) : -1;

    return own >= 0 && unshare(CLONE_NEWNET) == 0 ? rh_take_fd(&own) : -1;
}

int
rh_network_return(int way_back, struct rh_error *err)
{
    if (way_back >= 0 && setns(way_back, CLONE_NEWNET) < 0)
        return rh_error_system(err, errno, "cannot return to the network namespace");
    return 0;
}

static int
enter_network(struct rh_confinement *c, struct rh_error *err)
{
    if (rh_confinement_has_network(c))
        return rh_network_return(c->way_back, err);
    if (c->way_back >= 0)
        return 0;
    if (c->network >= 0 && setns(c->network, CLONE_NEWNET) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "setns");
    if (c->network >= 0 || unshare(CLONE_NEWNET) == 0)
        return 0;
    if (!is_lacking(errno))
        return rh_error_system(err, errno, "cannot confine the process: %s", "unshare");
    c->missed |= RH_GAP_NETWORK;
    return 0;
}

int
rh_namespaces_enter(struct rh_confinement *c, bool *mounts, struct rh_error *err)
{
    if (enter_network(c, err) < 0)
        return -1;
    *mounts = false;
    if (c->permissions & RH_PERMIT_MOUNT)
        return 0;
    if (unshare(CLONE_NEWNS) < 0) {
        if (!is_lacking(errno))
            return rh_error_system(err, errno, "cannot confine the process: %s", "unshare");
        c->missed |= RH_GAP_METADATA | RH_GAP_TMP;
        return 0;
    }
    /* In a chroot, "/" need not be a mount point: then nothing may be mounted either, since the machine, or
     * the one outside, would get it as well. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) {
        if (!is_lacking(errno))
            return rh_error_system(err, errno, "cannot confine the process: %s", "mount");
        c->missed |= RH_GAP_METADATA | RH_GAP_TMP;
        return 0;
    }
    *mounts = true;
    return hide_temporary(c, err);
}

/* The process may change something in it. */
static bool
is_writable(const struct rh_confined_path *p)
{
    return p->fd >= 0 && !p->special && (p->effective & (RH_ACCESS_WRITE | RH_ACCESS_DEVICE));
}

static const char *
place_of(const struct rh_confined_path *p)
{
    return p->real ? p->real : p->path;
}

/* It is in the copy of another path, and needs none of its own: what is mounted somewhere can't be removed.
 * `tops` has the directories that are writable. */
static bool
is_below_writable(const struct rh_map *tops, const struct rh_confined_path *p)
{
    rh_autofree char *above = rh_xstrdup(place_of(p));

    for (char *slash; (slash = strrchr(above, '/')) && slash > above;) {
        *slash = '\0';
        if (rh_map_get(tops, above))
            return true;
    }
    return false;
}

static bool
is_root(int fd)
{
    struct stat root, st;

    return stat("/", &root) == 0 && fstat(fd, &st) == 0 && root.st_dev == st.st_dev
           && root.st_ino == st.st_ino;
}

/* Copies of the mounts to write to, made while these are writable: `copies` has one for each path, or -1. */
static int
copy_writable(const struct rh_confinement *c, const struct rh_map *tops, int *copies, struct rh_error *err)
{
    for (size_t i = 0; i < c->n_paths; i++) {
        unsigned long flags = TREE_CLONE | O_CLOEXEC | EMPTY_PATH | (c->paths[i].node ? 0 : TREE_RECURSIVE);

        if (!is_writable(&c->paths[i]) || is_below_writable(tops, &c->paths[i]))
            continue;
        copies[i] = (int)syscall(OPEN_TREE, c->paths[i].fd, "", flags);
        if (copies[i] < 0)
            return rh_error_system(err, errno, "cannot confine the process: %s", "open_tree");
    }
    return 0;
}

/* A path below another one that is writable is in the copy of that one: to be mounted first, and so hidden.
 */
static int
put_writable(const struct rh_confinement *c, const int *copies, struct rh_error *err)
{
    for (size_t i = 0; i < c->n_paths; i++)
        if (copies[i] >= 0
            && syscall(MOVE_MOUNT, copies[i], "", c->paths[i].fd, "", FROM_EMPTY_PATH | TO_EMPTY_PATH) < 0)
            return rh_error_system(err, errno, "cannot confine the process: %s", "move_mount");
    return 0;
}

static int
restrict_with(struct rh_confinement *c, int *copies, struct rh_error *err)
{
    struct mount_attributes read_only = { .set = READ_ONLY };
    rh_automap struct rh_map tops = { 0 };

    for (size_t i = 0; i < c->n_paths; i++)
        if (is_writable(&c->paths[i]) && !c->paths[i].node)
            (void)rh_map_put(&tops, place_of(&c->paths[i]), &c->paths[i]);
    if (copy_writable(c, &tops, copies, err) < 0)
        return -1;
    if (syscall(MOUNT_SETATTR, AT_FDCWD, "/", TREE_RECURSIVE, &read_only, sizeof read_only) < 0) {
        if (!is_lacking(errno))
            return rh_error_system(err, errno, "cannot confine the process: %s", "mount_setattr");
        c->missed |= RH_GAP_METADATA;
        return 0;
    }
    return put_writable(c, copies, err);
}

int
rh_view_restrict(struct rh_confinement *c, struct rh_error *err)
{
    rh_autofree int *copies = NULL;
    int done;

    /* Nothing can be mounted over "/" itself. */
    for (size_t i = 0; i < c->n_paths; i++)
        if (is_writable(&c->paths[i]) && is_root(c->paths[i].fd)) {
            c->missed |= RH_GAP_METADATA;
            return 0;
        }
    copies = rh_xalloc((c->n_paths + 1) * sizeof *copies);
    for (size_t i = 0; i < c->n_paths; i++)
        copies[i] = -1;
    done = restrict_with(c, copies, err);
    for (size_t i = 0; i < c->n_paths; i++)
        rh_cleanup_close(&copies[i]);
    return done;
}

int
rh_empty_network(struct rh_error *err)
{
    rh_autoclose int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), made = -1;

    if (own < 0)
        return rh_error_system(err, errno, "cannot open '%s'", "/proc/self/ns/net");
    if (unshare(CLONE_NEWNET) < 0)
        return rh_error_system(err, errno, "cannot make a network namespace");
    made = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (setns(own, CLONE_NEWNET) < 0)
        return rh_error_system(err, errno, "cannot return to the network namespace");
    if (made < 0)
        return rh_error_system(err, errno, "cannot open '%s'", "/proc/self/ns/net");
    return rh_take_fd(&made);
}
