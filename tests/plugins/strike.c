/* SPDX-License-Identifier: Apache-2.0 */
/* strike - the ways to go wrong that any callback has. */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool
fault_is(const char *at, const char *how)
{
    const char *fault = getenv("FAULT");
    size_t n = strlen(at);

    return fault && strncmp(fault, at, n) == 0 && fault[n] == ' ' && strcmp(fault + n + 1, how) == 0;
}

bool
fault_meant(const char *name)
{
    size_t n = name ? strlen(name) : 0;

    return n >= 3 && strcmp(name + n - 3, "bad") == 0;
}

static void
crash(void)
{
    volatile int *volatile nowhere = NULL;

    *nowhere = 1;
}

/* Elsewhere dividing by zero is no fault. */
static int32_t
divide(void)
{
    volatile int seven = 7, zero = 0;

#if defined(__x86_64__) || defined(__i386__)
    return seven / zero;
#else
    return zero == 0 ? raise(SIGFPE) : 0;
#endif
}

static int
overflow(volatile char *above)
{
    volatile char frame[4096];

    frame[0] = (char)(*above + 1);
    return overflow(frame) + frame[0];
}

/* Takes all the memory that it gets, and uses it; then what it was refused. */
static void
exhaust(void)
{
    size_t size = 64 << 20;
    volatile char *p;

    while ((p = malloc(size)))
        for (size_t i = 0; i < size; i += 4096)
            p[i] = 1;
    p[0] = 1;
}

static void
hang(void)
{
    for (;;)
        (void)pause();
}

static void
spin(void)
{
    volatile unsigned n = 0;

    for (;;)
        n++;
}

/* Gives everything it has allocated, and the host has, other content. */
static void
scribble(rhost_ctx *ctx)
{
    volatile char *p = ctx->host->alloc(ctx, 64);

    for (int i = 0; i < 1 << 30; i++)
        p[i] = 'x';
}

static void
flood(void)
{
    static const char text[] = "all work and no play makes jack a dull boy\n";

    for (;;)
        if (write(1, text, sizeof text - 1) < 0)
            return;
}

static void
talk(rhost_ctx *ctx, bool on_and_on)
{
    char text[1024];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 10 << 10 || on_and_on; i++)
        rhost_info(ctx, "%s", text);
}

static void
garbage(int fd)
{
    unsigned char bytes[4096];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 167 + 200);
    (void)!write(fd, bytes, sizeof bytes);
}

/* Frames that ask the host about its catalog (core/plugin/message.h): with nothing in them, or so
 * many at once that nobody can have waited for the answers. */
static void
ask(unsigned n, bool empty)
{
    static const unsigned char bytes[] = "\x12\0\0\0\x08\0\0\0\x04\0\0\0file\0\1\3\0\0\0a/b";
    const uint32_t nothing[] = { 0, 8 };

    for (unsigned i = 0; i < n; i++)
        (void)!write(3, empty ? (const void *)nothing : bytes, empty ? sizeof nothing : sizeof bytes);
}

/* One frame that says it will be silent for seven weeks. */
static void
be_busy(void)
{
    const uint32_t frame[] = { 4, 5, UINT32_MAX };

    (void)!write(3, frame, sizeof frame);
    hang();
}

/* The socket that leads to the broker: the other one is the host's. */
static int
broker_socket(void)
{
    struct stat st;

    for (int fd = 4; fd < 64; fd++)
        if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
            return fd;
    return -1;
}

/* Has the broker run true(1), as rhost itself would ask it to (core/provider/exec-wire.h), but without a word
 * to rhost. Waits for both answers. */
