/* SPDX-License-Identifier: Apache-2.0 */
/* test-attempts - what core/sandbox keeps a hostile process from: each attempt in a process of its own, with
 * each mechanism of the kernel and without it. With the argument "table" it prints the rows of
 * docs/security/confinement.md. */
#include "config.h"

#include "attempts.h"

#include "sandbox/confinement.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { NOBODY = 65534, KILLED = 200, NOT_CONFINED = 255 };

static struct scene scene;
static int network = -1;

/* How a process is confined. */
struct way {
    bool root, confined;
    struct rh_mechanisms m;
};

static void
make_file(const char *directory, const char *name)
{
    char path[160];
    rh_autoclose int fd = -1;

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "text\n", 5), 5);
    assert_int_equal(fchmod(fd, 0755), 0);
}

static void
remove_entry(const char *directory, const char *name)
{
    char path[160];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    if (unlink(path) < 0)
        (void)rmdir(path);
}

/* As it was before the first attempt. */
static void
reset_scene(bool root)
{
    const char *const names[] = { scene.inside, scene.readable, scene.outside };
    char moved[80], path[160];

    (void)snprintf(moved, sizeof moved, "%s/moved", scene.top);
    if (rename(moved, scene.inside) < 0)
        assert_int_equal(errno, ENOENT);
    for (size_t i = 0; i < 3; i++) {
        remove_entry(names[i], "new");
        remove_entry(names[i], "file");
        make_file(names[i], "file");
        (void)snprintf(path, sizeof path, "%s/file", names[i]);
        if (!root) {
            assert_int_equal(chown(names[i], NOBODY, NOBODY), 0);
            assert_int_equal(chown(path, NOBODY, NOBODY), 0);
        } else {
            assert_int_equal(chown(names[i], geteuid(), getegid()), 0);
        }
    }
    (void)snprintf(path, sizeof path, "%s/directory", scene.outside);
    if (mkdir(path, 0755) < 0)
        assert_int_equal(errno, EEXIST);
}

static int
listen_at(int family, const void *address, socklen_t n)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)address, n), 0);
    assert_int_equal(listen(fd, 4096), 0);
    return fd;
}

static int
make_scene(void **state)
{
    struct sockaddr_in ip = { .sin_family = AF_INET };
    struct sockaddr_un path = { .sun_family = AF_UNIX }, abstract = { .sun_family = AF_UNIX };
    socklen_t n = sizeof ip;
    int fd;

    (void)state;
    (void)snprintf(scene.top, sizeof scene.top, "/tmp/rhost-attempts-XXXXXX");
    assert_non_null(mkdtemp(scene.top));
    assert_int_equal(chmod(scene.top, 0755), 0);
    (void)snprintf(scene.inside, sizeof scene.inside, "%s/inside", scene.top);
    (void)snprintf(scene.readable, sizeof scene.readable, "%s/readable", scene.top);
    (void)snprintf(scene.outside, sizeof scene.outside, "%s/outside", scene.top);
    (void)snprintf(scene.socket, sizeof scene.socket, "%s/socket", scene.outside);
    (void)snprintf(scene.abstract, sizeof scene.abstract, "rhost-attempts-%ld", (long)getpid());
    assert_int_equal(mkdir(scene.inside, 0755), 0);
    assert_int_equal(mkdir(scene.readable, 0755), 0);
    assert_int_equal(mkdir(scene.outside, 0755), 0);
    ip.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = listen_at(AF_INET, &ip, sizeof ip);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&ip, &n), 0);
    scene.port = ntohs(ip.sin_port);
    memcpy(path.sun_path, scene.socket, strlen(scene.socket) + 1);
    (void)listen_at(AF_UNIX, &path, sizeof path);
    assert_int_equal(chmod(scene.socket, 0777), 0);
    memcpy(abstract.sun_path + 1, scene.abstract, strlen(scene.abstract));
    (void)listen_at(AF_UNIX, &abstract,
                    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(scene.abstract)));
    scene.victim = -1;
    if (geteuid() == 0) {
        rh_autoerror struct rh_error err = { 0 };

        network = rh_empty_network(&err);
        if (network < 0)
            print_message("%s\n", err.message);
    }
    return 0;
}

static int
remove_scene(void **state)
{
    const char *const names[] = { scene.inside, scene.readable, scene.outside };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        remove_entry(names[i], "new");
        remove_entry(names[i], "file");
        remove_entry(names[i], "directory");
        remove_entry(names[i], "socket");
        remove_entry(names[i], "private");
        (void)rmdir(names[i]);
    }
    return rmdir(scene.top);
}

static void
become_nobody(void)
{
    if (geteuid() != 0)
        return; /* the tests run as a user */
    if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0
        || setresuid(NOBODY, NOBODY, NOBODY) < 0)
        _exit(NOT_CONFINED);
}

