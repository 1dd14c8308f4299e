/* SPDX-License-Identifier: Apache-2.0 */
/* use-calls - the system calls that are uses of the machine, and the filter that asks about them. */
#include "config.h"

#include "check/use-calls.h"

#if HAVE_SECCOMP

#include "base/cleanup.h"
#include "check/use.h"

#include <seccomp.h>
#include <string.h>

static struct rh_use_call calls[] = {
    { "open", RH_CALL_OPENS, 0, -1, 0 },
    { "openat", RH_CALL_OPENS, 1, 0, 0 },
    { "openat2", RH_CALL_OPENS_HOW, 1, 0, 0 },
    { "creat", RH_CALL_WRITES, 0, -1, 0 },
    { "truncate", RH_CALL_WRITES, 0, -1, 0 },
    { "mkdir", RH_CALL_WRITES, 0, -1, 0 },
    { "mkdirat", RH_CALL_WRITES, 1, 0, 0 },
    { "mknod", RH_CALL_WRITES, 0, -1, 0 },
    { "mknodat", RH_CALL_WRITES, 1, 0, 0 },
    { "unlink", RH_CALL_WRITES, 0, -1, 0 },
    { "unlinkat", RH_CALL_WRITES, 1, 0, 0 },
    { "rmdir", RH_CALL_WRITES, 0, -1, 0 },
    { "rename", RH_CALL_WRITES, 0, -1, 0 },
    { "rename", RH_CALL_WRITES, 1, -1, 0 },
    { "renameat", RH_CALL_WRITES, 1, 0, 0 },
    { "renameat", RH_CALL_WRITES, 3, 2, 0 },
    { "renameat2", RH_CALL_WRITES, 1, 0, 0 },
    { "renameat2", RH_CALL_WRITES, 3, 2, 0 },
    { "link", RH_CALL_WRITES, 1, -1, 0 },
    { "linkat", RH_CALL_WRITES, 3, 2, 0 },
    { "symlink", RH_CALL_WRITES, 1, -1, 0 },
    { "symlinkat", RH_CALL_WRITES, 2, 1, 0 },
    { "chmod", RH_CALL_WRITES, 0, -1, 0 },
    { "fchmodat", RH_CALL_WRITES, 1, 0, 0 },
    { "chown", RH_CALL_WRITES, 0, -1, 0 },
    { "lchown", RH_CALL_WRITES, 0, -1, 0 },
    { "fchownat", RH_CALL_WRITES, 1, 0, 0 },
    { "utime", RH_CALL_WRITES, 0, -1, 0 },
    { "utimes", RH_CALL_WRITES, 0, -1, 0 },
    { "futimesat", RH_CALL_WRITES, 1, 0, 0 },
    { "utimensat", RH_CALL_WRITES, 1, 0, 0 },
    { "setxattr", RH_CALL_WRITES, 0, -1, 0 },
    { "lsetxattr", RH_CALL_WRITES, 0, -1, 0 },
    { "removexattr", RH_CALL_WRITES, 0, -1, 0 },
    { "lremovexattr", RH_CALL_WRITES, 0, -1, 0 },
    { "fchmod", RH_CALL_WRITES_FILE, 0, -1, 0 },
    { "fchown", RH_CALL_WRITES_FILE, 0, -1, 0 },
    { "fsetxattr", RH_CALL_WRITES_FILE, 0, -1, 0 },
    { "fremovexattr", RH_CALL_WRITES_FILE, 0, -1, 0 },
    { "execve", RH_CALL_RUNS, 0, -1, 0 },
    { "execveat", RH_CALL_RUNS, 1, 0, 0 },
    { "connect", RH_CALL_CONNECTS, 1, -1, 0 },
    { "write", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "writev", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "pwrite64", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "ftruncate", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "fallocate", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "fsync", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "fdatasync", RH_CALL_WRITES_DATA, 0, -1, 0 },
    { "copy_file_range", RH_CALL_WRITES_DATA, 2, -1, 0 },
    { "flock", RH_CALL_LOCKS, 0, -1, 0 },
    { "socket", RH_CALL_SOCKETS, -1, -1, 0 },
    { "sendto", RH_CALL_SENDS, 0, -1, 0 },
    { "sendmsg", RH_CALL_SENDS, 0, -1, 0 },
    { "recvfrom", RH_CALL_RECEIVES, 0, -1, 0 },
    { "recvmsg", RH_CALL_RECEIVES, 0, -1, 0 },
    { "mount", RH_CALL_CHANGES, -1, -1, 0 },
    { "umount2", RH_CALL_CHANGES, -1, -1, 0 },
    { "swapon", RH_CALL_CHANGES, -1, -1, 0 },
    { "swapoff", RH_CALL_CHANGES, -1, -1, 0 },
    { "sethostname", RH_CALL_CHANGES, -1, -1, 0 },
    { "init_module", RH_CALL_CHANGES, -1, -1, 0 },
    { "finit_module", RH_CALL_CHANGES, -1, -1, 0 },
    { "delete_module", RH_CALL_CHANGES, -1, -1, 0 },
};

enum { N_CALLS = sizeof calls / sizeof calls[0] };

const struct rh_use_call *
rh_use_call(size_t i)
{
    if (!calls[N_CALLS - 1].number)
        for (size_t k = 0; k < N_CALLS; k++)
            calls[k].number = seccomp_syscall_resolve_name(calls[k].name);
    return i < N_CALLS ? &calls[i] : NULL;
}

int
rh_use_add_rules(void *filter, enum rh_use_depth depth)
{
    const struct rh_use_call *call, *before = NULL;

    for (size_t i = 0; (call = rh_use_call(i)); before = call, i++) {
        int rc;

        if (call->number < 0 || (before && before->number == call->number))
            continue;
        if (call->how >= RH_CALL_WRITES_DATA && depth < RH_USE_ALL)
            continue;
        rc = seccomp_rule_add(filter, SCMP_ACT_NOTIFY, call->number, 0);
        if (rc < 0)
            return rc;
    }
    return 0;
}

#endif
