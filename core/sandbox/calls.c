/* SPDX-License-Identifier: Apache-2.0 */
/* calls - which system calls a filter refuses.
 *
 * All calls of Linux 6.17 were looked at: those that are not here act on the process itself, or on files,
 * which Landlock confines, or need a capability. Calls that are newer are refused as unknown, so that a newer
 * kernel gives a confined process nothing that was not judged. */
#include "config.h"

#include "sandbox/confinement.h"
#include "sandbox/filter.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

const struct rh_refused_call rh_refused_calls[] = {
    /* other processes: their memory, descriptors and resources */
    { "kcmp", 0, 0 },
    { "migrate_pages", 0, 0 },
    { "move_pages", 0, 0 },
    { "perf_event_open", 0, 0 },
    { "pidfd_getfd", 438, 0 },
    { "process_madvise", 440, 0 },
    { "process_mrelease", 448, 0 },
    { "process_vm_readv", 0, 0 },
    { "process_vm_writev", 0, 0 },
    { "ptrace", 0, 0 },
    /* what all processes of a user share */
    { "mq_getsetattr", 0, 0 },
    { "mq_notify", 0, 0 },
    { "mq_open", 0, 0 },
    { "mq_timedreceive", 0, 0 },
    { "mq_timedsend", 0, 0 },
    { "mq_unlink", 0, 0 },
    { "msgctl", 0, 0 },
    { "msgget", 0, 0 },
    { "msgrcv", 0, 0 },
    { "msgsnd", 0, 0 },
    { "semctl", 0, 0 },
    { "semget", 0, 0 },
    { "semop", 0, 0 },
    { "semtimedop", 0, 0 },
    { "shmat", 0, 0 },
    { "shmctl", 0, 0 },
    { "shmget", 0, 0 },
    /* keyrings */
    { "add_key", 0, 0 },
    { "keyctl", 0, 0 },
    { "request_key", 0, 0 },
    /* the kernel: modules, another kernel, its log, programs in it */
    { "bpf", 0, 0 },
    { "create_module", 0, 0 },
    { "delete_module", 0, 0 },
    { "finit_module", 0, 0 },
    { "init_module", 0, 0 },
    { "kexec_file_load", 0, 0 },
    { "kexec_load", 0, 0 },
    { "lookup_dcookie", 0, 0 },
    { "query_module", 0, 0 },
    { "reboot", 0, 0 },
    { "syslog", 0, 0 },
    /* calls that the filter would not see, and those with a history of holes */
    { "io_uring_enter", 426, 0 },
    { "io_uring_register", 427, 0 },
    { "io_uring_setup", 425, 0 },
    { "userfaultfd", 0, 0 },
    /* hardware */
    { "ioperm", 0, 0 },
    { "iopl", 0, 0 },
    { "modify_ldt", 0, 0 },
    { "pciconfig_iobase", 0, 0 },
    { "pciconfig_read", 0, 0 },
    { "pciconfig_write", 0, 0 },
    { "vm86", 0, 0 },
    { "vm86old", 0, 0 },
    /* the machine as a whole */
    { "_sysctl", 0, 0 },
    { "acct", 0, 0 },
    { "fanotify_init", 0, 0 },
    { "nfsservctl", 0, 0 },
    { "quotactl", 0, 0 },
    { "quotactl_fd", 443, 0 },
    { "swapoff", 0, 0 },
    { "swapon", 0, 0 },
    { "uselib", 0, 0 },
    { "vhangup", 0, 0 },
    { "adjtimex", 0, RH_PERMIT_CLOCK },
    { "clock_adjtime", 0, RH_PERMIT_CLOCK },
    { "clock_adjtime64", 0, RH_PERMIT_CLOCK },
    { "clock_settime", 0, RH_PERMIT_CLOCK },
    { "clock_settime64", 0, RH_PERMIT_CLOCK },
    { "settimeofday", 0, RH_PERMIT_CLOCK },
    { "stime", 0, RH_PERMIT_CLOCK },
    { "setdomainname", 0, RH_PERMIT_HOSTNAME },
    { "sethostname", 0, RH_PERMIT_HOSTNAME },
    /* other views of the file system */
    { "chroot", 0, 0 },
    { "open_by_handle_at", 0, 0 },
    { "pivot_root", 0, 0 },
    { "setns", 0, 0 },
    { "unshare", 0, 0 },
    { "fsconfig", 431, RH_PERMIT_MOUNT },
    { "fsmount", 432, RH_PERMIT_MOUNT },
    { "fsopen", 430, RH_PERMIT_MOUNT },
    { "fspick", 433, RH_PERMIT_MOUNT },
    { "mount", 0, RH_PERMIT_MOUNT },
    { "mount_setattr", 442, RH_PERMIT_MOUNT },
    { "move_mount", 429, RH_PERMIT_MOUNT },
    { "open_tree", 428, RH_PERMIT_MOUNT },
    { "open_tree_attr", 467, RH_PERMIT_MOUNT },
    { "umount", 0, RH_PERMIT_MOUNT },
    { "umount2", 0, RH_PERMIT_MOUNT },
    /* programs */
    { "execve", 0, RH_PERMIT_EXECUTE },
    { "execveat", 0, RH_PERMIT_EXECUTE },
};
const size_t rh_n_refused_calls = sizeof rh_refused_calls / sizeof *rh_refused_calls;