/* A process to be attacked, of the same user and in a group of its own. */
static pid_t
start_victim(bool root)
{
    int ready[2];
    pid_t pid;
    char c;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!root)
            become_nobody();
        (void)prctl(PR_SET_DUMPABLE, 1); /* changing the user took it away */
        if (setpgid(0, 0) < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &c, 1), 1);
    (void)close(ready[0]);
    return pid;
}

static void
end_victim(void)
{
    assert_int_equal(kill(scene.victim, SIGKILL), 0);
    assert_int_equal(waitpid(scene.victim, NULL, 0), scene.victim);
}

/* What a provider of a few files has. */
static struct rh_confinement *
typical(const struct way *w)
{
    struct rh_confinement *c = rh_confinement_new();
    rh_autoerror struct rh_error err = { 0 };

    rh_confinement_runtime(c);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_WRITE, scene.inside, &err), 0);
    assert_int_equal(rh_confinement_path(c, RH_ACCESS_READ, scene.readable, &err), 0);
    rh_confinement_network(c, network);
    rh_confinement_assume(c, &w->m);
    assert_int_equal(rh_confinement_prepare(c, &err), 0);
    return c;
}

/* Runs `run(data)` in a process that is confined so, and gives its result, or KILLED and the signal. */
static int
in_process(const struct way *w, struct rh_confinement *c, int (*run)(const void *data), const void *data)
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        rh_autoerror struct rh_error err = { 0 };

        if (!w->root)
            become_nobody();
        if (w->confined && rh_confine(c, &err) < 0) {
            (void)fprintf(stderr, "%s\n", err.message);
            _exit(NOT_CONFINED);
        }
        _exit(run(data));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int
run_attempt(const void *data)
{
    const struct attempt *const *a = data;
    int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (silent >= 0)
        (void)dup2(silent, STDOUT_FILENO);
    errno = 0;
    return (*a)->run(&scene);
}

static int
try(const struct way *w, const struct attempt *a)
{
    struct rh_confinement *c = typical(w);
    int got;

    reset_scene(w->root || geteuid() != 0);
    got = in_process(w, c, run_attempt, &a);
    rh_confinement_free(c);
    return got;
}

static bool
is_refused(const struct way *w, const struct attempt *a)
{
    unsigned first = a->by & BY_LANDLOCK;
    bool old = w->m.landlock < 6;

    return (first && w->m.landlock >= (int)first) || ((a->by & BY_SECCOMP) && w->m.seccomp)
           || ((a->by & BY_OLD_SECCOMP) && old && w->m.seccomp) || ((a->by & BY_CAPABILITIES) && w->root)
           || ((a->by & BY_VIEW) && w->m.namespaces && w->root)
           || ((a->by & BY_NETWORK) && w->m.namespaces && w->root);
}

static bool
is_refusal(int why)
{
    return why == EPERM || why == EACCES || why == EROFS || why == EXDEV || why == ENOSYS
           || why == ECONNREFUSED || why == ENETUNREACH;
}

static struct rh_mechanisms
all_mechanisms(void)
{
    struct rh_mechanisms m;

    rh_mechanisms_read(&m);
    return m;
}

/* Each attempt that one of these mechanisms refuses fails; returns how many were wrong. */
static int
check_way(const struct way *w)
{
    int wrong = 0;

    scene.victim = start_victim(w->root);
    for (size_t i = 0; i < n_attempts; i++) {
        int got = try(w, &attempts[i]);

        if (got == NOT_CONFINED || (is_refused(w, &attempts[i]) && !is_refusal(got))) {
            print_message("as %s, Landlock %d%s%s: %s: %s\n", w->root ? "root" : "a user", w->m.landlock,
                          w->m.seccomp ? ", seccomp" : "", w->m.namespaces ? ", namespaces" : "",
                          attempts[i].name, got < 133 ? strerror(got) : "did not return");
            wrong++;
        }
    }
    end_victim();
    return wrong;
}

static void
need_root(void)
{
    if (geteuid() != 0)
        skip();
}

static void
attempts_work_without_confinement(void **state)
{
    struct way w = { .root = true };
    int wrong = 0;

    (void)state;
    need_root();
    scene.victim = start_victim(true);
    for (size_t i = 0; i < n_attempts; i++) {
        int got = try(&w, &attempts[i]);

        if (attempts[i].before != ANY && got != attempts[i].before) {
            print_message("%s: %s\n", attempts[i].name, strerror(got));
            wrong++;
        }
    }
    end_victim();
    assert_int_equal(wrong, 0);
}

