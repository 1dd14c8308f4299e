/* SPDX-License-Identifier: Apache-2.0 */
/* receive - puts reports into the folder of the collector. Who sent one is answered after it is on disk. */
#include "config.h"

#include "broker/broker.h"

#include "broker/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TICK = 500 /* ms */,
    FIRST_PAUSE = 500,
    LONGEST_PAUSE = 8000,
    FLUSH = 1000,
    REMIND = 60000,
    LONGEST_NAME = 250,
    LARGEST = 16 << 20,
    PENDING = 4096,
    PENDING_BYTES = 64 << 20
};

static volatile sig_atomic_t stopping;

static void
note(int signal)
{
    (void)signal;
    stopping = 1;
}

/* As the collector has it: letters, digits, '.', '_' and '-', and no dot first. */
static bool
is_name(const char *name)
{
    static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
    size_t n = strlen(name);

    return n && n <= LONGEST_NAME && *name != '.' && strspn(name, characters) == n;
}

/* The directory of the host, which is made where it is missing; -1 with errno. */
static int
open_host(int top, const char *host)
{
    bool made = mkdirat(top, host, 0770) == 0;

    if (!made && errno != EEXIST)
        return -1;
    if (made && fsync(top) < 0)
        return -1;
    return openat(top, host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool
write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

/* It has its name when it is whole and on disk. */
static bool
put(int host, const char *run, const char *text, size_t n)
{
    char beside[LONGEST_NAME + 16], name[LONGEST_NAME + 16];
    int fd;
    bool good;

    (void)snprintf(beside, sizeof beside, ".%s.new", run);
    (void)snprintf(name, sizeof name, "%s.json", run);
    (void)unlinkat(host, beside, 0);
    fd = openat(host, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0660);
    if (fd < 0)
        return false;
    good = write_all(fd, text, n) && fsync(fd) == 0;
    good = close(fd) == 0 && good && renameat(host, beside, host, name) == 0 && fsync(host) == 0;
    if (!good)
        (void)unlinkat(host, beside, 0);
    return good;
}

/* NULL: it is on disk; else why it is not taken; "" where the sender shall try again. */
static const char *
take(int top, natsMsg *m)
{
    const char *subject = natsMsg_GetSubject(m), *host = subject + strlen(RH_BROKER_REPORT), *run = NULL;
    int n = natsMsg_GetDataLength(m), fd;
    bool done;

    if (!is_name(host))
        return "the subject has no name of a host";
    if (natsMsgHeader_Get(m, RH_BROKER_RUN, &run) != NATS_OK || !is_name(run))
        return "it has no id of a run";
    if (n <= 0 || n > LARGEST)
        return "it is empty, or too large";
    fd = open_host(top, host);
    done = fd >= 0 && put(fd, run, natsMsg_GetData(m), (size_t)n);
    if (!done)
        (void)fprintf(stderr, "rhost-nats: cannot keep a report of '%s': %s\n", host, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return done ? NULL : "";
}

static natsStatus
answer(natsConnection *c, natsMsg *m, const char *why)
{
    char text[200];
    const char *reply = natsMsg_GetReply(m);

    if (!reply || (why && !*why))
        return NATS_OK;
    (void)snprintf(text, sizeof text, "%s%s", why ? "-" : "+OK", why ? why : "");
    return natsConnection_PublishString(c, reply, text);
}

/* Until the connection is lost, or a signal comes. Several may do it: each report goes to one of them. */
static natsStatus
receive(natsConnection *c, int top)
{
    natsSubscription *sub = NULL;
    natsStatus s = natsConnection_QueueSubscribeSync(&sub, c, RH_BROKER_REPORT ">", "rhost-collect");

    if (s == NATS_OK)
        s = natsSubscription_SetPendingLimits(sub, PENDING, PENDING_BYTES);
    while (!stopping && (s == NATS_OK || s == NATS_TIMEOUT || s == NATS_SLOW_CONSUMER)) {
        natsMsg *m = NULL;

        s = natsSubscription_NextMsg(&m, sub, TICK);
        if (s == NATS_OK)
            s = answer(c, m, take(top, m));
        natsMsg_Destroy(m);
        if (s == NATS_TIMEOUT && natsConnection_IsClosed(c))
            s = NATS_CONNECTION_CLOSED;
    }
    if (stopping)
        (void)natsConnection_FlushTimeout(c, FLUSH);
    natsSubscription_Destroy(sub);
    return s;
}

int
rh_broker_receive(const struct rh_broker_address *b, const char *directory)
{
    struct sigaction action = { .sa_handler = note };
    int top = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int64_t said = 0;
    int pause = FIRST_PAUSE;

    if (top < 0) {
        (void)fprintf(stderr, "rhost-nats: cannot open the directory '%s': %s\n", directory, strerror(errno));
        return -1;
    }
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    while (!stopping) {
        const char *why = NULL;
        natsConnection *c = rh_connection_open(b, &why);
        natsStatus s = c ? receive(c, top) : NATS_ERR;

        rh_connection_close(c);
        pause = c ? FIRST_PAUSE : pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
        if (!stopping && nats_Now() - said > REMIND) {
            (void)fprintf(stderr, "rhost-nats: the broker '%s' is away: %s; it is tried again\n", b->url,
                          c ? natsStatus_GetText(s) : why);
            said = nats_Now();
        }
        if (!stopping)
            (void)poll(NULL, 0, pause);
    }
    (void)close(top);
    return 0;
}