#define ALL_BITS UINT32_C(0xffffffff)
#define BIT_IS_SET(argument, bit)                                                                            \
    {                                                                                                        \
        (argument), RH_IS, (bit), (bit)                                                                      \
    }
#define IS(argument, value)                                                                                  \
    {                                                                                                        \
        (argument), RH_IS, ALL_BITS, (value)                                                                 \
    }
#define IS_NOT(argument, value)                                                                              \
    {                                                                                                        \
        (argument), RH_IS_NOT, ALL_BITS, (value)                                                             \
    }

#if defined __s390__
enum { CLONE_FLAGS = 1 };
#else
enum { CLONE_FLAGS = 0 };
#endif
enum { SET_USER_ID = 04000, SET_GROUP_ID = 02000, IOPRIO_PROCESS = 1 };
#define ONLY_TMPFILE (O_TMPFILE & ~O_DIRECTORY)

/* A mode with one of the bits, in this argument of a call. */
#define SETS_ID(name, newer, argument)                                                                       \
    { name, newer, RH_PERMIT_SETID, { BIT_IS_SET(argument, SET_USER_ID) } },                                 \
    {                                                                                                        \
        name, newer, RH_PERMIT_SETID,                                                                        \
        {                                                                                                    \
            BIT_IS_SET(argument, SET_GROUP_ID)                                                               \
        }                                                                                                    \
    }
/* The same of a call that makes a file only with a flag in the argument before. */
#define MAKES_SETTING_ID(name, flags)                                                                        \
    { name, 0, RH_PERMIT_SETID, { BIT_IS_SET(flags, O_CREAT), BIT_IS_SET((flags) + 1, SET_USER_ID) } },      \
        { name, 0, RH_PERMIT_SETID, { BIT_IS_SET(flags, O_CREAT), BIT_IS_SET((flags) + 1, SET_GROUP_ID) } }, \
        { name,                                                                                              \
          0,                                                                                                 \
          RH_PERMIT_SETID,                                                                                   \
          { BIT_IS_SET(flags, ONLY_TMPFILE), BIT_IS_SET((flags) + 1, SET_USER_ID) } },                       \
    {                                                                                                        \
        name, 0, RH_PERMIT_SETID,                                                                            \
        {                                                                                                    \
            BIT_IS_SET(flags, ONLY_TMPFILE), BIT_IS_SET((flags) + 1, SET_GROUP_ID)                           \
        }                                                                                                    \
    }

const struct rh_refused_value rh_refused_values[] = {
    /* namespaces; clone3(2), whose flags are in memory, is refused as unknown */
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWNS) } },
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWCGROUP) } },
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWUTS) } },
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWIPC) } },
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWUSER) } },
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWPID) } },
    { "clone", 0, 0, { BIT_IS_SET(CLONE_FLAGS, CLONE_NEWNET) } },
    /* input into a terminal that others read from, and its line discipline */
    { "ioctl", 0, 0, { IS(1, TIOCSTI) } },
    { "ioctl", 0, 0, { IS(1, TIOCLINUX) } },
    { "ioctl", 0, 0, { IS(1, TIOCSETD) } },
    /* other execution domains */
    { "personality", 0, 0, { IS_NOT(0, 0) } },
    /* a process that the end of its parent does not end */
    { "prctl", 0, 0, { IS(0, PR_SET_PDEATHSIG), IS_NOT(1, SIGKILL) } },
    { "prctl", 0, 0, { IS(0, PR_SET_CHILD_SUBREAPER) } },
    /* limits and priorities of other processes of the user */
    { "ioprio_set", 0, 0, { IS_NOT(0, IOPRIO_PROCESS) } },
    { "ioprio_set", 0, 0, { IS_NOT(1, 0) } },
    { "prlimit64", 0, 0, { IS_NOT(0, 0) } },
    { "sched_setaffinity", 0, 0, { IS_NOT(0, 0) } },
    { "sched_setattr", 0, 0, { IS_NOT(0, 0) } },
    { "sched_setparam", 0, 0, { IS_NOT(0, 0) } },
    { "sched_setscheduler", 0, 0, { IS_NOT(0, 0) } },
    { "setpriority", 0, 0, { IS_NOT(0, 0) } },
    { "setpriority", 0, 0, { IS_NOT(1, 0) } },
    /* files that run as their owner; openat2(2), whose mode is in memory, is refused as unknown */
    SETS_ID("chmod", 0, 1),
    SETS_ID("creat", 0, 1),
    SETS_ID("fchmod", 0, 1),
    SETS_ID("fchmodat", 0, 2),
    SETS_ID("fchmodat2", 452, 2),
    SETS_ID("mknod", 0, 1),
    SETS_ID("mknodat", 0, 2),
    MAKES_SETTING_ID("open", 1),
    MAKES_SETTING_ID("openat", 2),
};
const size_t rh_n_refused_values = sizeof rh_refused_values / sizeof *rh_refused_values;
