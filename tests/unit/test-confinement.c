/* SPDX-License-Identifier: Apache-2.0 */
/* test-confinement - plans of core/sandbox: what they say, what they cover, and that a confined process can
 * do what its plan permits. What it can't do is in test-attempts. */
#include "config.h"

#include "sandbox/confinement.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cmocka.h>

static char top[] = "/tmp/rhost-confinement-XXXXXX";
static char inside[64];

static int
setup(void **state)
{
    (void)state;
    if (!mkdtemp(top))
        return -1;
    (void)snprintf(inside, sizeof inside, "%s/inside", top);
    return mkdir(inside, 0755);
}

static int
teardown(void **state)
{
    (void)state;
    (void)rmdir(inside);
    return rmdir(top);
}

static const char *
below(const char *name)
{
    static char path[4][128];
    static unsigned turn;

    turn = (turn + 1) % 4;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", inside, name);
    return path[turn];
}

static struct rh_confinement *
plan(void)
{
    struct rh_confinement *c = rh_confinement_new();

    rh_confinement_runtime(c);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_WRITE, inside, NULL), 0);
    return c;
}

static void
need(bool condition, const char *what)
{
    if (condition)
        return;
    print_message("skipped: this machine has no %s\n", what);
    skip();
}

static struct rh_mechanisms
machine(void)
{
    struct rh_mechanisms m;

    rh_mechanisms_read(&m);
    return m;
}

/* The result of `run` in a process that is confined so; 200 and more: it was killed. */
static int
confined(struct rh_confinement *c, int (*run)(struct rh_confinement *c))
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        rh_autoerror struct rh_error err = { 0 };

        if (rh_confine(c, &err) < 0) {
            (void)fprintf(stderr, "%s\n", err.message);
            _exit(199);
        }
        errno = 0;
        _exit(run(c));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? 200 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void *
nothing(void *data)
{
    return data;
}

