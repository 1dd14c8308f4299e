/* SPDX-License-Identifier: Apache-2.0 */
/* own - another owner, and what must not outlive the former one. */
#include "config.h"

#include "provider/file-parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL_NAME "system.posix_acl_access"
#define DEFAULT_ACL_NAME "system.posix_acl_default" /* of a directory: what new entries get */
#define CAPABILITY_NAME "security.capability"

/* As the kernel gives an ACL: a version, then entries (linux/posix_acl_xattr.h), little-endian. */
enum { ACL_HEADER = 4, ACL_ENTRY = 8, ACL_GROUP_OBJ = 0x04, ACL_LARGEST = 65536 };

static bool
has_none(int number)
{
    return number == ENODATA || number == ENOTSUP || number == EOPNOTSUPP;
}

int
rh_own_mode(int fd, const struct stat *st, mode_t *mode)
{
    unsigned char acl[ACL_LARGEST];
    ssize_t len = fgetxattr(fd, ACL_NAME, acl, sizeof acl);

    *mode = st->st_mode & 07777;
    if (len < 0)
        return has_none(errno) ? 0 : -1;
    for (ssize_t at = ACL_HEADER; at + ACL_ENTRY <= len; at += ACL_ENTRY)
        if (acl[at] == ACL_GROUP_OBJ && acl[at + 1] == 0)
            *mode &= ~(mode_t)070 | (mode_t)(acl[at + 2] & 7) << 3;
    return 0;
}

static int
remove_attribute(int fd, const char *name)
{
    return fremovexattr(fd, name) < 0 && !has_none(errno) ? -1 : 0;
}

int
rh_own_drop_acl(int fd)
{
    return remove_attribute(fd, ACL_NAME);
}

int
rh_own(int fd, int64_t uid, int64_t gid, int64_t mode)
{
    struct stat st;
    mode_t wanted;

    if (fstat(fd, &st) < 0)
        return -1;
    if (uid == (int64_t)st.st_uid)
        uid = -1;
    if (gid == (int64_t)st.st_gid)
        gid = -1;
    if (uid < 0 && gid < 0) {
        if (mode < 0 || (mode_t)mode == (st.st_mode & 07777))
            return 0;
        return fchmod(fd, (mode_t)mode);
    }
    if (rh_own_mode(fd, &st, &wanted) < 0)
        return -1;
    /* For a directory, setgid says which group new entries have, and gives nobody anything. */
    wanted &= S_ISDIR(st.st_mode) ? 03777 : 01777;
    if (mode >= 0)
        wanted = (mode_t)mode;
    /* What others could run or open with the new owner's rights goes first. */
    if (!S_ISDIR(st.st_mode) && (st.st_mode & 06000) && fchmod(fd, st.st_mode & 01777) < 0)
        return -1;
    if (remove_attribute(fd, ACL_NAME) < 0
        || (S_ISDIR(st.st_mode) && remove_attribute(fd, DEFAULT_ACL_NAME) < 0)
        || fchown(fd, uid < 0 ? (uid_t)-1 : (uid_t)uid, gid < 0 ? (gid_t)-1 : (gid_t)gid) < 0
        /* The kernel does that with the owner, but not every file system; it takes CAP_SETFCAP by itself. */
        || (S_ISREG(st.st_mode) && fgetxattr(fd, CAPABILITY_NAME, NULL, 0) > 0
            && remove_attribute(fd, CAPABILITY_NAME) < 0)
        || fstat(fd, &st) < 0)
        return -1;
    return (st.st_mode & 07777) == wanted ? 0 : fchmod(fd, wanted);
}
