/* SPDX-License-Identifier: Apache-2.0 */
/* confinement - what a process may do, as a plan, and the call that makes the kernel enforce it.
 *
 * A plan starts with nothing permitted. Its owner adds what the process needs, step by step; rh_confine()
 * then takes everything else from the calling process, for good. What each mechanism covers, and what older
 * kernels can't enforce, is on docs/security/confinement.md. */
#ifndef RH_SANDBOX_CONFINEMENT_H
#define RH_SANDBOX_CONFINEMENT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;
struct rh_confinement;
struct rh_error;

/* What may be done at a path and below it. */
enum rh_access {
    RH_ACCESS_READ = 1 << 0,    /* open files for reading, list directories */
    RH_ACCESS_EXECUTE = 1 << 1, /* execute files; needs RH_PERMIT_EXECUTE as well */
    RH_ACCESS_EDIT = 1 << 2,    /* write into files that exist, truncate them */
    RH_ACCESS_MAKE = 1 << 3,    /* make files, directories, links, FIFOs and sockets */
    RH_ACCESS_REMOVE = 1 << 4,  /* remove entries; with MAKE also rename */
    RH_ACCESS_DEVICE = 1 << 5,  /* make device nodes, use ioctl(2) on devices */
    RH_ACCESS_WRITE = RH_ACCESS_EDIT | RH_ACCESS_MAKE | RH_ACCESS_REMOVE,
    RH_ACCESS_ALL = (1 << 6) - 1,
};

/* What is refused altogether unless it is permitted. */
enum rh_permission {
    RH_PERMIT_MOUNT = 1 << 0,    /* mount and unmount. The kernel then can't confine paths */
    RH_PERMIT_EXECUTE = 1 << 1,  /* execute programs, from paths with RH_ACCESS_EXECUTE. The loader of shared
                                  * libraries can be executed as well, and it runs any file that can be read */
    RH_PERMIT_UNIX = 1 << 2,     /* connect to Unix sockets in the file system, whichever they are */
    RH_PERMIT_NETWORK = 1 << 3,  /* IPv4 and IPv6, every protocol and port */
    RH_PERMIT_UDP = 1 << 4,      /* UDP, for names of hosts; TCP as rh_confinement_tcp() says */
    RH_PERMIT_NETLINK = 1 << 5,  /* configure and watch the network of the machine */
    RH_PERMIT_PACKET = 1 << 6,   /* packet sockets */
    RH_PERMIT_CLOCK = 1 << 7,    /* set the clock */
    RH_PERMIT_HOSTNAME = 1 << 8, /* set the host name */
    RH_PERMIT_SETID = 1 << 9,    /* make files that are set-user-ID or set-group-ID */
    RH_PERMIT_SIGNAL = 1 << 10,  /* send signals to processes that are not its own */
    RH_PERMIT_TMP = 1 << 11, /* see the machine's /tmp and /var/tmp; paths there need access as others do */
    RH_PERMIT_ALL = (1 << 12) - 1,
};

/* The mechanisms that a kernel has. Tests lower the numbers to get an older kernel. */
struct rh_mechanisms {
    int landlock;         /* version of Landlock's interface that is used: 0 to 7; 0: there is none */
    bool seccomp;         /* system calls can be filtered, and this build can make filters */
    bool namespaces;      /* a mount namespace of its own, read-only but for paths to write */
    unsigned newest_call; /* the newest system call that the filter knows, in the numbering of asm-generic */
};

/* What can't be enforced. */
enum rh_gap {
    RH_GAP_FILES = 1 << 0,    /* Landlock: reading and writing files */
    RH_GAP_TRUNCATE = 1 << 1, /* Landlock 3: truncate(2) */
    RH_GAP_DEVICES = 1 << 2,  /* Landlock 5: ioctl(2) on devices */
    RH_GAP_PORTS = 1 << 3,    /* Landlock 4: TCP ports, while TCP is permitted */
    RH_GAP_ABSTRACT = 1 << 4, /* Landlock 6: abstract Unix sockets, while Unix sockets are permitted */
    RH_GAP_SIGNALS = 1 << 5,  /* Landlock 6 or seccomp: signals to other processes */
    RH_GAP_CALLS = 1 << 6,    /* seccomp: system calls */
    RH_GAP_NETWORK = 1 << 7,  /* seccomp or namespaces: the network as a whole */
    RH_GAP_METADATA = 1 << 8, /* namespaces: mode, owner, times of files that belong to the user */
    RH_GAP_TMP = 1 << 9,      /* namespaces: /tmp and /var/tmp of its own; there is none then */
    RH_GAP_MOVE = 1 << 10,    /* Landlock 2: files can't be moved between directories, though declared */
    RH_GAP_UNIX_PATHS =
        1 << 11, /* no kernel: which Unix sockets of the file system, while these are permitted */
    RH_GAP_UNCONFINED_PATHS = 1 << 12, /* no kernel: paths of a process that mounts */
    RH_GAPS = 13,
};

struct rh_confinement *rh_confinement_new(void);
void rh_confinement_free(struct rh_confinement *c); /* NULL is fine */

/* The parts of a plan. Each may be called more than once; what is added stays. */

