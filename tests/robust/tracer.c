/* SPDX-License-Identifier: Apache-2.0 */
/* tracer - see the header. It works by ptrace(2): calls that a library would not see are seen too, and
 * nothing has to be loaded into processes whose environment the host cleans. */
#include "config.h"

#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* <sys/ptrace.h> and <linux/ptrace.h> can't be included together. */
extern long ptrace(int request, ...);

enum { MAX_TASKS = 256, MAX_KINDS = 128 };

struct task {
    pid_t pid;
    int process;
    unsigned number, image;
    unsigned short of_kind[MAX_KINDS];
    bool inside; /* between the two stops of a call */
    struct call call;
    int error; /* what the call is to return, 0: what it returns */
};

static struct {
    struct task tasks[MAX_TASKS];
    size_t n;
    int processes;
    pid_t first;
    bool done;     /* the intervention was made */
    bool filtered; /* only calls that the filter picks stop a process */
} run;

static const struct {
    long nr;
    const char *name;
    bool fails; /* the campaign lets it fail */
    int length; /* the argument that says how much to transfer, or 0 */
} calls[] = {
    { SYS_openat, "openat", true, 0 },
#ifdef SYS_open
    { SYS_open, "open", true, 0 },
    { SYS_stat, "stat", true, 0 },
    { SYS_lstat, "lstat", true, 0 },
    { SYS_access, "access", true, 0 },
    { SYS_readlink, "readlink", true, 0 },
    { SYS_rename, "rename", true, 0 },
    { SYS_link, "link", true, 0 },
    { SYS_symlink, "symlink", true, 0 },
    { SYS_unlink, "unlink", true, 0 },
    { SYS_mkdir, "mkdir", true, 0 },
    { SYS_rmdir, "rmdir", true, 0 },
    { SYS_chmod, "chmod", true, 0 },
    { SYS_chown, "chown", true, 0 },
    { SYS_lchown, "lchown", true, 0 },
    { SYS_poll, "poll", true, 0 },
    { SYS_pipe, "pipe", true, 0 },
    { SYS_dup2, "dup2", true, 0 },
    { SYS_fork, "fork", true, 0 },
    { SYS_vfork, "vfork", true, 0 },
    { SYS_getdents, "getdents", true, 0 },
    { SYS_creat, "creat", true, 0 },
#endif
    { SYS_openat2, "openat2", true, 0 },
    { SYS_newfstatat, "newfstatat", true, 0 },
    { SYS_fstat, "fstat", true, 0 },
    { SYS_statx, "statx", true, 0 },
    { SYS_faccessat, "faccessat", true, 0 },
    { SYS_faccessat2, "faccessat2", true, 0 },
    { SYS_readlinkat, "readlinkat", true, 0 },
    { SYS_read, "read", true, 2 },
    { SYS_pread64, "pread64", true, 2 },
    { SYS_write, "write", true, 2 },
    { SYS_pwrite64, "pwrite64", true, 2 },
    { SYS_readv, "readv", true, 0 },
    { SYS_writev, "writev", true, 0 },
    { SYS_sendfile, "sendfile", true, 3 },
    { SYS_copy_file_range, "copy_file_range", true, 4 },
    { SYS_lseek, "lseek", true, 0 },
    { SYS_ftruncate, "ftruncate", true, 0 },
    { SYS_truncate, "truncate", true, 0 },
    { SYS_fallocate, "fallocate", true, 0 },
    { SYS_close, "close", true, 0 },
    { SYS_close_range, "close_range", true, 0 },
    { SYS_fcntl, "fcntl", true, 0 },
    { SYS_flock, "flock", true, 0 },
    { SYS_fsync, "fsync", true, 0 },
    { SYS_fdatasync, "fdatasync", true, 0 },
    { SYS_syncfs, "syncfs", true, 0 },
    { SYS_sync, "sync", false, 0 },
    { SYS_fchmod, "fchmod", true, 0 },
    { SYS_fchmodat, "fchmodat", true, 0 },
    { SYS_fchown, "fchown", true, 0 },
    { SYS_fchownat, "fchownat", true, 0 },
    { SYS_utimensat, "utimensat", true, 0 },
    { SYS_renameat, "renameat", true, 0 },
    { SYS_renameat2, "renameat2", true, 0 },
    { SYS_linkat, "linkat", true, 0 },
    { SYS_symlinkat, "symlinkat", true, 0 },
    { SYS_unlinkat, "unlinkat", true, 0 },
    { SYS_mkdirat, "mkdirat", true, 0 },
    { SYS_getdents64, "getdents64", true, 0 },
    { SYS_flistxattr, "flistxattr", true, 0 },
    { SYS_fgetxattr, "fgetxattr", true, 0 },
    { SYS_fsetxattr, "fsetxattr", true, 0 },
    { SYS_fremovexattr, "fremovexattr", true, 0 },
    { SYS_getxattr, "getxattr", true, 0 },
    { SYS_lgetxattr, "lgetxattr", true, 0 },
    { SYS_statfs, "statfs", true, 0 },
    { SYS_fstatfs, "fstatfs", true, 0 },
    { SYS_ioctl, "ioctl", true, 0 },
    { SYS_mmap, "mmap", true, 0 },
    { SYS_mremap, "mremap", true, 0 },
    { SYS_memfd_create, "memfd_create", true, 0 },
    { SYS_socket, "socket", true, 0 },
    { SYS_socketpair, "socketpair", true, 0 },
    { SYS_connect, "connect", true, 0 },
    { SYS_sendto, "sendto", true, 2 },
    { SYS_recvfrom, "recvfrom", true, 2 },
    { SYS_sendmsg, "sendmsg", true, 0 },
    { SYS_recvmsg, "recvmsg", true, 0 },
    { SYS_ppoll, "ppoll", true, 0 },
    { SYS_pipe2, "pipe2", true, 0 },
    { SYS_dup, "dup", true, 0 },
    { SYS_dup3, "dup3", true, 0 },
    { SYS_pidfd_open, "pidfd_open", true, 0 },
    { SYS_pidfd_send_signal, "pidfd_send_signal", true, 0 },
    { SYS_signalfd4, "signalfd4", true, 0 },
    { SYS_timerfd_create, "timerfd_create", true, 0 },
    { SYS_eventfd2, "eventfd2", true, 0 },
    { SYS_epoll_create1, "epoll_create1", true, 0 },
    { SYS_epoll_ctl, "epoll_ctl", true, 0 },
    { SYS_epoll_wait, "epoll_wait", true, 0 },
    { SYS_clone, "clone", true, 0 },
    { SYS_clone3, "clone3", true, 0 },
    { SYS_execve, "execve", true, 0 },
    { SYS_wait4, "wait4", true, 0 },
    { SYS_waitid, "waitid", true, 0 },
    { SYS_rt_sigtimedwait, "rt_sigtimedwait", true, 0 },
    { SYS_kill, "kill", true, 0 },
    { SYS_setsid, "setsid", true, 0 },
    { SYS_setpgid, "setpgid", true, 0 },
    { SYS_chdir, "chdir", true, 0 },
    { SYS_fchdir, "fchdir", true, 0 },
    { SYS_prctl, "prctl", true, 0 },
    { SYS_getrandom, "getrandom", true, 0 },
    { SYS_uname, "uname", true, 0 },
    { SYS_sysinfo, "sysinfo", true, 0 },
    { SYS_prlimit64, "prlimit64", true, 0 },
    { SYS_clock_nanosleep, "clock_nanosleep", true, 0 },
};

