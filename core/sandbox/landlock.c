/* SPDX-License-Identifier: Apache-2.0 */
/* landlock - rules for paths, TCP ports, abstract sockets and signals.
 *
 * The C library has no wrappers, and the kernel's headers may be older than the kernel: the numbers are here.
 * They are the same on all architectures. */
#include "config.h"

#include "sandbox/parts.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <errno.h>
#include <sys/syscall.h>

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 }; /* before 5.1, and on alpha, others */
enum { RULESET_VERSION = 1, RULE_PATH = 1, RULE_PORT = 2, LOG_NEW_EXEC = 2 };
enum { NEWEST = 7 };

#define BIT(n) (UINT64_C(1) << (n))

/* Access to files; what came later than version 1 says since when. */
#define FS_EXECUTE BIT(0)
#define FS_WRITE_FILE BIT(1)
#define FS_READ_FILE BIT(2)
#define FS_READ_DIR BIT(3)
#define FS_REMOVE_DIR BIT(4)
#define FS_REMOVE_FILE BIT(5)
#define FS_MAKE_CHAR BIT(6)
#define FS_MAKE_DIR BIT(7)
#define FS_MAKE_REG BIT(8)
#define FS_MAKE_SOCK BIT(9)
#define FS_MAKE_FIFO BIT(10)
#define FS_MAKE_BLOCK BIT(11)
#define FS_MAKE_SYM BIT(12)
#define FS_REFER BIT(13)     /* 2 */
#define FS_TRUNCATE BIT(14)  /* 3 */
#define FS_IOCTL_DEV BIT(15) /* 5 */
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

#define NET_BIND_TCP BIT(0)    /* 4 */
#define NET_CONNECT_TCP BIT(1) /* 4 */

#define SCOPE_ABSTRACT_UNIX BIT(0) /* 6 */
#define SCOPE_SIGNAL BIT(1)        /* 6 */

struct ruleset {
    uint64_t fs, net, scoped;
};

struct path_rule {
    uint64_t access;
    int32_t fd;
} __attribute__((packed));

struct port_rule {
    uint64_t access, port;
};

int
rh_landlock_version(void)
{
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, RULESET_VERSION);

    if (version < 1)
        return 0;
    return version > NEWEST ? (int)NEWEST : (int)version;
}

/* All access to files that this version knows. */
static uint64_t
all_access(int version)
{
    uint64_t all = BIT(13) - 1;

    if (version >= 2)
        all |= FS_REFER;
    if (version >= 3)
        all |= FS_TRUNCATE;
    if (version >= 5)
        all |= FS_IOCTL_DEV;
    return all;
}

static uint64_t
access_of(const struct rh_confined_path *p)
{
    unsigned effective = p->effective;
    uint64_t a = 0;

    if (p->granted == RH_GRANTED_PENDING)
        return FS_MAKE_DIR | FS_READ_DIR; /* who makes a directory opens it, to bring it to disk */
    if (effective & RH_ACCESS_READ)
        a |= FS_READ_FILE | FS_READ_DIR;
    if (effective & RH_ACCESS_EXECUTE)
        a |= FS_EXECUTE;
    if (effective & RH_ACCESS_EDIT)
        a |= FS_WRITE_FILE | FS_TRUNCATE;
    if (effective & RH_ACCESS_MAKE)
        a |= FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER;
    if (effective & RH_ACCESS_REMOVE)
        a |= FS_REMOVE_DIR | FS_REMOVE_FILE | FS_REFER;
    if (effective & RH_ACCESS_DEVICE)
        a |= FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV;
    return p->node ? a & FS_OF_FILES : a;
}

static struct ruleset
ruleset_of(const struct rh_confinement *c, int version)
{
    struct ruleset r = { 0 };

    /* A process with rules for files can't mount, whatever the rules are. */
    if (!(c->permissions & RH_PERMIT_MOUNT))
        r.fs = all_access(version);
    if (version >= 4 && !(c->permissions & RH_PERMIT_NETWORK))
        r.net = NET_BIND_TCP | NET_CONNECT_TCP;
    if (version >= 6)
        r.scoped = SCOPE_ABSTRACT_UNIX | (c->permissions & RH_PERMIT_SIGNAL ? 0 : SCOPE_SIGNAL);
    return r;
}

static int
add_rules(const struct rh_confinement *c, const struct ruleset *r, int fd)
{
    for (size_t i = 0; r->fs && i < c->n_paths; i++) {
        struct path_rule rule = { .access = access_of(&c->paths[i]) & r->fs, .fd = c->paths[i].fd };

        if (rule.fd >= 0 && rule.access && syscall(ADD_RULE, fd, RULE_PATH, &rule, 0) < 0)
            return -1;
    }
    for (size_t i = 0; r->net && i < c->n_ports; i++) {
        struct port_rule rule = { .access = c->ports[i].bind ? NET_BIND_TCP : NET_CONNECT_TCP,
                                  .port = c->ports[i].port };

        if (syscall(ADD_RULE, fd, RULE_PORT, &rule, 0) < 0)
            return -1;
    }
    return 0;
}

int
rh_landlock_apply(const struct rh_confinement *c, int version, struct rh_error *err)
{
    struct ruleset r = ruleset_of(c, version);
    size_t size = version >= 6 ? sizeof r : version >= 4 ? 2 * sizeof r.fs : sizeof r.fs;
    rh_autoclose int fd = -1;

    if (version < 1 || !(r.fs | r.net | r.scoped))
        return 0;
    fd = (int)syscall(CREATE_RULESET, &r, size, 0);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "landlock_create_ruleset");
    if (add_rules(c, &r, fd) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "landlock_add_rule");
    /* Where the kernel's audit is on, it logs what is refused, to programs that are executed later as well.
     */
    if (syscall(RESTRICT_SELF, fd, version >= 7 ? LOG_NEW_EXEC : 0) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "landlock_restrict_self");
    return 0;
}
