/* SPDX-License-Identifier: Apache-2.0 */
/* exec-broker - starts commands for a worker that must not start them itself. */
#include "config.h"

#include "provider/exec-broker.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wait.h"
#include "provider/exec-wire.h"

#include <rhost/exec.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_KEEPERS = 1024, MOST_GRACE = 60000, CHUNK = 16 << 10 };

struct rh_broker {
    int channel;
    const struct rh_broker_host *host;
    struct rh_buf in; /* of the request that is not there in whole */
    int fds[RH_ASK_FDS];
    size_t n_fds;
    struct rh_arena *arena; /* of the command that was prepared */
    struct rh_exec_plan plan;
    char *shown; /* NULL: none was prepared */
    pid_t keepers[MOST_KEEPERS];
    size_t n_keepers;
    pid_t awaited; /* 0: none */
    const char *wrong;
    int failure; /* an errno; 0: the request is invalid */
};

struct rh_broker *
rh_broker_new(int channel, const struct rh_broker_host *host)
{
    struct rh_broker *b = rh_xalloc(sizeof *b);

    b->channel = channel;
    b->host = host;
    b->arena = rh_arena_new(NULL);
    rh_arena_keep_secret(b->arena); /* which of the arguments are secret, only the worker knows */
    return b;
}

static void
close_descriptors(struct rh_broker *b)
{
    while (b->n_fds)
        (void)close(b->fds[--b->n_fds]);
}

static void
forget_command(struct rh_broker *b)
{
    rh_arena_reset(b->arena);
    free(rh_take(&b->shown));
    b->plan = (struct rh_exec_plan){ 0 };
}

void
rh_broker_free(struct rh_broker *b)
{
    if (!b)
        return;
    close_descriptors(b);
    forget_command(b);
    rh_arena_free(b->arena);
    rh_buf_clear(&b->in);
    free(b);
}

/* A call of the broker itself has failed, with errno. The worker waits for an answer that it can't get. */
static void
fails(struct rh_broker *b, const char *what)
{
    b->failure = errno;
    b->wrong = what;
}