static void
all_attempts_are_refused_with_all_mechanisms(void **state)
{
    struct way w = { .root = true, .confined = true, .m = all_mechanisms() };
    int wrong = 0;

    (void)state;
    need_root();
    if (w.m.landlock < 7 || !w.m.seccomp || !w.m.namespaces) {
        print_message("this machine has Landlock %d%s%s\n", w.m.landlock, w.m.seccomp ? ", seccomp" : "",
                      w.m.namespaces ? ", namespaces" : "");
        skip();
    }
    scene.victim = start_victim(true);
    for (size_t i = 0; i < n_attempts; i++) {
        int got = try(&w, &attempts[i]);

        if (got != attempts[i].after) {
            print_message("%s: %s (%d)\n", attempts[i].name, strerror(got), got);
            wrong++;
        }
    }
    end_victim();
    assert_int_equal(wrong, 0);
}

static void
older_kernels_refuse_what_they_can(void **state)
{
    int wrong = 0;

    (void)state;
    for (int landlock = 0; landlock <= all_mechanisms().landlock; landlock++) {
        struct way w = { .root = geteuid() == 0, .confined = true, .m = all_mechanisms() };

        w.m.landlock = landlock;
        wrong += check_way(&w);
    }
    assert_int_equal(wrong, 0);
}

static void
a_user_is_confined_without_namespaces(void **state)
{
    int wrong = 0;

    (void)state;
    need_root();
    for (int landlock = 0; landlock <= all_mechanisms().landlock; landlock++) {
        struct way w = { .confined = true, .m = all_mechanisms() };

        w.m.namespaces = false;
        w.m.landlock = landlock;
        wrong += check_way(&w);
    }
    assert_int_equal(wrong, 0);
}

static void
each_mechanism_works_alone(void **state)
{
    int wrong = 0;

    (void)state;
    need_root();
    for (unsigned i = 0; i < 4; i++) {
        struct way w = { .root = true, .confined = true, .m = all_mechanisms() };

        w.m.landlock = i == 0 ? w.m.landlock : 0;
        w.m.seccomp = w.m.seccomp && i == 1;
        w.m.namespaces = i == 2;
        wrong += check_way(&w);
    }
    assert_int_equal(wrong, 0);
}

static const char *
outcome(int got)
{
    static const struct {
        int number;
        const char *name;
    } names[] = { { 0, "works" },        { ANY, "depends" },   { EPERM, "EPERM" },   { EACCES, "EACCES" },
                  { EROFS, "EROFS" },    { EXDEV, "EXDEV" },   { ENOSYS, "ENOSYS" }, { EINVAL, "EINVAL" },
                  { ENOENT, "ENOENT" },  { ENOTTY, "ENOTTY" }, { EBADF, "EBADF" },   { ESRCH, "ESRCH" },
                  { ENOEXEC, "ENOEXEC" } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == got)
            return names[i].name;
    return strerror(got);
}

/* The row of an attempt in the table of docs/security/confinement.md; the caller's. */
static char *
row_of(const struct attempt *a)
{
    static const char *const names[] = { "seccomp", "capabilities", "view", "network", "seccomp before 6" };
    rh_autobuf struct rh_buf b = { 0 };
    const char *comma = "";

    rh_buf_addf(&b, "| %s | %s | %s | ", a->name, outcome(a->before), outcome(a->after));
    if (a->by & BY_LANDLOCK) {
        rh_buf_addf(&b, "Landlock %u", a->by & BY_LANDLOCK);
        comma = ", ";
    }
    for (unsigned n = 0; n < 5; n++)
        if (a->by & (unsigned)BY_SECCOMP << n) {
            rh_buf_addf(&b, "%s%s", comma, names[n]);
            comma = ", ";
        }
    rh_buf_add(&b, " |\n");
    return rh_buf_take(&b);
}

static void
the_page_has_each_attempt(void **state)
{
    rh_autoerror struct rh_error err = { 0 };
    size_t n;
    rh_autofree char *page = rh_read_file(SRCDIR "/docs/security/confinement.md", 0, &n, &err);

    (void)state;
    assert_non_null(page);
    for (size_t i = 0; i < n_attempts; i++) {
        rh_autofree char *row = row_of(&attempts[i]);

        if (!strstr(page, row))
            fail_msg("docs/security/confinement.md lacks this row: %s", row);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_work_without_confinement),
        cmocka_unit_test(all_attempts_are_refused_with_all_mechanisms),
        cmocka_unit_test(older_kernels_refuse_what_they_can),
        cmocka_unit_test(a_user_is_confined_without_namespaces),
        cmocka_unit_test(each_mechanism_works_alone),
        cmocka_unit_test(the_page_has_each_attempt),
    };

    if (argc == 2 && strcmp(argv[1], "table") == 0) {
        for (size_t i = 0; i < n_attempts; i++) {
            rh_autofree char *row = row_of(&attempts[i]);

            (void)fputs(row, stdout);
        }
        return 0;
    }
    return cmocka_run_group_tests(tests, make_scene, remove_scene);
}
