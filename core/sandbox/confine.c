/* SPDX-License-Identifier: Apache-2.0 */
/* confine - applies a plan to the calling process, and says what of it the kernel can't enforce. */
#include "config.h"

#include "sandbox/filter.h"
#include "sandbox/parts.h"

#include "base/error.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <sys/prctl.h>
#include <unistd.h>

void
rh_mechanisms_read(struct rh_mechanisms *m)
{
    *m = (struct rh_mechanisms){
        .landlock = rh_landlock_version(),
        .seccomp = rh_filter_possible(),
        .namespaces = rh_namespaces_possible(),
        .newest_call = RH_NEWEST_CALL,
    };
}

/* Those to use. */
static struct rh_mechanisms
mechanisms(const struct rh_confinement *c)
{
    struct rh_mechanisms m;

    rh_mechanisms_read(&m);
    /* Whatever the rules are, a process that has some can't look at others in /proc, though it has the
     * capability. Of one that mounts they would only be about signals and abstract sockets. */
    if ((c->permissions & RH_PERMIT_MOUNT) && (c->capabilities >> CAP_SYS_PTRACE & 1))
        m.landlock = 0;
    if (!c->assumed)
        return m;
    if (m.landlock > c->mechanisms.landlock)
        m.landlock = c->mechanisms.landlock;
    m.seccomp = m.seccomp && c->mechanisms.seccomp;
    m.namespaces = m.namespaces && c->mechanisms.namespaces;
    if (c->mechanisms.newest_call < m.newest_call)
        m.newest_call = c->mechanisms.newest_call;
    return m;
}

unsigned
rh_confinement_gaps(const struct rh_confinement *c)
{
    struct rh_mechanisms m = mechanisms(c);
    const unsigned p = c->permissions;
    unsigned gaps = c->missed, writes = 0;

    for (size_t i = 0; i < c->n_paths; i++)
        writes |= c->paths[i].access & (RH_ACCESS_MAKE | RH_ACCESS_REMOVE);
    if (p & RH_PERMIT_MOUNT)
        gaps |= RH_GAP_UNCONFINED_PATHS;
    else if (m.landlock < 1)
        gaps |= RH_GAP_FILES;
    else
        gaps |= (m.landlock < 2 && writes ? RH_GAP_MOVE : 0) | (m.landlock < 3 ? RH_GAP_TRUNCATE : 0)
                | (m.landlock < 5 ? RH_GAP_DEVICES : 0);
    if (m.landlock < 4 && c->n_ports > 0 && !(p & RH_PERMIT_NETWORK))
        gaps |= RH_GAP_PORTS;
    if (m.landlock < 6 && (p & RH_PERMIT_UNIX) && (rh_confinement_has_network(c) || !m.namespaces))
        gaps |= RH_GAP_ABSTRACT;
    if (m.landlock < 6 && !m.seccomp && !(p & RH_PERMIT_SIGNAL))
        gaps |= RH_GAP_SIGNALS;
    if (!m.seccomp)
        gaps |= RH_GAP_CALLS;
    /* A filter refuses the network as well as a namespace. */
    if (m.seccomp)
        gaps &= ~(unsigned)RH_GAP_NETWORK;
    else if (!m.namespaces && !rh_confinement_has_network(c))
        gaps |= RH_GAP_NETWORK;
    if (!m.namespaces && !(p & RH_PERMIT_MOUNT))
        gaps |= RH_GAP_METADATA | (p & RH_PERMIT_TMP ? 0 : RH_GAP_TMP);
    if (p & RH_PERMIT_UNIX)
        gaps |= RH_GAP_UNIX_PATHS;
    return gaps;
}

const char *
rh_gap_text(unsigned gap)
{
    static const char *const texts[RH_GAPS] = {
        "reading and writing files (needs Landlock, Linux 5.13)",
        "truncating files that exist (needs Landlock 3, Linux 6.2)",
        "ioctl calls on devices (needs Landlock 5, Linux 6.10)",
        "which TCP ports are used (needs Landlock 4, Linux 6.7)",
        "abstract Unix sockets (needs Landlock 6, Linux 6.12)",
        "signals to other processes (needs seccomp, or Landlock 6, Linux 6.12)",
        "system calls (needs seccomp and a build with libseccomp)",
        "the network (needs seccomp, or root with namespaces)",
        "mode, owner, times and attributes of files of the user (needs root with namespaces, Linux 5.12)",
        "a private /tmp: the process has none (needs root with namespaces)",
        "moving files between directories: it is always refused (needs Landlock 2, Linux 5.19)",
        "which Unix sockets of the file system are used",
        "paths of a process that may mount",
    };

    for (unsigned i = 0; i < RH_GAPS; i++)
        if (gap == 1U << i)
            return texts[i];
    return NULL;
}