#define STEP(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            (void)fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, strerror(errno));               \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static int
works(struct rh_confinement *c)
{
    int fd = open(below("a"), O_RDWR | O_CREAT, 0600), pair[2], status;
    pthread_t thread;
    struct rlimit limit;
    struct stat st;
    pid_t pid;

    (void)c;
    STEP(fd >= 0 && write(fd, "x", 1) == 1 && ftruncate(fd, 0) == 0 && fchmod(fd, 0640) == 0);
    STEP(rename(below("a"), below("b")) == 0 && mkdir(below("d"), 0700) == 0);
    STEP(machine().landlock < 2 || rename(below("b"), below("d/b")) == 0 || errno == EXDEV);
    (void)unlink(below("b"));
    (void)unlink(below("d/b"));
    STEP(rmdir(below("d")) == 0 && symlink("x", below("l")) == 0 && unlink(below("l")) == 0);
    STEP(mkfifo(below("f"), 0600) == 0 && unlink(below("f")) == 0);
    STEP(open("/dev/null", O_WRONLY) >= 0 && open("/dev/urandom", O_RDONLY) >= 0);
    STEP(open("/proc/self/status", O_RDONLY) >= 0);
    STEP(stat("/etc/shadow", &st) == 0 && getpwuid(0) != NULL);
    STEP(dlopen("libm.so.6", RTLD_NOW) != NULL);
    STEP(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    STEP(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0 && send(pair[0], "x", 1, 0) == 1);
    STEP(ioctl(pair[0], FIONREAD, &status) == 0);
    STEP(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
    STEP(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max == 0);
    STEP(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max == 99);
    STEP(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    STEP(signal(SIGUSR1, SIG_IGN) != SIG_ERR && raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0);
    pid = fork();
    if (pid == 0)
        _exit(3);
    STEP(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
    abort();
}

static void
what_is_declared_works_on_each_kernel(void **state)
{
    (void)state;
    for (int landlock = 0; landlock <= machine().landlock; landlock++) {
        rh_autoconfinement struct rh_confinement *c = plan();
        struct rh_mechanisms m = machine();

        m.landlock = landlock;
        rh_confinement_assume(c, &m);
        rh_confinement_limit(c, RLIMIT_NOFILE, 99);
        assert_int_equal(confined(c, works), 200 + SIGABRT);
    }
}

static int
result(long returned)
{
    return returned < 0 ? errno : 0;
}

#define CALL(name, expression)                                                                               \
    static int name(struct rh_confinement *c)                                                                \
    {                                                                                                        \
        (void)c;                                                                                             \
        return result(expression);                                                                           \
    }
CALL(make_tmpfs, mount("none", inside, "tmpfs", 0, NULL) < 0 ? -1 : umount2(inside, 0))
CALL(run_true, execl("/bin/true", "true", (char *)NULL))
CALL(local_socket, socket(AF_UNIX, SOCK_DGRAM, 0))
CALL(inet_stream, socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP))
CALL(inet_datagram, socket(AF_INET, SOCK_DGRAM, 0))
CALL(inet6_datagram, socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP))
CALL(inet_multipath, socket(AF_INET, SOCK_STREAM, 262))
CALL(inet_icmp, socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP))
CALL(netlink_socket, socket(AF_NETLINK, SOCK_RAW, 0))
CALL(packet_socket, socket(AF_PACKET, SOCK_RAW, 0))
CALL(clock_back, clock_settime(CLOCK_REALTIME, &(struct timespec){ .tv_sec = -1 }))
CALL(name_host, syscall(SYS_sethostname, "", -1))
CALL(set_id, open(below("s"), O_RDWR | O_CREAT, 04755) < 0 ? -1 : unlink(below("s")))
CALL(signal_parent, kill(getppid(), SIGCONT))
CALL(see_tmp, open("/tmp", O_RDONLY | O_DIRECTORY))

static void
what_is_permitted_works_and_is_refused_otherwise(void **state)
{
    static const struct {
        unsigned permission;
        int (*run)(struct rh_confinement *c);
        int with, without;
        const char *capability;
    } table[] = {
        { RH_PERMIT_MOUNT, make_tmpfs, 0, EPERM, "sys_admin" },
        { RH_PERMIT_EXECUTE, run_true, 0, EPERM, NULL },
        { RH_PERMIT_UNIX, local_socket, 0, EPERM, NULL },
        { RH_PERMIT_NETWORK, inet_stream, 0, EPERM, NULL },
        { RH_PERMIT_NETWORK, inet6_datagram, 0, EPERM, NULL },
        { RH_PERMIT_UDP, inet_datagram, 0, EPERM, NULL },
        { RH_PERMIT_UDP, inet6_datagram, 0, EPERM, NULL },
        { RH_PERMIT_UDP, inet_stream, EPERM, EPERM, NULL },
        { RH_PERMIT_UDP, inet_icmp, EPERM, EPERM, NULL },
        { RH_PERMIT_UDP | RH_PERMIT_UNIX, netlink_socket, EPERM, EPERM, NULL },
        { RH_PERMIT_NETLINK, netlink_socket, 0, EPERM, NULL },
        { RH_PERMIT_NETLINK, inet_stream, EPERM, EPERM, NULL },
        { RH_PERMIT_PACKET, packet_socket, 0, EPERM, "net_raw" },
        { RH_PERMIT_CLOCK, clock_back, EINVAL, EPERM, "sys_time" },
        { RH_PERMIT_HOSTNAME, name_host, EINVAL, EPERM, "sys_admin" },
        { RH_PERMIT_SETID, set_id, 0, EPERM, NULL },
        { RH_PERMIT_SIGNAL, signal_parent, 0, EPERM, NULL },
        { RH_PERMIT_NETWORK | RH_PERMIT_UNIX | RH_PERMIT_EXECUTE, signal_parent, EPERM, EPERM, NULL },
    };

    (void)state;
    need(geteuid() == 0, "root");
    need(machine().landlock >= 4 && machine().seccomp, "Landlock 4 and seccomp");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int landlock = 4; landlock <= machine().landlock; landlock++) {
            rh_autoconfinement struct rh_confinement *with = plan(), *without = plan();
            struct rh_mechanisms m = machine();

            m.landlock = landlock;
            rh_confinement_assume(with, &m);
            rh_confinement_assume(without, &m);
            rh_confinement_permit(with, table[i].permission);
            assert_int_equal(rh_confinement_path(with, RH_ACCESS_READ | RH_ACCESS_EXECUTE, "/bin/true", NULL),
                             0);
            if (table[i].capability)
                assert_int_equal(rh_confinement_capability(with, table[i].capability, NULL), 0);
            if (confined(with, table[i].run) != table[i].with)
                fail_msg("row %zu, Landlock %d: with", i, landlock);
            if (confined(without, table[i].run) != table[i].without)
                fail_msg("row %zu, Landlock %d: without", i, landlock);
            if (landlock == 4)
                landlock = 5; /* before and after version 6 */
        }
    }
}