static void
ask_broker(void)
{
    static const unsigned char prepare[] = "\x29\0\0\0\x01\0\0\0"
                                           "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\x01\0\0\0\x04\0\0\0true\0\0"
                                           "\0\0\0\0\0\0"
                                           "\0\0\0\0\0\0\0\0";
    static const unsigned char start[] = "\x08\0\0\0\x02\0\0\0\x0f\0\0\0\0\0\0";
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } control = { .bytes = { 0 } };
    const int fds[] = { 0, 1, 1, open("/dev/null", O_WRONLY | O_CLOEXEC) };
    struct iovec part = { (void *)(uintptr_t)start, sizeof start };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    int fd = broker_socket();
    char answer[12];

    control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fds),
                                      .cmsg_level = SOL_SOCKET,
                                      .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(&control.align), fds, sizeof fds);
    (void)!send(fd, prepare, sizeof prepare, 0);
    (void)!recv(fd, answer, sizeof answer, MSG_WAITALL);
    (void)!sendmsg(fd, &message, 0);
    (void)!recv(fd, answer, sizeof answer, MSG_WAITALL);
    (void)close(fds[3]);
}

/* Cuts off the memory that it shares with the host; where that can't be had, all is as it was. */
static void
shrink(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], path[600];
    int fd;

    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "memfd:rhost-worker"))
            continue;
        (void)snprintf(path, sizeof path, "/proc/self/map_files/%.*s", (int)strcspn(line, " "), line);
        fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0 || ftruncate(fd, 0) == 0 || errno != EPERM)
            (void)fprintf(stderr, "the memory was %s\n", fd < 0 ? "not reached" : "cut off");
        else
            (void)fprintf(stderr, "the memory is sealed\n");
        if (fd >= 0)
            (void)close(fd);
    }
    if (maps)
        (void)fclose(maps);
}

static void
leak(void)
{
    for (int i = 0; i < 5; i++)
        (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* A child that outlives what it was started for, with all that its parent has open. */
static void
leave_child(void)
{
    if (fork() == 0) {
        (void)sleep(60);
        _exit(0);
    }
}

static void
print_something(void)
{
    (void)printf("hello on stdout\n");
    (void)fflush(stdout);
    (void)fprintf(stderr, "hello on stderr\n");
}

static void
be_rude(const char *at)
{
    if (fault_is(at, "leak"))
        leak();
    if (fault_is(at, "child"))
        leave_child();
    if (fault_is(at, "umask"))
        (void)umask(0);
    if (fault_is(at, "directory"))
        (void)!chdir("/tmp");
    if (fault_is(at, "print"))
        print_something();
    if (fault_is(at, "shrink"))
        shrink();
    if (fault_is(at, "descriptor") && fcntl(77, F_GETFD) >= 0)
        (void)fprintf(stderr, "descriptor 77 is open\n");
    if (fault_is(at, "environment"))
        (void)fprintf(stderr, "the token is '%s'\n", getenv("TOKEN") ? getenv("TOKEN") : "");
    if (fault_is(at, "parent"))
        (void)kill(getppid(), 0);
}

static void
perish(const char *at)
{
    volatile int32_t result = 0;

    if (fault_is(at, "crash"))
        crash();
    if (fault_is(at, "abort"))
        abort();
    if (fault_is(at, "stack"))
        (void)overflow((volatile char *)at);
    if (fault_is(at, "divide"))
        result += divide();
    if (fault_is(at, "kill"))
        (void)raise(SIGKILL);
    if (fault_is(at, "exit"))
        exit(3);
    if (fault_is(at, "quick exit"))
        _exit(0);
    if (fault_is(at, "hang"))
        hang();
    if (fault_is(at, "busy"))
        be_busy();
    if (fault_is(at, "spin"))
        spin();
    if (fault_is(at, "memory"))
        exhaust();
    if (fault_is(at, "flood"))
        flood();
    if (fault_is(at, "garbage"))
        garbage(3);
    if (fault_is(at, "broker garbage")) {
        garbage(broker_socket());
        hang();
    }
    if (fault_is(at, "broker command"))
        ask_broker();
    if (fault_is(at, "empty question"))
        ask(1, true);
    if (fault_is(at, "many questions"))
        ask(1000, false);
    if (fault_is(at, "close channel"))
        (void)close(3);
    if (fault_is(at, "close channel and hang")) {
        (void)close(3);
        hang();
    }
    if (fault_is(at, "child and crash")) {
        leave_child();
        crash();
    }
}

/* What a handle must not be used for: after its call, and on another thread. */
static rhost_ctx *handle_before;

static void *
log_elsewhere(void *ctx)
{
    rhost_notice(ctx, "from another thread");
    return NULL;
}

static void *
read_elsewhere(void *value)
{
    return (void *)(intptr_t)rhost_count(value);
}

static void
on_a_thread(void *(*fn)(void *), void *data)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, fn, data) == 0)
        (void)pthread_join(thread, NULL);
}

