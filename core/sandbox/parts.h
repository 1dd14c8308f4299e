/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the mechanisms of a confinement share, each in a file of its own. */
#ifndef RH_SANDBOX_PARTS_H
#define RH_SANDBOX_PARTS_H

#include "base/map.h"
#include "sandbox/confinement.h"

#include <sys/resource.h>

/* How much of the access at a path was granted. */
enum rh_granted {
    RH_GRANTED_UNKNOWN, /* not applied yet */
    RH_GRANTED_WHOLE,
    RH_GRANTED_PENDING, /* it does not exist: a directory above it may get new directories */
    RH_GRANTED_NOT,     /* it does not exist, or its way is not safe */
};

struct rh_confined_path {
    char *path, *real; /* `real`: as resolved; NULL until then, or where it is the same */
    unsigned access;
    bool runtime;       /* of rh_confinement_runtime() */
    bool lasting;       /* its descriptor stays open: an entry of /proc keeps its inode only that long */
    bool node;          /* not a directory */
    bool special;       /* a device, FIFO or socket: a read-only mount does not matter to it */
    int fd;             /* while the plan is applied: what gets the access; else -1 */
    unsigned effective; /* and what it gets */
    enum rh_granted granted;
};

struct rh_confined_port {
    bool bind;
    uint16_t port;
};

struct rh_confined_limit {
    int resource;
    uint64_t most;
};

struct rh_confinement {
    struct rh_confined_path *paths;
    size_t n_paths, cap_paths;
    struct rh_map index[2]; /* of them, the path of each by itself; [1]: the runtime's */
    struct rh_confined_port *ports;
    size_t n_ports, cap_ports;
    struct rh_confined_limit *limits;
    size_t n_limits, cap_limits;
    uint64_t capabilities; /* bit n: capability n */
    unsigned permissions;
    int network;        /* descriptor of a namespace; -1: one is made */
    int way_back;       /* from the one without interfaces that the process is in already, or -1 */
    const void *filter; /* a program that was made for this plan, or NULL */
    size_t n_filter;    /* bytes */
    bool assumed;
    struct rh_mechanisms mechanisms;
    unsigned missed; /* gaps that showed while the plan was applied */
};

/* Whether the plan has any of the network of the machine. */
bool rh_confinement_has_network(const struct rh_confinement *c);

/* Whether a path of the plan is `top`, below it or above it; the runtime's do not count. */
bool rh_confinement_reaches(const struct rh_confinement *c, const char *top);

/* A path that is not listed among the needs of the plan. */
void rh_confinement_add_runtime(struct rh_confinement *c, unsigned access, const char *path);

/* capability.c */
RH_CHECKED int rh_capabilities_reduce(const struct rh_confinement *c, struct rh_error *err);
bool rh_capability_effective(int number);

/* landlock.c: the version of the kernel's interface, 0 to 7. */
int rh_landlock_version(void);
RH_CHECKED int rh_landlock_apply(const struct rh_confinement *c, int version, struct rh_error *err);

/* lookup.c: opens what each path of the plan names, and says what it gets. */
RH_CHECKED int rh_confinement_lookup(struct rh_confinement *c, struct rh_error *err);
void rh_confinement_allow_loader(struct rh_confinement *c);
void rh_confinement_close(struct rh_confinement *c);

/* namespace.c: the namespaces are entered before the lookup, and the file system made read-only after it. */
bool rh_namespaces_possible(void);
RH_CHECKED int rh_namespaces_enter(struct rh_confinement *c, bool *mounts, struct rh_error *err);
RH_CHECKED int rh_view_restrict(struct rh_confinement *c, struct rh_error *err);

/* A copy of the mounts at a path that was opened; makes such a copy read-only, or all mounts (-1); and mounts
 * it onto a path that was opened. -1 with errno. */
RH_CHECKED int rh_mount_copy(int fd);
RH_CHECKED int rh_mount_make_read_only(int mount);
RH_CHECKED int rh_mount_put(int mount, int at);

/* A file system in memory, over a directory of the machine; gone with the process. 0: there is no such
 * directory. */
RH_CHECKED int rh_mount_memory(const char *path);

/* filter.c */
bool rh_filter_possible(void);
RH_CHECKED int rh_filter_prepare(const struct rh_confinement *c, const struct rh_mechanisms *m,
                                 struct rh_error *err);
RH_CHECKED int rh_filter_export(const struct rh_confinement *c, const struct rh_mechanisms *m,
                                struct rh_buf *to, struct rh_error *err);
RH_CHECKED int rh_filter_apply(const struct rh_confinement *c, const struct rh_mechanisms *m,
                               struct rh_error *err);

#endif
