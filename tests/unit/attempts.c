/* SPDX-License-Identifier: Apache-2.0 */
/* attempts - what a hostile provider may try, each as a function. */
#include "config.h"

#include "attempts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* 0, or errno of a call that gives -1. */
static int
result(long returned)
{
    return returned < 0 ? errno : 0;
}

static const char *
in(const char *directory, const char *name)
{
    static char path[2][160];
    static unsigned turn;

    turn = !turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

#define OUTSIDE in(s->outside, "file")
#define INSIDE in(s->inside, "file")
#define ATTEMPT(name)                                                                                        \
    static int name(const struct scene *s);                                                                  \
    static int name(const struct scene *s)
#define CALL(name, expression)                                                                               \
    ATTEMPT(name)                                                                                            \
    {                                                                                                        \
        (void)s;                                                                                             \
        return result(expression);                                                                           \
    }

/* files */
CALL(read_shadow, open("/etc/shadow", O_RDONLY))
CALL(read_outside, open(OUTSIDE, O_RDONLY))
CALL(list_outside, open(s->outside, O_RDONLY | O_DIRECTORY))
CALL(write_outside, open(OUTSIDE, O_WRONLY))
CALL(write_readable, open(in(s->readable, "file"), O_WRONLY))
CALL(create_outside, open(in(s->outside, "new"), O_WRONLY | O_CREAT, 0600))
CALL(tmpfile_outside, open(s->outside, O_WRONLY | O_TMPFILE, 0600))
CALL(truncate_outside, truncate(OUTSIDE, 0))
CALL(truncate_readable, open(in(s->readable, "file"), O_RDONLY | O_TRUNC))
CALL(unlink_outside, unlink(OUTSIDE))
CALL(rmdir_outside, rmdir(in(s->outside, "directory")))
CALL(mkdir_outside, mkdir(in(s->outside, "new"), 0700))
CALL(symlink_outside, symlink("/etc/passwd", in(s->outside, "new")))
CALL(fifo_outside, mkfifo(in(s->outside, "new"), 0600))
CALL(link_outside, link(OUTSIDE, in(s->inside, "new")))
CALL(link_out, link(INSIDE, in(s->outside, "new")))
CALL(rename_out, rename(INSIDE, in(s->outside, "new")))
CALL(rename_in, rename(OUTSIDE, in(s->inside, "new")))
CALL(rename_over, rename(INSIDE, OUTSIDE))
CALL(swap_in, syscall(SYS_renameat2, AT_FDCWD, INSIDE, AT_FDCWD, OUTSIDE, 2))
CALL(rename_directory, rename(s->inside, in(s->top, "moved")))
CALL(dot_dot, open(in(s->inside, "../outside/file"), O_RDONLY))
CALL(device_node, mknod(in(s->inside, "new"), S_IFCHR | 0600, makedev(1, 1)))
CALL(chmod_outside, chmod(OUTSIDE, 0666))
CALL(chmod_shell, chmod(OUTSIDE, 04755))
CALL(chown_outside, chown(OUTSIDE, 1, 1))
CALL(xattr_outside, setxattr(OUTSIDE, "user.a", "b", 1, 0))
CALL(times_outside, utimensat(AT_FDCWD, OUTSIDE, NULL, 0))
CALL(chmod_setuid, chmod(INSIDE, 04755))
CALL(fchmodat2_setuid, syscall(452, AT_FDCWD, INSIDE, 02755, 0))
CALL(create_setuid, open(in(s->inside, "new"), O_WRONLY | O_CREAT, 04755))
CALL(write_sysctl, open("/proc/sys/kernel/core_pattern", O_WRONLY))
CALL(write_own_memory, open("/proc/self/mem", O_RDWR))
CALL(write_own_oom, open("/proc/self/oom_score_adj", O_WRONLY))
CALL(read_kernel_log, open("/dev/kmsg", O_RDONLY | O_NONBLOCK))
CALL(handle, syscall(SYS_open_by_handle_at, -1, NULL, 0))

ATTEMPT(write_through_symlink)
{
    if (symlink(OUTSIDE, in(s->inside, "new")) < 0)
        return errno;
    return result(open(in(s->inside, "new"), O_WRONLY));
}

ATTEMPT(openat2_setuid)
{
    struct open_how how = { .flags = O_WRONLY | O_CREAT, .mode = 04755 };

    return result(syscall(SYS_openat2, AT_FDCWD, in(s->inside, "new"), &how, sizeof how));
}

/* A file of another process. */
static int
open_of(pid_t pid, const char *name, int flags)
{
    char path[128];

    (void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return open(path, flags);
}

/* processes */
CALL(memory_of_parent, open_of(getppid(), "mem", O_RDWR))
CALL(environment_of_parent, open_of(getppid(), "environ", O_RDONLY))
CALL(root_of_parent, open_of(getppid(), "root/etc/shadow", O_RDONLY))
CALL(descriptors_of_parent, open_of(getppid(), "fd", O_RDONLY | O_DIRECTORY))
CALL(kill_victim, kill(s->victim, SIGCONT))
CALL(kill_group, kill(-s->victim, SIGCONT))
CALL(tgkill_victim, syscall(SYS_tgkill, s->victim, s->victim, SIGCONT))
CALL(ptrace_victim, ptrace(PTRACE_SEIZE, s->victim, NULL, NULL))
CALL(ptrace_parent, ptrace(PTRACE_SEIZE, getppid(), NULL, NULL))
CALL(compare_victim, syscall(SYS_kcmp, getpid(), s->victim, 2, 0, 0))
CALL(nice_victim, setpriority(PRIO_PROCESS, (id_t)s->victim, 10))
CALL(nice_user, setpriority(PRIO_USER, 4242, 10))
CALL(schedule_victim, sched_setscheduler(s->victim, SCHED_OTHER, &(struct sched_param){ 0 }))
CALL(orphan, prctl(PR_SET_PDEATHSIG, 0))
CALL(perf, syscall(SYS_perf_event_open, &(struct perf_event_attr){ .size = 4242 }, 0, -1, -1, 0))
CALL(shared_memory, shmget(IPC_PRIVATE, 4096, 0600))

static int
pidfd_of(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}
CALL(pidfd_kill, syscall(SYS_pidfd_send_signal, pidfd_of(s->victim), SIGCONT, NULL, 0))
CALL(pidfd_descriptor, syscall(SYS_pidfd_getfd, pidfd_of(s->victim), 0, 0))

static char word[8];
static const struct iovec local = { word, sizeof word }, remote = { word, sizeof word };
CALL(read_victim, process_vm_readv(s->victim, &local, 1, &remote, 1, 0))
CALL(write_victim, process_vm_writev(s->victim, &local, 1, &remote, 1, 0))

ATTEMPT(limit_victim)
{
    struct rlimit limit;

    return result(prlimit(s->victim, RLIMIT_NOFILE, NULL, &limit));
}

ATTEMPT(owner_of_signals)
{
    int pair[2];

    if (pipe(pair) < 0)
        return errno;
    return result(fcntl(pair[0], F_SETOWN, s->victim));
}

/* programs */
CALL(execute, execl("/bin/true", "true", (char *)NULL))
CALL(execute_setuid, execl("/bin/su", "su", "--version", (char *)NULL))
CALL(shell, execl("/bin/sh", "sh", "-c", ":", (char *)NULL))

ATTEMPT(execute_memory)
{
    int to = memfd_create("x", 0);
    char *const none[] = { NULL };

    (void)s;
    if (to < 0)
        return errno;
    return result(syscall(SYS_execveat, to, "", none, none, AT_EMPTY_PATH));
}

/* the kernel and terminals; what would change the machine is called with arguments that it refuses after the
 * permission */
CALL(module, syscall(SYS_finit_module, -1, "", 0))
CALL(remove_module, syscall(SYS_delete_module, "rhost_no_module", O_NONBLOCK))
CALL(bpf, syscall(SYS_bpf, 0, NULL, 4242))
CALL(fault, syscall(SYS_userfaultfd, 0))
CALL(keyring, syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0))
CALL(key, syscall(SYS_add_key, "user", "rhost", "x", 1, KEY_SPEC_PROCESS_KEYRING))
CALL(kexec, syscall(SYS_kexec_load, 0, 0, NULL, ~0UL))
CALL(restart, syscall(SYS_reboot, 0, 0, 0, NULL))
CALL(kernel_log, syscall(SYS_syslog, 10, NULL, 0))
CALL(swap, syscall(SYS_swapoff, "/nonexistent"))
CALL(account, syscall(SYS_acct, "/nonexistent"))
CALL(quota, syscall(SYS_quotactl, 0, "/nonexistent", 0, NULL))
CALL(domain, personality(ADDR_NO_RANDOMIZE))
CALL(clock_set, settimeofday(&(struct timeval){ .tv_sec = -1 }, NULL))
CALL(host_name, syscall(SYS_sethostname, "", -1))
CALL(watch_all, syscall(SYS_fanotify_init, 0, 0))
CALL(ring, syscall(425, 1, (char[256]){ 0 }))
CALL(terminal_input, ioctl(open("/dev/null", O_RDWR), TIOCSTI, "x"))
CALL(terminal_input_high, syscall(SYS_ioctl, open("/dev/null", O_RDWR), 0xdead00000000UL | TIOCSTI, "x"))

/* namespaces and mounts */
CALL(new_user, unshare(CLONE_NEWUSER))
CALL(new_mounts, unshare(CLONE_NEWNS))
CALL(join, setns(open("/proc/self/ns/uts", O_RDONLY), 0))
CALL(change_root, chroot(s->inside))
CALL(pivot, syscall(SYS_pivot_root, "/nonexistent", "/nonexistent"))
CALL(mount_memory, mount("none", "/nonexistent", "tmpfs", 0, NULL))
CALL(unmount, umount2("/nonexistent", 0))
CALL(file_system, syscall(430, "tmpfs", 0))
CALL(tree, syscall(428, AT_FDCWD, "/", 1))
CALL(tree_attributes, syscall(467, AT_FDCWD, "/", 1, NULL, 0))
CALL(clone_arguments, syscall(435, NULL, 0))

ATTEMPT(clone_user)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);

    (void)s;
    if (pid == 0)
        _exit(0);
    return result(pid < 0 ? -1 : waitpid((pid_t)pid, NULL, 0));
}