/* A worker asks one thing at a time and takes the answer, so there is room for it. */
static bool
answer(struct rh_broker *b, int32_t result, int number, const char *text)
{
    size_t n = strnlen(text, RH_ASK_LONGEST_TEXT);
    const struct rh_ask_answer head = { .n = (uint32_t)n, .result = result, .number = number };
    rh_autobuf struct rh_buf out = { 0 };
    ssize_t sent;

    rh_buf_addn(&out, &head, sizeof head);
    rh_buf_addn(&out, text, n);
    while ((sent = send(b->channel, out.s, out.n, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno == EINTR)
        continue;
    if (sent == (ssize_t)out.n || (sent < 0 && (errno == EPIPE || errno == ECONNRESET)))
        return true; /* who is gone needs no answer */
    if (sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK)
        b->wrong = "it does not take its answers";
    else
        fails(b, "it cannot be answered");
    return false;
}

/* Leaves the programs that it may be; false when there are none. */
static bool
restrict_candidates(struct rh_broker *b)
{
    size_t n = 0;
    char *const *from = b->plan.candidates;
    char **allowed;

    while (from[n])
        n++;
    allowed = rh_arena_alloc(b->arena, (n + 1) * sizeof *allowed);
    n = 0;
    for (; *from; from++)
        if (rh_exec_allows(&b->host->rules, *from))
            allowed[n++] = *from;
    b->plan.candidates = allowed;
    return n > 0;
}

static bool
prepare(struct rh_broker *b, const char *payload, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rhost_command command;
    const char *variable;
    char *bytes;

    forget_command(b);
    bytes = rh_arena_alloc(b->arena, n + 1); /* the plan points into it */
    memcpy(bytes, payload, n);
    if (!rh_ask_take_command(bytes, n, b->arena, &command)) {
        b->wrong = "its command cannot be read";
        return false;
    }
    if (rh_exec_plan(&command, b->arena, &b->plan, &err) < 0)
        return answer(b, -1, 0, err.message);
    if (!restrict_candidates(b)) {
        (void)rh_error_set(&err, RH_EPROVIDER, "provider '%s' tried to run '%s', which it does not declare",
                           b->host->provider(b->host->data),
                           command.secret_args[0] ? "[redacted]" : command.argv[0]);
        return answer(b, -1, 0, err.message);
    }
    variable = rh_exec_refused_variable(&b->host->rules, command.env);
    if (variable) {
        (void)rh_error_set(&err, RH_EPROVIDER,
                           "provider '%s' tried to run '%s' with the variable '%.*s', which can make it run "
                           "other code",
                           b->host->provider(b->host->data),
                           command.secret_args[0] ? "[redacted]" : command.argv[0],
                           (int)strcspn(variable, "="), variable);
        return answer(b, -1, 0, err.message);
    }
    b->shown = rh_exec_shown(&command);
    return answer(b, 0, 0, "");
}

/* Puts the descriptors that came where the plan wants them; false when they are not those that were said. */
static bool
place_descriptors(struct rh_broker *b, uint32_t mask)
{
    int *const at[RH_ASK_FDS] = {
        [RH_ASK_IN] = &b->plan.in,
        [RH_ASK_OUT] = &b->plan.out,
        [RH_ASK_ERR] = &b->plan.err,
        [RH_ASK_REPORT] = &b->plan.report,
        [RH_ASK_HEAR_OUT] = &b->plan.hear_out,
        [RH_ASK_HEAR_ERR] = &b->plan.hear_err,
    };
    const uint32_t needed = RH_ASK_NEEDED - 1;
    size_t n = 0;

    if (mask >> RH_ASK_FDS || (mask & needed) != needed || (size_t)__builtin_popcount(mask) != b->n_fds)
        return false;
    for (unsigned i = 0; i < RH_ASK_FDS; i++)
        *at[i] = mask >> i & 1 ? b->fds[n++] : -1;
    return true;
}

static bool
start(struct rh_broker *b, const struct rh_ask_numbers *numbers)
{
    pid_t keeper = -1;
    int why = EAGAIN;
    bool answered;

    if (!b->shown) {
        b->wrong = "it starts a command that was not prepared";
        return false;
    }
    if (!place_descriptors(b, numbers->first) || numbers->second > 1) {
        b->wrong = "the descriptors of its command are not those that it announced";
        return false;
    }
    b->plan.bound = numbers->second;
    b->plan.confine = b->host->confine;
    b->plan.confine_data = b->host->data;
    if (b->n_keepers < MOST_KEEPERS) {
        if (!b->host->record(b->host->data, b->shown)) {
            fails(b, "its command cannot be recorded");
            return false;
        }
        keeper = rh_exec_start(&b->plan);
        why = errno;
    }
    if (keeper > 0) {
        b->keepers[b->n_keepers++] = keeper;
        why = 0;
    }
    close_descriptors(b); /* before the answer: the worker waits for the end of its pipes */
    answered = answer(b, keeper, why, "");
    forget_command(b);
    return answered;
}

static bool
is_keeper(struct rh_broker *b, uint32_t number)
{
    for (size_t i = 0; i < b->n_keepers; i++)
        if (b->keepers[i] == (pid_t)number)
            return true;
    b->wrong = "it names a command that it has not started";
    return false;
}

static bool
handle_numbers(struct rh_broker *b, uint32_t type, const struct rh_ask_numbers *numbers)
{
    if (type == RH_ASK_START)
        return start(b, numbers);
    if (!is_keeper(b, numbers->first))
        return false;
    switch (type) {
    case RH_ASK_END:
        if (numbers->second > MOST_GRACE) {
            b->wrong = "it waits too long for a command to end";
            return false;
        }
        return answer(b,
                      rh_exec_end_tree_watching((pid_t)numbers->first, (int)numbers->second, &b->host->watch),
                      0, "");
    case RH_ASK_KILL:
        (void)kill((pid_t)numbers->first, SIGKILL);
        return answer(b, 0, 0, "");
    default:
        b->awaited = (pid_t)numbers->first;
        return rh_broker_look(b, &b->wrong) == 0;
    }
}

static bool
handle(struct rh_broker *b, uint32_t type, const char *payload, size_t n)
{
    struct rh_ask_numbers numbers;

    if (b->n_fds && type != RH_ASK_START) {
        b->wrong = "it sends descriptors with something else than a command";
        return false;
    }
    if (type == RH_ASK_PREPARE)
        return prepare(b, payload, n);
    if (type < RH_ASK_PREPARE || type > RH_ASK_WAIT || n != sizeof numbers) {
        b->wrong = "its type or its length is unknown";
        return false;
    }
    memcpy(&numbers, payload, sizeof numbers);
    return handle_numbers(b, type, &numbers);
}

/* Keeps the descriptors of a message; false when there are too many of them. */
static bool
take_descriptors(struct rh_broker *b, struct msghdr *message)
{
    bool ok = !(message->msg_flags & MSG_CTRUNC);

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        size_t n = 0;

        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (b->n_fds < RH_ASK_FDS) {
                b->fds[b->n_fds++] = fd;
            } else {
                (void)close(fd);
                ok = false;
            }
        }
    }
    return ok;
}