static unsigned short ports[2];

static int
connect_port(struct rh_confinement *c, unsigned short port, int flags)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    (void)c;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (flags)
        return result(sendto(fd, "x", 1, flags, (struct sockaddr *)&to, sizeof to));
    return result(connect(fd, (struct sockaddr *)&to, sizeof to));
}

static int
first_port(struct rh_confinement *c)
{
    return connect_port(c, ports[0], 0);
}

static int
second_port(struct rh_confinement *c)
{
    return connect_port(c, ports[1], 0);
}

static int
second_port_fast(struct rh_confinement *c)
{
    return connect_port(c, ports[1], 0x20000000);
}

static int
bind_any(struct rh_confinement *c)
{
    struct sockaddr_in at = { .sin_family = AF_INET };

    (void)c;
    return result(bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at));
}

static void
a_port_is_all_that_can_be_connected_to(void **state)
{
    rh_autoconfinement struct rh_confinement *c = plan();
    int fds[2];

    (void)state;
    need(machine().landlock >= 4 && machine().seccomp, "Landlock 4 and seccomp");
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in ip = { .sin_family = AF_INET };
        socklen_t n = sizeof ip;

        ip.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(fds[i], (struct sockaddr *)&ip, sizeof ip), 0);
        assert_int_equal(listen(fds[i], 8), 0);
        assert_int_equal(getsockname(fds[i], (struct sockaddr *)&ip, &n), 0);
        ports[i] = ntohs(ip.sin_port);
    }
    assert_int_equal(rh_confinement_tcp(c, false, ports[0], NULL), 0);
    assert_int_equal(confined(c, first_port), 0);
    assert_int_equal(confined(c, second_port), EACCES);
    assert_int_equal(confined(c, second_port_fast), EPERM);
    assert_int_equal(confined(c, bind_any), EACCES);
    assert_int_equal(confined(c, inet_multipath), EPERM);
    assert_int_equal(confined(c, inet_datagram), EPERM);
    rh_confinement_permit(c, RH_PERMIT_UDP);
    assert_int_equal(confined(c, inet_datagram), 0);
    assert_int_equal(confined(c, second_port), EACCES);
    rh_confinement_permit(c, RH_PERMIT_NETWORK);
    assert_int_equal(confined(c, second_port), 0);
    assert_int_equal(confined(c, bind_any), 0);
    (void)close(fds[0]);
    (void)close(fds[1]);
}

enum { MANY = 300 };

static int
makes_last(struct rh_confinement *c)
{
    char path[32];
    struct rlimit limit;

    (void)c;
    STEP(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 20 && limit.rlim_max == 20);
    (void)snprintf(path, sizeof path, "%d/file", MANY - 1);
    STEP(open(below(path), O_WRONLY | O_CREAT, 0600) >= 0 && unlink(below(path)) == 0);
    return 0;
}

static void
a_plan_can_have_more_paths_than_descriptors(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();
    struct rlimit limit, low;
    char name[16];

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = limit;
    low.rlim_cur = 100;
    need(limit.rlim_max > 3 * MANY, "descriptors");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        assert_int_equal(mkdir(below(name), 0755), 0);
        assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_WRITE, below(name), NULL), 0);
    }
    rh_confinement_limit(c, RLIMIT_NOFILE, 20);
    assert_int_equal(confined(c, makes_last), 0);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "%d", i);
        assert_int_equal(rmdir(below(name)), 0);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* A path that does not exist yet. */