/* network */
CALL(ipv4, socket(AF_INET, SOCK_STREAM, 0))
CALL(ipv6, socket(AF_INET6, SOCK_DGRAM, 0))
CALL(raw, socket(AF_INET, SOCK_RAW, IPPROTO_ICMP))
CALL(packet, socket(AF_PACKET, SOCK_RAW, 0))
CALL(netlink, socket(AF_NETLINK, SOCK_RAW, 0))
CALL(crypto, socket(AF_ALG, SOCK_SEQPACKET, 0))
CALL(machine, socket(AF_VSOCK, SOCK_STREAM, 0))
CALL(datagrams, socketpair(AF_UNIX, SOCK_DGRAM, 0, (int[2]){ 0 }))

static int
connect_to(int family, const void *address, socklen_t n)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    return fd < 0 ? errno : result(connect(fd, (const struct sockaddr *)address, n));
}

ATTEMPT(connect_tcp)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(s->port) };

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect_to(AF_INET, &to, sizeof to);
}

ATTEMPT(connect_unix)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };

    memcpy(to.sun_path, s->socket, strlen(s->socket) + 1);
    return connect_to(AF_UNIX, &to, sizeof to);
}

ATTEMPT(connect_abstract)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };

    memcpy(to.sun_path + 1, s->abstract, strlen(s->abstract));
    return connect_to(AF_UNIX, &to,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(s->abstract)));
}

