/* SPDX-License-Identifier: Apache-2.0 */
/* confine - takes from a process what it does not need to speak to the network. */
#include "config.h"

#include "agent/confine.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DATA = 512 << 20, DESCRIPTORS = 64, SECONDS = 600 };

/* Landlock (linux/landlock.h), whose numbers are the same on all architectures; the header may be older than
 * the kernel. */
enum { CREATE_RULESET = 444, RESTRICT_SELF = 446, RULESET_VERSION = 1 };

/* Each access that changes something: 1, files are written to; 4 to 12, entries are removed and made; 13
 * (version 2), files are moved; 14 (version 3), files are cut. */
static uint64_t
changing(long version)
{
    uint64_t access = UINT64_C(1) << 1;

    for (int bit = 4; bit <= 12; bit++)
        access |= UINT64_C(1) << bit;
    if (version >= 2)
        access |= UINT64_C(1) << 13;
    if (version >= 3)
        access |= UINT64_C(1) << 14;
    return access;
}

static bool
forbid_writing(void)
{
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, RULESET_VERSION);
    uint64_t handled = changing(version);
    long rules;
    bool done;

    if (version < 1)
        return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM;
    rules = syscall(CREATE_RULESET, &handled, sizeof handled, 0);
    if (rules < 0)
        return false;
    done = syscall(RESTRICT_SELF, (int)rules, 0) == 0;
    (void)close((int)rules);
    return done;
}

static bool
limit(int resource, rlim_t most)
{
    struct rlimit l = { most, most }, now;

    if (getrlimit(resource, &now) == 0 && now.rlim_max < most)
        l.rlim_cur = l.rlim_max = now.rlim_max;
    return setrlimit(resource, &l) == 0;
}

static bool
change_user(uid_t uid, gid_t gid)
{
    if (geteuid() != 0)
        return true;
    return setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0
           && setuid(0) < 0;
}

bool
rh_agent_confine(uid_t uid, gid_t gid, const char **what)
{
    pid_t parent = getppid();

    *what = "become another user";
    if (!change_user(uid, gid))
        return false;
    *what = "give up privileges";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0
        || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return false;
    if (getppid() != parent)
        _exit(1);
    *what = "forbid writing";
    if (!forbid_writing())
        return false;
    *what = "limit resources";
    return limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_CORE, 0) && limit(RLIMIT_DATA, DATA)
           && limit(RLIMIT_NOFILE, DESCRIPTORS) && limit(RLIMIT_CPU, SECONDS) && chdir("/") == 0;
}