/* On a file system that copies what is written, also changes of attributes and removals. */
static const long needing_space[] = {
    SYS_openat,
#ifdef SYS_open
    SYS_open,      SYS_creat,     SYS_rename,    SYS_link,         SYS_symlink,   SYS_unlink,
    SYS_mkdir,     SYS_rmdir,     SYS_chmod,     SYS_chown,        SYS_lchown,
#endif
    SYS_openat2,   SYS_write,     SYS_pwrite64,  SYS_writev,       SYS_sendfile,  SYS_copy_file_range,
    SYS_ftruncate, SYS_truncate,  SYS_fallocate, SYS_close, /* what was written before, over a network */
    SYS_fsync,     SYS_fdatasync, SYS_syncfs,    SYS_fchmod,       SYS_fchmodat,  SYS_fchown,
    SYS_fchownat,  SYS_utimensat, SYS_renameat,  SYS_renameat2,    SYS_linkat,    SYS_symlinkat,
    SYS_unlinkat,  SYS_mkdirat,   SYS_fsetxattr, SYS_fremovexattr, SYS_epoll_ctl,
};

bool
trace_can_lack_space(long nr)
{
    for (size_t i = 0; i < sizeof needing_space / sizeof needing_space[0]; i++)
        if (needing_space[i] == nr)
            return true;
    return false;
}

static size_t
find(long nr)
{
    size_t i = 0;

    while (i < sizeof calls / sizeof calls[0] && calls[i].nr != nr)
        i++;
    return i;
}

bool
trace_can_fail(long nr)
{
    size_t i = find(nr);

    return i < sizeof calls / sizeof calls[0] && calls[i].fails;
}

const char *
trace_name(long nr)
{
    size_t i = find(nr);

    return i < sizeof calls / sizeof calls[0] ? calls[i].name : NULL;
}

bool
trace_can_shorten(const struct call *call)
{
    size_t i = find(call->nr);

    return i < sizeof calls / sizeof calls[0] && calls[i].length && call->args[calls[i].length] > 1;
}