#if defined __x86_64__
/* getpid(2) of the other two architectures of this processor. */
ATTEMPT(call_i386)
{
    long returned;

    (void)s;
    __asm__ volatile("int $0x80" : "=a"(returned) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return returned < 0 ? (int)-returned : 0;
}
CALL(call_x32, syscall(0x40000000 + SYS_getpid))
CALL(ports, syscall(SYS_iopl, 3))
#endif

const struct attempt attempts[] = {
    { "read /etc/shadow", read_shadow, 0, EACCES, 1 },
    { "read a file that is not declared", read_outside, 0, EACCES, 1 },
    { "list a directory that is not declared", list_outside, 0, EACCES, 1 },
    { "write to a file that is not declared", write_outside, 0, EROFS, 1 | BY_VIEW },
    { "write to a file declared for reading", write_readable, 0, EROFS, 1 | BY_VIEW },
    { "create a file", create_outside, 0, EROFS, 1 | BY_VIEW },
    { "create a file without a name", tmpfile_outside, 0, EROFS, 1 | BY_VIEW },
    { "truncate a file", truncate_outside, 0, EROFS, 3 | BY_VIEW },
    { "truncate a file declared for reading", truncate_readable, 0, EROFS, 3 | BY_VIEW },
    { "remove a file", unlink_outside, 0, EROFS, 1 | BY_VIEW },
    { "remove a directory", rmdir_outside, 0, EROFS, 1 | BY_VIEW },
    { "make a directory", mkdir_outside, 0, EROFS, 1 | BY_VIEW },
    { "make a symbolic link", symlink_outside, 0, EROFS, 1 | BY_VIEW },
    { "make a FIFO", fifo_outside, 0, EROFS, 1 | BY_VIEW },
    { "link a foreign file into a declared directory", link_outside, 0, EXDEV, 1 | BY_VIEW },
    { "link a file out of a declared directory", link_out, 0, EROFS, 1 | BY_VIEW },
    { "move a file out of a declared directory", rename_out, 0, EXDEV, 1 | BY_VIEW },
    { "move a foreign file into a declared directory", rename_in, 0, EXDEV, 1 | BY_VIEW },
    { "replace a foreign file", rename_over, 0, EXDEV, 1 | BY_VIEW },
    { "exchange a file for a foreign one", swap_in, 0, EXDEV, 1 | BY_VIEW },
    { "move the declared directory itself", rename_directory, 0, EROFS, 1 | BY_VIEW },
    { "write through a symbolic link", write_through_symlink, 0, EROFS, 1 | BY_VIEW },
    { "reach a neighbour by '..'", dot_dot, 0, EACCES, 1 },
    { "make a device node in a declared directory", device_node, 0, EACCES, 1 | BY_CAPABILITIES },
    { "chmod a foreign file", chmod_outside, 0, EROFS, BY_VIEW },
    { "make a foreign program set-user-ID", chmod_shell, 0, EPERM, BY_VIEW | BY_SECCOMP },
    { "chown a foreign file", chown_outside, 0, EROFS, BY_VIEW | BY_CAPABILITIES },
    { "set an extended attribute of a foreign file", xattr_outside, ANY, EROFS, BY_VIEW },
    { "change the times of a foreign file", times_outside, 0, EROFS, BY_VIEW },
    { "make an own file set-user-ID", chmod_setuid, 0, EPERM, BY_SECCOMP },
    { "make an own file set-group-ID by fchmodat2", fchmodat2_setuid, ANY, EPERM, BY_SECCOMP },
    { "create a set-user-ID file", create_setuid, 0, EPERM, BY_SECCOMP },
    { "create a set-user-ID file by openat2", openat2_setuid, 0, ENOSYS, BY_SECCOMP },
    { "write to /proc/sys", write_sysctl, 0, EROFS, 1 | BY_VIEW },
    { "write to /proc/self/mem", write_own_memory, 0, EROFS, 1 | BY_VIEW },
    { "leave the choice of the out-of-memory killer", write_own_oom, 0, EROFS, 1 | BY_VIEW },
    { "read /dev/kmsg", read_kernel_log, 0, EACCES, 1 },
    { "open a file by its handle", handle, ANY, EPERM, BY_SECCOMP },
    { "open the memory of the parent", memory_of_parent, 0, EROFS, 1 | BY_CAPABILITIES | BY_VIEW },
    { "read the environment of the parent", environment_of_parent, 0, EACCES, 1 | BY_CAPABILITIES },
    { "reach the parent's view by /proc/PID/root", root_of_parent, 0, EACCES, 1 | BY_CAPABILITIES },
    { "list the descriptors of the parent", descriptors_of_parent, 0, EACCES, 1 },
    { "signal another process", kill_victim, 0, EPERM, 6 | BY_OLD_SECCOMP },
    { "signal another process group", kill_group, 0, EPERM, 6 | BY_OLD_SECCOMP },
    { "signal by tgkill", tgkill_victim, 0, EPERM, 6 | BY_OLD_SECCOMP },
    { "signal by pidfd_send_signal", pidfd_kill, 0, EPERM, 6 | BY_OLD_SECCOMP },
    { "have signals sent for a descriptor", owner_of_signals, 0, 0, BY_OLD_SECCOMP },
    { "trace another process", ptrace_victim, 0, EPERM, 1 | BY_SECCOMP | BY_CAPABILITIES },
    { "trace the parent", ptrace_parent, 0, EPERM, 1 | BY_SECCOMP | BY_CAPABILITIES },
    { "read the memory of another process", read_victim, 0, EPERM, 1 | BY_SECCOMP | BY_CAPABILITIES },
    { "write the memory of another process", write_victim, 0, EPERM, 1 | BY_SECCOMP | BY_CAPABILITIES },
    { "take a descriptor of another process", pidfd_descriptor, 0, EPERM, 1 | BY_SECCOMP | BY_CAPABILITIES },
    { "compare with another process", compare_victim, ANY, EPERM, 1 | BY_SECCOMP | BY_CAPABILITIES },
    { "limit another process", limit_victim, 0, EPERM, BY_SECCOMP },
    { "slow down another process", nice_victim, 0, EPERM, BY_SECCOMP },
    { "slow down all processes of a user", nice_user, ESRCH, EPERM, BY_SECCOMP },
    { "set the scheduler of another process", schedule_victim, 0, EPERM, BY_SECCOMP },
    { "outlive the parent", orphan, 0, EPERM, BY_SECCOMP },
    { "count events of the processor", perf, ANY, EPERM, BY_SECCOMP },
    { "share memory (System V)", shared_memory, 0, EPERM, BY_SECCOMP },
    { "execute a program", execute, 0, EPERM, 1 | BY_SECCOMP },
    { "execute a set-user-ID program", execute_setuid, 0, EPERM, 1 | BY_SECCOMP },
    { "execute a shell", shell, 0, EPERM, 1 | BY_SECCOMP },
    { "execute what is only in memory", execute_memory, ENOEXEC, EPERM, BY_SECCOMP },
    { "load a kernel module", module, ANY, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "remove a kernel module", remove_module, ANY, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "use bpf", bpf, ANY, EPERM, BY_SECCOMP },
    { "use userfaultfd", fault, 0, EPERM, BY_SECCOMP },
    { "use keyrings", keyring, ANY, EPERM, BY_SECCOMP },
    { "add a key", key, ANY, EPERM, BY_SECCOMP },
    { "load another kernel", kexec, ANY, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "restart the machine", restart, EINVAL, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "read the kernel's log", kernel_log, 0, EPERM, BY_SECCOMP },
    { "turn swap off", swap, ENOENT, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "turn accounting on", account, ENOENT, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "change quotas", quota, ANY, EPERM, BY_SECCOMP },
    { "change the execution domain", domain, 0, EPERM, BY_SECCOMP },
    { "set the clock", clock_set, EINVAL, EPERM, BY_SECCOMP },
    { "set the host name", host_name, EINVAL, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "watch a whole file system", watch_all, ANY, EPERM, BY_SECCOMP },
    { "use io_uring", ring, ANY, EPERM, BY_SECCOMP },
    { "put input into a terminal", terminal_input, ENOTTY, EPERM, BY_SECCOMP },
    { "the same with more bits in the request", terminal_input_high, ENOTTY, EPERM, BY_SECCOMP },
    { "make a user namespace", new_user, ANY, EPERM, BY_SECCOMP },
    { "make a user namespace by clone", clone_user, ANY, EPERM, BY_SECCOMP },
    { "hide flags from the filter with clone3", clone_arguments, EINVAL, ENOSYS, BY_SECCOMP },
    { "make a mount namespace", new_mounts, 0, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "join a namespace", join, 0, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "change the root directory", change_root, 0, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "exchange the root", pivot, ANY, EPERM, BY_SECCOMP },
    { "mount", mount_memory, ENOENT, EPERM, BY_SECCOMP },
    { "unmount", unmount, ENOENT, EPERM, BY_SECCOMP },
    { "make a file system", file_system, 0, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "copy a tree of mounts", tree, 0, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "the same by a call that libseccomp may not know", tree_attributes, ANY, EPERM, BY_SECCOMP },
    { "open an IPv4 socket", ipv4, 0, EPERM, BY_SECCOMP },
    { "open an IPv6 socket for UDP", ipv6, ANY, EPERM, BY_SECCOMP },
    { "open a raw socket", raw, 0, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "open a packet socket", packet, ANY, EPERM, BY_SECCOMP | BY_CAPABILITIES },
    { "open a netlink socket", netlink, 0, EPERM, BY_SECCOMP },
    { "open a socket of the kernel's cryptography", crypto, ANY, EPERM, BY_SECCOMP },
    { "open a socket to the hypervisor", machine, ANY, EPERM, BY_SECCOMP },
    { "make a pair that can be connected anew", datagrams, 0, EPERM, BY_SECCOMP },
    { "connect to a TCP port", connect_tcp, 0, EPERM, 4 | BY_SECCOMP | BY_NETWORK },
    { "connect to a Unix socket", connect_unix, 0, EPERM, BY_SECCOMP },
    { "connect to an abstract Unix socket", connect_abstract, 0, EPERM, 6 | BY_SECCOMP | BY_NETWORK },
#if defined __x86_64__
    { "call as an i386 program does", call_i386, ANY, EPERM, BY_SECCOMP },
    { "call as an x32 program does", call_x32, ANY, EPERM, BY_SECCOMP },
    { "use ports of the processor", ports, ANY, EPERM, BY_SECCOMP },
#endif
};
const size_t n_attempts = sizeof attempts / sizeof *attempts;