static int
make_missing(struct rh_confinement *c)
{
    STEP(rh_confinement_pending(c, 0) && strcmp(rh_confinement_pending(c, 0), below("new/deep")) == 0);
    STEP(rh_confinement_pending(c, 1) && strcmp(rh_confinement_pending(c, 1), below("absent")) == 0);
    STEP(!rh_confinement_pending(c, 2));
    STEP(open(below("file"), O_WRONLY | O_CREAT, 0600) < 0 && errno == EACCES);
    STEP(mkdir(below("new"), 0755) == 0 && mkdir(below("new/deep"), 0755) == 0);
    STEP(open(below("new/deep/file"), O_WRONLY | O_CREAT, 0600) < 0 && errno == EACCES);
    return 0;
}

static int
use_missing(struct rh_confinement *c)
{
    STEP(rh_confinement_pending(c, 0) && strcmp(rh_confinement_pending(c, 0), below("absent")) == 0);
    STEP(open(below("new/deep/file"), O_WRONLY | O_CREAT, 0600) >= 0 && unlink(below("new/deep/file")) == 0);
    return 0;
}

static void
a_missing_directory_can_be_made_and_then_used(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();

    (void)state;
    need(machine().landlock >= 1, "Landlock");
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_WRITE, below("new/deep"), NULL), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, below("absent"), NULL), 0);
    assert_int_equal(confined(c, make_missing), 0);
    assert_int_equal(confined(c, use_missing), 0);
    assert_int_equal(rmdir(below("new/deep")), 0);
    assert_int_equal(rmdir(below("new")), 0);
}

/* "CapBnd" and the like of /proc/self/status. */
static unsigned long long
status_of(const char *name)
{
    rh_autofclose FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    size_t n = strlen(name);

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, n) == 0 && line[n] == ':')
            return strtoull(line + n + 1, NULL, 16);
    return ~0ULL;
}

static int
has_chown_alone(struct rh_confinement *c)
{
    (void)c;
    STEP(status_of("CapPrm") == 1 && status_of("CapEff") == 1 && status_of("CapBnd") == 1);
    STEP(status_of("CapInh") == 0 && status_of("CapAmb") == 0);
    STEP(prctl(PR_GET_SECUREBITS) == 0xe3); /* no root, no ambient, locked with keep-caps */
    return 0;
}

static int
gives_chown_to_programs(struct rh_confinement *c)
{
    (void)c;
    STEP(status_of("CapAmb") == 1 && status_of("CapInh") == 1);
    return result(execl("/bin/grep", "grep", "-qE", "^CapEff:.0*1$", "/proc/self/status", (char *)NULL));
}

static int
runs_without_capabilities(struct rh_confinement *c)
{
    (void)c;
    return result(execl("/bin/grep", "grep", "-qE", "^CapEff:.0*$", "/proc/self/status", (char *)NULL));
}

static void
only_declared_capabilities_are_left(void **state)
{
    rh_autoconfinement struct rh_confinement *c = plan(), *none = plan();

    (void)state;
    need(geteuid() == 0, "root");
    assert_int_equal(rh_confinement_capability(c, "chown", NULL), 0);
    assert_int_equal(confined(c, has_chown_alone), 0);
    rh_confinement_permit(c, RH_PERMIT_EXECUTE);
    rh_confinement_permit(none, RH_PERMIT_EXECUTE);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_EXECUTE, "/bin/grep", NULL), 0);
    assert_int_equal(rh_confinement_path(none, RH_ACCESS_READ | RH_ACCESS_EXECUTE, "/bin/grep", NULL), 0);
    /* A program has a /proc/self of its own. */
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, "/proc", NULL), 0);
    assert_int_equal(rh_confinement_path(none, RH_ACCESS_READ, "/proc", NULL), 0);
    assert_int_equal(confined(c, gives_chown_to_programs), 0);
    assert_int_equal(confined(none, runs_without_capabilities), 0);
}

CALL(recent, syscall(451, -1, NULL, NULL, 0))

static void
calls_newer_than_the_filter_are_unknown(void **state)
{
    rh_autoconfinement struct rh_confinement *c = plan();
    struct rh_mechanisms m = machine();

    (void)state;
    need(m.seccomp, "seccomp");
    if (syscall(451, -1, NULL, NULL, 0) == 0 || errno == ENOSYS)
        skip(); /* cachestat(2) */
    assert_int_not_equal(confined(c, recent), ENOSYS);
    m.newest_call = 450;
    rh_confinement_assume(c, &m);
    assert_int_equal(confined(c, recent), ENOSYS);
}

