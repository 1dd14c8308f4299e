/* SPDX-License-Identifier: Apache-2.0 */
/* use - which system calls are uses of the machine, and of what. */
#include "config.h"

#include "check/use.h"

#if HAVE_SECCOMP

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"
#include "check/exchange.h"
#include "check/use-calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* What is asked about now. */
struct asking {
    const struct seccomp_notif *asked;
    const struct rh_use_call *call;
    pid_t main;
    rh_use_fn *use;
    void *data;
    int failure;      /* what it answered, once that was not 0 */
    int64_t received; /* of that, bytes that it receives; -1: none */
};

static pid_t
asker_of(const struct asking *a)
{
    return (pid_t)a->asked->pid;
}

static size_t
copy_memory(const struct asking *a, uint64_t from, void *to, size_t n)
{
    return rh_exchange_read(asker_of(a), from, to, n);
}

/* A text in its memory; false: there is none, or it is no path. A page at a time, as the next may not be
 * there. */
static bool
copy_path(const struct asking *a, uint64_t from, char path[PATH_MAX])
{
    enum { PAGE = 4096 };
    size_t n = 0;

    while (from && n < PATH_MAX - 1) {
        size_t part = PAGE - (size_t)((from + n) % PAGE);
        size_t got = copy_memory(a, from + n, path + n, part < PATH_MAX - 1 - n ? part : PATH_MAX - 1 - n);

        if (!got)
            return false;
        if (memchr(path + n, '\0', got))
            return true;
        n += got;
    }
    return false;
}

/* Where a link of a process in /proc leads: "cwd", "exe" or "fd/N". */
static bool
read_link(char to[PATH_MAX], pid_t pid, const char *what)
{
    char link[64];
    ssize_t n;

    (void)snprintf(link, sizeof link, "/proc/%d/%s", (int)pid, what);
    n = readlink(link, to, PATH_MAX - 1);
    if (n <= 0)
        return false;
    to[n] = '\0';
    return *to == '/';
}

static bool
read_descriptor(char to[PATH_MAX], pid_t pid, int fd)
{
    char what[32];

    (void)snprintf(what, sizeof what, "fd/%d", fd);
    return read_link(to, pid, what);
}

static bool
directory_of(const struct asking *a, char to[PATH_MAX])
{
    int fd = a->call->directory < 0 ? AT_FDCWD : (int)a->asked->data.args[a->call->directory];

    return fd == AT_FDCWD ? read_link(to, asker_of(a), "cwd") : read_descriptor(to, asker_of(a), fd);
}

/* The file that a path means, by its directory as the kernel has it; the caller's. NULL: it can't be told. */
static char *
whole_path(const struct asking *a, const char *path)
{
    char directory[PATH_MAX], real[PATH_MAX];
    rh_autofree char *whole = NULL, *above = NULL;
    char *slash;

    if (strncmp(path, "/proc/self/fd/", 14) == 0)
        return read_link(directory, asker_of(a), path + 11) ? rh_xstrdup(directory) : NULL;
    if (strncmp(path, "/proc/self/", 11) == 0 || strncmp(path, "/proc/thread-self/", 18) == 0)
        return NULL; /* its own */
    if (*path == '/')
        whole = rh_xstrdup(path);
    else if (directory_of(a, directory))
        whole = *path ? rh_printf("%s/%s", directory, path) : rh_xstrdup(directory);
    if (!whole)
        return NULL;
    for (size_t n = strlen(whole); n > 1 && whole[n - 1] == '/'; n--)
        whole[n - 1] = '\0';
    slash = strrchr(whole, '/');
    if (strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0)
        return realpath(whole, real) ? rh_xstrdup(real) : NULL;
    above = rh_xstrndup(whole, slash == whole ? 1 : (size_t)(slash - whole));
    if (!realpath(above, real))
        return NULL;
    return rh_printf("%s%s", strcmp(real, "/") == 0 ? "" : real, slash);
}

static void
ask(struct asking *a, enum rh_check_use use, const char *value)
{
    int failure = a->use(a->data, use, value);

    if (!a->failure)
        a->failure = failure;
}

static void
note_path(struct asking *a, enum rh_check_use use, const char *path)
{
    rh_autofree char *whole = whole_path(a, path);
    struct stat st;

    /* What has no name is in memory, or was noted when it was opened. */
    if (whole && !strstr(whole, " (deleted)") && (use == RH_USE_WRITE || stat(whole, &st) == 0))
        ask(a, use, whole);
}

static void
note_open(struct asking *a, const char *path, uint64_t flags)
{
    if (flags & O_PATH)
        return; /* which the kernel lets anybody do */
    note_path(a, flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY ? RH_USE_WRITE : RH_USE_READ,
              path);
}