bool
trace_bytes(pid_t pid, uint64_t address, void *bytes, size_t size)
{
    struct iovec to = { bytes, size }, from = { (void *)(uintptr_t)address, size };

    return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

bool
trace_text(pid_t pid, uint64_t address, char *text, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++) {
        if (!trace_bytes(pid, address + i, text + i, 1))
            return false;
        if (!text[i])
            return true;
    }
    return false;
}

#ifdef __x86_64__
bool
trace_is_supported(void)
{
    return true;
}

static void
set_length(pid_t pid, int argument, uint64_t value)
{
    struct user_regs_struct r;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &r) < 0)
        return;
    if (argument == 2)
        r.rdx = value;
    else if (argument == 3)
        r.r10 = value;
    else
        r.r8 = value;
    (void)ptrace(PTRACE_SETREGS, pid, NULL, &r);
}

static void
make_no_call(pid_t pid)
{
    struct user_regs_struct r;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &r) < 0)
        return;
    r.orig_rax = (unsigned long long)-1;
    (void)ptrace(PTRACE_SETREGS, pid, NULL, &r);
}

static void
set_result(pid_t pid, int64_t value)
{
    struct user_regs_struct r;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &r) < 0)
        return;
    r.rax = (unsigned long long)value;
    (void)ptrace(PTRACE_SETREGS, pid, NULL, &r);
}
#else
bool
trace_is_supported(void)
{
    return false;
}

static void
set_length(pid_t pid, int argument, uint64_t value)
{
    (void)pid;
    (void)argument;
    (void)value;
}

static void
make_no_call(pid_t pid)
{
    (void)pid;
}

static void
set_result(pid_t pid, int64_t value)
{
    (void)pid;
    (void)value;
}
#endif

static struct task *
task_of(pid_t pid)
{
    for (size_t i = 0; i < run.n; i++)
        if (run.tasks[i].pid == pid)
            return &run.tasks[i];
    if (run.n == MAX_TASKS) {
        fprintf(stderr, "tracer: too many processes\n");
        exit(2);
    }
    run.tasks[run.n] = (struct task){ .pid = pid, .process = run.processes++ };
    return &run.tasks[run.n++];
}

static void
forget(pid_t pid)
{
    for (size_t i = 0; i < run.n; i++)
        if (run.tasks[i].pid == pid)
            run.tasks[i] = run.tasks[--run.n];
}

/* The beginning of a file of /proc about a process, as one line. */
static void
show_file(pid_t pid, const char *name)
{
    char path[64], text[160] = "?";
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    f = fopen(path, "re");
    if (f && !fgets(text, sizeof text, f))
        snprintf(text, sizeof text, "?");
    if (f)
        (void)fclose(f);
    text[strcspn(text, "\n")] = '\0';
    printf(" %s: %s;", name, text);
}

/* For somebody who wants to know what hangs. */
static void
show_tasks(void)
{
    for (size_t i = 0; i < run.n; i++) {
        printf("    : process %d", run.tasks[i].process);
        show_file(run.tasks[i].pid, "stat");
        show_file(run.tasks[i].pid, "syscall");
        printf("\n");
    }
}

static void
kill_all(void)
{
    char path[64];
    FILE *f;
    int child;

    for (size_t i = 0; i < run.n; i++)
        (void)kill(run.tasks[i].pid, SIGKILL);
    /* Untraced, we know only the first one; what it has left is ours, as we are its reaper. */
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    f = fopen(path, "re");
    while (f && fscanf(f, "%d", &child) == 1)
        (void)kill(child, SIGKILL);
    if (f)
        (void)fclose(f);
}

static void
enter(struct task *t, const struct trace_hooks *hooks)
{
    int error = 0;

    size_t kind = find(t->call.nr);

    t->error = 0;
    if (trace_can_fail(t->call.nr))
        t->number++;
    t->call.process = t->process;
    t->call.pid = t->pid;
    t->call.number = t->number;
    t->call.image = t->image;
    t->call.of_kind = kind < MAX_KINDS ? ++t->of_kind[kind] : 0;
    switch (hooks->enter(hooks->data, &t->call, &error)) {
    case LET:
        return;
    case FAIL:
        t->error = error;
        if (t->call.nr != SYS_close) /* the kernel closes it in any case */
            make_no_call(t->pid);
        break;
    case SHORTEN: {
        int argument = calls[find(t->call.nr)].length;

        set_length(t->pid, argument, t->call.args[argument] / 2);
        break;
    }
    case KILL_CALLER:
        (void)kill(t->pid, SIGKILL);
        break;
    case KILL_FIRST:
        (void)kill(run.first, SIGKILL);
        break;
    case KILL_ALL:
        kill_all();
        break;
    }
    run.done = true;
}