static void
misuse_handles(rhost_ctx *ctx, const char *at)
{
    static rhost_ctx own;

    if (fault_is(at, "old handle") && handle_before)
        rhost_notice(handle_before, "what was loaded");
    if (fault_is(at, "own handle")) {
        own = *ctx;
        rhost_notice(&own, "a copy");
    }
    if (fault_is(at, "thread"))
        on_a_thread(log_elsewhere, ctx);
    if (fault_is(at, "value on a thread"))
        on_a_thread(read_elsewhere, ctx->host->new_hash(ctx));
    handle_before = ctx;
}

/* Work that takes longer than the host waits for a sign of life (1 s), and says so. */
static int32_t
take_long(rhost_ctx *ctx, const char *at)
{
    struct timespec tick = { .tv_nsec = 100000000 };

    if (fault_is(at, "announced")) {
        rhost_busy(ctx, 5, "waiting for the lock");
        for (int i = 0; i < 25; i++)
            (void)nanosleep(&tick, NULL);
    }
    for (int i = 0; fault_is(at, "counted") && i < 25; i++) {
        rhost_progress(ctx, NULL, (uint64_t)i, 25, "files");
        (void)nanosleep(&tick, NULL);
    }
    for (int i = 0; fault_is(at, "counted often") && i < 3000000; i++)
        rhost_progress(ctx, NULL, (uint64_t)i, 0, NULL);
    if (fault_is(at, "deadline")) {
        rhost_notice(ctx, "%.0f s left", rhost_deadline(ctx));
        rhost_busy(ctx, 30, "waiting");
        rhost_notice(ctx, "%.0f s left after busy()", rhost_deadline(ctx));
    }
    if (fault_is(at, "until stopped")) {
        rhost_notice(ctx, "begun");
        for (uint64_t i = 0; i < 200 && !rhost_stopping(ctx); i++) {
            rhost_progress(ctx, NULL, i, 200, NULL);
            (void)nanosleep(&tick, NULL);
        }
        return rhost_fail(ctx, rhost_stopping(ctx) ? "stopped by request" : "never stopped");
    }
    return FAULT_NONE;
}

int32_t
fault_strike(rhost_ctx *ctx, const char *at)
{
    perish(at);
    be_rude(at);
    if (fault_is(at, "silent"))
        return -1;
    if (fault_is(at, "seven"))
        return 7;
    if (fault_is(at, "one"))
        return 1;
    if (!ctx)
        return FAULT_NONE;
    if (fault_is(at, "scribble"))
        scribble(ctx);
    if (fault_is(at, "talk"))
        talk(ctx, false);
    if (fault_is(at, "chatter"))
        talk(ctx, true);
    if (fault_is(at, "alloc"))
        for (;;)
            (void)ctx->host->alloc(ctx, 64 << 20);
    if (fault_is(at, "fail"))
        return rhost_fail(ctx, "it was told to fail");
    if (fault_is(at, "fail and go on"))
        (void)rhost_fail(ctx, "it was told to fail, and went on");
    if (fault_is(at, "put without key"))
        ctx->host->put_integer(ctx->host->new_hash(ctx), NULL, 1);
    if (fault_is(at, "put with key"))
        rhost_put_int(ctx->host->put_array(ctx->host->new_hash(ctx), "list"), "key", 1);
    if (fault_is(at, "copy nothing") && rhost_strdup(ctx, NULL))
        return rhost_fail(ctx, "there was something");
    misuse_handles(ctx, at);
    if (take_long(ctx, at) < 0)
        return -1;
    if (fault_is(at, "ugly"))
        return rhost_fail(ctx, "red \033[31m bell \a line\nend \xff\xfe");
    return FAULT_NONE;
}