/* An absolute path, cleaned of ".", ".." and "//" as text. It is looked up when the plan is applied, and
 * symbolic links are followed where no lesser user could have made them. Access to a directory includes all
 * below it.
 *
 * Access to a file that exists is for its content. Whoever makes, replaces or removes it needs access to its
 * directory, since that is where the kernel looks. Nothing there yet: the nearest directory above it that
 * exists gets the right to make directories, where the plan has RH_ACCESS_MAKE, and no more, since the kernel
 * can't tell what will be there from its neighbours. rh_confinement_pending() names these paths; a process
 * that is confined anew once they exist has the whole access. */
RH_CHECKED int rh_confinement_path(struct rh_confinement *c, unsigned access, const char *path,
                                   struct rh_error *err);

/* What a dynamically linked process needs of the system, read-only: shared libraries, locales, time zones,
 * the files of the name service, /dev/null and its kind, and what /proc/self has. */
void rh_confinement_runtime(struct rh_confinement *c);

/* A capability that is kept: "chown", "cap_chown" or "CAP_CHOWN". */
RH_CHECKED int rh_confinement_capability(struct rh_confinement *c, const char *name, struct rh_error *err);

void rh_confinement_permit(struct rh_confinement *c, unsigned permissions);

/* A TCP port to connect to, or to bind to. */
RH_CHECKED int rh_confinement_tcp(struct rh_confinement *c, bool bind, unsigned port, struct rh_error *err);

/* The limit of a resource (RLIMIT_NOFILE ...), which is never raised. RLIMIT_CORE is 0 by itself. */
void rh_confinement_limit(struct rh_confinement *c, int resource, uint64_t most);

/* An empty network namespace that several processes share, from rh_empty_network(): making one takes most of
 * the time that rh_confine() does. The descriptor stays the caller's, and open until rh_confine() has
 * returned. */
void rh_confinement_network(struct rh_confinement *c, int fd);

/* Enters such a namespace before there is a plan, and gives the way back to the one before: a descriptor, the
 * caller's, or -1 where the process stays. A plan for that process gets it, open until rh_confine() has
 * returned; and a process that is not confined after all goes back. */
RH_CHECKED int rh_network_leave(void);
void rh_confinement_network_left(struct rh_confinement *c, int way_back);
RH_CHECKED int rh_network_return(int way_back, struct rh_error *err); /* -1: it has stayed */

/* A descriptor of a new network namespace without interfaces, for a process with one thread; or -1. */
RH_CHECKED int rh_empty_network(struct rh_error *err);

/* What the plan permits, one need on a line, sorted by kind: "read /etc/passwd", "capability chown", "network
 * tcp connect 443", "mount". The runtime is not listed. The caller's. */
char *rh_confinement_text(const struct rh_confinement *c);

/* Whether the plan permits this access at an absolute path, as the plan has the path or as it was resolved.
 * True for each path where the plan permits mounts. */
bool rh_confinement_covers(const struct rh_confinement *c, unsigned access, const char *path);

/* Sets the error for an access that the plan does not cover: "provider 'x' tried to write '/etc/shadow',
 * which it does not declare ('write /etc/shadow')". For a call that failed with EACCES, EPERM or EROFS.
 * Returns -1, or 0 and no error where the plan covers the access: then the system had another reason. */
int rh_confinement_explain(const struct rh_confinement *c, const char *provider, unsigned access,
                           const char *path, struct rh_error *err);

/* The mechanisms of the running kernel and of this build, for a process with these rights. */
void rh_mechanisms_read(struct rh_mechanisms *m);

/* Uses these and no others; for tests, and for operators who leave a mechanism out. What the kernel lacks is
 * not used whatever they say. */
void rh_confinement_assume(struct rh_confinement *c, const struct rh_mechanisms *m);

/* What of this plan the kernel can't enforce: bits of enum rh_gap; and each bit as a text. */
unsigned rh_confinement_gaps(const struct rh_confinement *c);
const char *rh_gap_text(unsigned gap);

/* Makes ready what does not depend on the process, so that rh_confine() in its children takes less time: the
 * filter of system calls is compiled once for equal permissions and kept. Optional. */
RH_CHECKED int rh_confinement_prepare(struct rh_confinement *c, struct rh_error *err);

/* The same for a process that does not share memory with this one: appends the program of the filter, which
 * may be empty, to `to`; it is given to rh_confinement_filter() there. It is valid for a plan with the same
 * permissions and mechanisms. */
RH_CHECKED int rh_confinement_export(struct rh_confinement *c, struct rh_buf *to, struct rh_error *err);

/* Uses a program of `n` bytes, which must stay, in place of making one. -1: it can't be one. */
RH_CHECKED int rh_confinement_filter(struct rh_confinement *c, const void *program, size_t n,
                                     struct rh_error *err);

/* Confines the calling process, which must have one thread and no descriptors but those that it is to keep:
 * they are not restricted. Order: namespaces, no-new-privileges, capabilities, Landlock, limits, seccomp. On
 * failure the process may be confined in part, and must end. */
RH_CHECKED int rh_confine(struct rh_confinement *c, struct rh_error *err);

/* After rh_confine(): the paths of the plan that were granted in part or not at all, because they do not
 * exist or because a lesser user can exchange them; as the plan has them. `at` counts from 0; NULL: no more.
 */
const char *rh_confinement_pending(const struct rh_confinement *c, size_t at);

static inline void
rh_cleanup_confinement(struct rh_confinement **c)
{
    rh_confinement_free(*c);
}
#define rh_autoconfinement __attribute__((cleanup(rh_cleanup_confinement)))

#endif