int
rh_confinement_prepare(struct rh_confinement *c, struct rh_error *err)
{
    struct rh_mechanisms m = mechanisms(c);

    return rh_filter_prepare(c, &m, err);
}

int
rh_confinement_export(struct rh_confinement *c, struct rh_buf *to, struct rh_error *err)
{
    struct rh_mechanisms m = mechanisms(c);

    return rh_filter_export(c, &m, to, err);
}

int
rh_confinement_filter(struct rh_confinement *c, const void *program, size_t n, struct rh_error *err)
{
    if (n % sizeof(struct sock_filter) || n / sizeof(struct sock_filter) > BPF_MAXINSNS)
        return rh_error_set(err, RH_EINPUT, "cannot confine the process: its filter is damaged");
    c->filter = n ? program : NULL;
    c->n_filter = n;
    return 0;
}

static int
limit(int resource, uint64_t most, struct rh_error *err)
{
    struct rlimit now, then;

    if (getrlimit(resource, &now) == 0) {
        then.rlim_max = most < now.rlim_max ? (rlim_t)most : now.rlim_max;
        then.rlim_cur = then.rlim_max < now.rlim_cur ? then.rlim_max : now.rlim_cur;
        if (setrlimit(resource, &then) == 0)
            return 0;
    }
    return rh_error_system(err, errno, "cannot confine the process: %s", "setrlimit");
}

static int
set_limits(const struct rh_confinement *c, struct rh_error *err)
{
    if (limit(RLIMIT_CORE, 0, err) < 0)
        return -1;
    for (size_t i = 0; i < c->n_limits; i++)
        if (limit(c->limits[i].resource, c->limits[i].most, err) < 0)
            return -1;
    return 0;
}

/* The own view of the file system, and what the paths name in it. */
static int
set_view(struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    bool mounts = false;

    if (m->namespaces && rh_namespaces_enter(c, &mounts, err) < 0)
        return -1;
    if (c->permissions & RH_PERMIT_EXECUTE)
        rh_confinement_allow_loader(c);
    if (rh_confinement_lookup(c, err) < 0)
        return -1;
    if (mounts && rh_view_restrict(c, err) < 0)
        return -1;
    /* What was the directory may be under a mount by now. */
    if (chdir("/") < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "chdir");
    return 0;
}

/* Each path takes a descriptor or two until its rule is made. */
static int
raise_descriptors(struct rlimit *before, struct rh_error *err)
{
    struct rlimit most;

    if (getrlimit(RLIMIT_NOFILE, before) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "getrlimit");
    most.rlim_cur = most.rlim_max = before->rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &most); /* where it fails, opening may */
    return 0;
}

static int
apply(struct rh_confinement *c, const struct rh_mechanisms *m, struct rh_error *err)
{
    if (set_view(c, m, err) < 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "PR_SET_NO_NEW_PRIVS");
    if (rh_capabilities_reduce(c, err) < 0)
        return -1;
    return rh_landlock_apply(c, m->landlock, err);
}

int
rh_confine(struct rh_confinement *c, struct rh_error *err)
{
    struct rh_mechanisms m = mechanisms(c);
    struct rlimit descriptors;
    int done;

    c->missed = 0;
    if (raise_descriptors(&descriptors, err) < 0)
        return -1;
    done = apply(c, &m, err);
    rh_confinement_close(c);
    if (setrlimit(RLIMIT_NOFILE, &descriptors) < 0)
        return rh_error_system(err, errno, "cannot confine the process: %s", "setrlimit");
    if (done < 0 || set_limits(c, err) < 0)
        return -1;
    /* The last one: it refuses what the others are made with. */
    return rh_filter_apply(c, &m, err);
}