/* An address in its memory. What a C library tries by itself, and does without, is not there as a rule. */
static void
note_connection(struct asking *a)
{
    union {
        struct sockaddr any;
        struct sockaddr_un local;
        struct sockaddr_in ip4;
        struct sockaddr_in6 ip6;
        char bytes[sizeof(struct sockaddr_un) + 1];
    } to = { 0 };
    uint64_t n = a->asked->data.args[2];
    struct stat st;
    char text[32];

    if (copy_memory(a, a->asked->data.args[1], &to,
                    n < sizeof(struct sockaddr_un) ? n : sizeof(struct sockaddr_un))
        < sizeof(sa_family_t))
        return;
    if (to.any.sa_family == AF_UNIX) {
        rh_autofree char *opened = /* a socket that it has opened, and reaches by its descriptor */
            strncmp(to.local.sun_path, "/proc/self/fd/", 14) == 0 ? whole_path(a, to.local.sun_path) : NULL;
        const char *path = opened ? opened : to.local.sun_path;

        if (*path == '/' && stat(path, &st) == 0)
            ask(a, RH_USE_SOCKET, path);
    } else if (to.any.sa_family == AF_INET || to.any.sa_family == AF_INET6) {
        unsigned port = ntohs(to.any.sa_family == AF_INET ? to.ip4.sin_port : to.ip6.sin6_port);
        rh_autoclose int fd = rh_exchange_socket(a->asked);
        int type = SOCK_STREAM;
        socklen_t size = sizeof type;

        if (fd >= 0)
            (void)getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size);
        (void)snprintf(text, sizeof text, "%s:%u", type == SOCK_DGRAM ? "udp" : "tcp", port);
        if (port)
            ask(a, RH_USE_NETWORK, text);
    }
}

/* After a failure, a connection is none any more. */
static void
note_exchange(struct asking *a)
{
    bool receives = a->call->how == RH_CALL_RECEIVES;

    ask(a, receives ? RH_USE_RECEIVE : RH_USE_SEND, "a socket");
    if (a->failure < 0 && receives)
        a->received = rh_exchange_receive(a->asked, strcmp(a->call->name, "recvmsg") == 0, a->failure);
    if (a->failure < 0 && a->received < 0)
        a->failure = ECONNRESET;
    if (a->failure > 0)
        rh_exchange_break(a->asked);
}

/* What is done to an open file or socket, or to the machine. */
static void
note_descriptor(struct asking *a, int fd)
{
    char path[PATH_MAX];

    if (a->call->how == RH_CALL_CHANGES)
        ask(a, RH_USE_CHANGE, a->call->name);
    else if (a->call->how == RH_CALL_SOCKETS)
        ask(a, RH_USE_NEW_SOCKET, "a socket");
    else if (a->call->how == RH_CALL_SENDS || a->call->how == RH_CALL_RECEIVES)
        note_exchange(a);
    else if (read_descriptor(path, asker_of(a), fd) && strncmp(path, "/dev/", 5) != 0
             && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/memfd:", 7) != 0)
        ask(a, a->call->how == RH_CALL_LOCKS ? RH_USE_LOCK : RH_USE_DATA, path);
}

static void
note_call(struct asking *a)
{
    const __u64 *args = a->asked->data.args;
    char path[PATH_MAX];
    uint64_t flags = 0;

    if (a->call->how == RH_CALL_CONNECTS) {
        note_connection(a);
        return;
    }
    if (a->call->how >= RH_CALL_WRITES_DATA) {
        note_descriptor(a, (int)args[a->call->path < 0 ? 0 : a->call->path]);
        return;
    }
    if (a->call->how == RH_CALL_WRITES_FILE || (a->call->how == RH_CALL_WRITES && !args[a->call->path])) {
        if (read_descriptor(path, asker_of(a), (int)args[0]))
            note_path(a, RH_USE_WRITE, path);
        return;
    }
    if (!copy_path(a, args[a->call->path], path))
        return;
    switch (a->call->how) {
    case RH_CALL_OPENS:
        note_open(a, path, args[a->call->path + 1]);
        break;
    case RH_CALL_OPENS_HOW:
        if (copy_memory(a, args[a->call->path + 1], &flags, sizeof flags) == sizeof flags)
            note_open(a, path, flags);
        break;
    case RH_CALL_RUNS:
        note_path(a, RH_USE_RUN, path);
        break;
    default:
        note_path(a, RH_USE_WRITE, path);
    }
}

/* Whether it is a thread of the process that is supervised. */
static bool
is_main(const struct asking *a)
{
    char task[64];

    if (asker_of(a) == a->main)
        return true;
    (void)snprintf(task, sizeof task, "/proc/%d/task/%d", a->main, asker_of(a));
    return access(task, F_OK) == 0;
}

/* Whether it is a copy of that process that is going to start a program. */
static bool
is_copy(const struct asking *a)
{
    char its[PATH_MAX], ours[PATH_MAX];

    return read_link(its, asker_of(a), "exe") && read_link(ours, a->main, "exe") && strcmp(its, ours) == 0;
}

int
rh_use_note(const struct seccomp_notif *asked, pid_t main, rh_use_fn *use, void *data, int64_t *received)
{
    struct asking a = { .asked = asked, .main = main, .use = use, .data = data, .received = -1 };

    for (size_t i = 0; (a.call = rh_use_call(i)); i++) {
        if (asked->data.nr != a.call->number)
            continue;
        if (a.call->how == RH_CALL_RUNS ? is_main(&a) || is_copy(&a) : is_main(&a))
            note_call(&a);
    }
    *received = a.received;
    return a.failure > 0 ? a.failure : 0;
}

#endif