static void
on_call(struct task *t, const struct trace_hooks *hooks)
{
    struct ptrace_syscall_info info;

    memset(&info, 0, sizeof info);
    if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof info, &info) <= 0)
        return;
    if (info.op == (run.filtered ? PTRACE_SYSCALL_INFO_SECCOMP : PTRACE_SYSCALL_INFO_ENTRY)) {
        t->inside = true;
        t->call.nr = (long)(run.filtered ? info.seccomp.nr : info.entry.nr);
        memcpy(t->call.args, run.filtered ? info.seccomp.args : info.entry.args, sizeof t->call.args);
        if (!run.done)
            enter(t, hooks);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->inside) {
        t->inside = false;
        if (t->error)
            set_result(t->pid, -t->error);
        t->error = 0;
        t->call.result = info.exit.rval;
        if (hooks->leave && !run.done)
            hooks->leave(hooks->data, &t->call);
    }
}

static void
go_on(struct task *t, int sig)
{
    int how = (run.done || run.filtered) && !t->error ? PTRACE_CONT : PTRACE_SYSCALL;

    (void)ptrace(how, t->pid, NULL, (void *)(uintptr_t)sig);
}

/* One report of waitpid() about a task that has stopped. */
static void
on_stop(pid_t pid, int status, const struct trace_hooks *hooks)
{
    struct task *t = task_of(pid);
    int sig = WSTOPSIG(status), event = status >> 16;

    if (sig == (SIGTRAP | 0x80) || event == PTRACE_EVENT_SECCOMP) {
        on_call(t, hooks);
        sig = 0;
    } else if (event) {
        unsigned long child = 0;

        if (event == PTRACE_EVENT_EXEC) {
            t->image++;
            memset(t->of_kind, 0, sizeof t->of_kind);
        } else if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child) == 0 && child) {
            (void)task_of((pid_t)child);
        }
        t = task_of(pid);
        sig = 0;
    } else if (sig == SIGSTOP || sig == SIGTRAP) {
        sig = 0; /* how a traced process begins */
    }
    go_on(t, sig);
}

/* Lets the kernel pass all other calls without a stop, in this process and those that it starts. */
static bool
pick_calls(long nr)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof code / sizeof code[0], code };

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/* Whether the kernel has such filters, and we may use them. */
static bool
can_pick_calls(void)
{
    static int can = -1;
    int status;
    pid_t pid;

    if (can < 0) {
        pid = fork();
        if (pid == 0)
            _exit(pick_calls(SYS_openat) ? 0 : 1);
        can = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return can;
}

static pid_t
start(const char *const *argv, const char *output, bool traced, const long *only)
{
    pid_t pid = fork();

    if (pid == 0) {
        int null = open("/dev/null", O_RDONLY);
        int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        (void)setsid();
        if (null < 0 || out < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
            _exit(126);
        (void)close(null);
        (void)close(out);
        if (only && !pick_calls(*only))
            _exit(126);
        if (traced) {
            (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
            (void)raise(SIGSTOP);
        }
        (void)execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    return pid;
}

static void
on_alarm(int sig)
{
    (void)sig;
}

static void
set_alarm(unsigned seconds)
{
    struct sigaction action = { .sa_handler = on_alarm };
    struct itimerval timer = { .it_value.tv_sec = seconds, .it_interval.tv_usec = 200000 * !!seconds };

    (void)sigaction(SIGALRM, &action, NULL); /* without SA_RESTART: waitpid() ends with EINTR */
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

int
trace_run(const char *const *argv, const char *output, const struct trace_hooks *hooks, unsigned seconds,
          struct trace_end *end)
{
    int options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
                  | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
    int status;
    pid_t pid;

    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    memset(&run, 0, sizeof run);
    *end = (struct trace_end){ .status = -1 };
    run.filtered = hooks && hooks->only && can_pick_calls();
    run.first = start(argv, output, hooks, run.filtered ? hooks->only : NULL);
    if (run.first < 0)
        return -1;
    set_alarm(seconds);
    if (hooks) {
        if (waitpid(run.first, &status, __WALL) < 0 || !WIFSTOPPED(status)
            || ptrace(PTRACE_SETOPTIONS, run.first, NULL, (void *)(uintptr_t)options) < 0)
            return -1;
        go_on(task_of(run.first), 0);
    } else {
        (void)task_of(run.first);
    }
    while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (pid < 0) {
            if (!end->timed_out)
                show_tasks();
            end->timed_out = true;
            kill_all();
            (void)kill(-run.first, SIGKILL);
        } else if (WIFSTOPPED(status)) {
            if (hooks)
                on_stop(pid, status, hooks);
        } else {
            if (pid == run.first)
                end->status = status;
            forget(pid);
        }
    }
    set_alarm(0);
    return 0;
}