static char foreign[] = "/tmp/rhost-foreign-XXXXXX";

static int
has_own_tmp(struct rh_confinement *c)
{
    char own[] = "/tmp/own-XXXXXX";
    int fd = mkstemp(own);

    STEP(fd >= 0 && write(fd, "x", 1) == 1 && unlink(own) == 0);
    STEP(access(foreign, F_OK) < 0 && errno == ENOENT);
    STEP(rh_confinement_covers(c, RH_ACCESS_WRITE, "/tmp/x"));
    return 0;
}

static int
sees_foreign(struct rh_confinement *c)
{
    (void)c;
    STEP(access(foreign, F_OK) == 0);
    return 0;
}

static void
tmp_is_private_unless_it_is_declared(void **state)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new(), *seen = rh_confinement_new();
    rh_autoconfinement struct rh_confinement *above = rh_confinement_new();
    int fd;

    (void)state;
    need(machine().namespaces, "namespaces");
    fd = mkstemp(foreign);
    assert_true(fd >= 0);
    (void)close(fd);
    rh_confinement_runtime(c);
    assert_int_equal(confined(c, has_own_tmp), 0);
    assert_int_equal(confined(c, see_tmp), 0);
    rh_confinement_permit(seen, RH_PERMIT_TMP);
    assert_int_equal(confined(seen, see_tmp), machine().landlock ? EACCES : 0);
    assert_int_equal(rh_confinement_path(seen, RH_ACCESS_READ, "/tmp", NULL), 0);
    assert_int_equal(confined(seen, see_tmp), 0);
    assert_int_equal(rh_confinement_path(above, RH_ACCESS_READ, "/", NULL), 0);
    assert_int_equal(confined(above, sees_foreign), 0); /* what it covers is not hidden */
    assert_int_equal(unlink(foreign), 0);
}

/* A mount that another process makes while this one is confined. */
static int waits[2], tells[2];

static int
sees_mount(struct rh_confinement *c)
{
    char x;

    (void)c;
    STEP(write(tells[1], "x", 1) == 1 && read(waits[0], &x, 1) == 1);
    return result(open(below("under/mounted"), O_WRONLY | O_CREAT, 0600));
}

static int
mount_meanwhile(void)
{
    struct rh_confinement *c = plan();
    int status;
    char x;
    pid_t pid;

    STEP(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    STEP(mount("none", top, "tmpfs", 0, NULL) == 0 && mount(NULL, top, NULL, MS_SHARED, NULL) == 0);
    STEP(mkdir(inside, 0755) == 0 && mkdir(below("under"), 0755) == 0);
    pid = fork();
    if (pid == 0)
        _exit(rh_confine(c, NULL) < 0 ? 199 : sees_mount(c));
    STEP(read(tells[0], &x, 1) == 1 && mount("none", below("under"), "tmpfs", 0, NULL) == 0);
    STEP(write(waits[1], "x", 1) == 1 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 0);
    return access(below("under/mounted"), F_OK) < 0;
}

static void
a_mount_of_the_machine_is_seen(void **state)
{
    pid_t pid;
    int status;

    (void)state;
    need(machine().namespaces, "namespaces");
    assert_int_equal(pipe2(waits, O_CLOEXEC), 0);
    assert_int_equal(pipe2(tells, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0)
        _exit(mount_meanwhile());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_declared_works_on_each_kernel),
        cmocka_unit_test(what_is_permitted_works_and_is_refused_otherwise),
        cmocka_unit_test(a_port_is_all_that_can_be_connected_to),
        cmocka_unit_test(a_missing_directory_can_be_made_and_then_used),
        cmocka_unit_test(a_plan_can_have_more_paths_than_descriptors),
        cmocka_unit_test(only_declared_capabilities_are_left),
        cmocka_unit_test(calls_newer_than_the_filter_are_unknown),
        cmocka_unit_test(tmp_is_private_unless_it_is_declared),
        cmocka_unit_test(a_mount_of_the_machine_is_seen),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