/* Reads no further than to the end of the request, so that descriptors of the next one do not come with
 * this one. */
static ssize_t
read_some(struct rh_broker *b, size_t wanted)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(RH_ASK_FDS * sizeof(int))];
    } control;
    char chunk[CHUNK];
    struct iovec part = { chunk, wanted < sizeof chunk ? wanted : sizeof chunk };
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    ssize_t got = recvmsg(b->channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return -1;
    if (got < 0) {
        if (errno != ECONNRESET) /* with that the worker is gone */
            fails(b, "it cannot be received");
        return 0;
    }
    if (!take_descriptors(b, &message)) {
        b->wrong = "it sends more descriptors than a command has, or there is no room for them";
        return 0;
    }
    rh_buf_addn(&b->in, chunk, (size_t)got);
    explicit_bzero(chunk, (size_t)got);
    return got;
}

int
rh_broker_serve(struct rh_broker *b, const char **wrong)
{
    struct rh_ask_head head = { 0 };
    size_t wanted = sizeof head;
    ssize_t got = 1;

    while (got > 0 && !b->wrong && !b->awaited) {
        if (b->in.n >= sizeof head) {
            memcpy(&head, b->in.s, sizeof head);
            wanted = sizeof head + head.n;
        }
        if (b->in.n >= sizeof head && head.n > RH_ASK_LARGEST) {
            b->wrong = "it is too long";
        } else if (b->in.n < wanted) {
            got = read_some(b, wanted - b->in.n);
        } else {
            bool good = handle(b, head.type, b->in.s + sizeof head, head.n);

            explicit_bzero(b->in.s, b->in.n);
            rh_buf_truncate(&b->in, 0);
            wanted = sizeof head;
            if (!good)
                break;
        }
    }
    if (b->wrong) {
        *wrong = b->wrong;
        return -1;
    }
    return got != 0;
}

int
rh_broker_failure(const struct rh_broker *b)
{
    return b->failure;
}

bool
rh_broker_is_waiting(const struct rh_broker *b)
{
    return b->awaited > 0;
}

int
rh_broker_look(struct rh_broker *b, const char **wrong)
{
    struct rh_wait failing = { 0 };
    pid_t ended;

    if (!b->awaited)
        return 0;
    /* No second SIGCHLD comes for the same keeper. */
    while ((ended = waitpid(b->awaited, NULL, WNOHANG)) < 0 && rh_wait_again(&failing))
        continue;
    if (ended == 0)
        return 0;
    for (size_t i = 0; i < b->n_keepers; i++)
        if (b->keepers[i] == b->awaited) {
            b->keepers[i] = b->keepers[--b->n_keepers];
            break;
        }
    b->awaited = 0;
    if (answer(b, 0, 0, ""))
        return 0;
    *wrong = b->wrong;
    return -1;
}
