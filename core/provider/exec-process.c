/* SPDX-License-Identifier: Apache-2.0 */
/* exec-process - commands of providers, whoever starts them: this process, or its broker. */
#include "config.h"

#include "provider/exec-process.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wait.h"
#include "provider/exec-child.h"
#include "provider/exec-wire.h"

#include <rhost/exec.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

static int broker = -1;
static void (*broker_lost)(void);

void
rh_exec_use_broker(int channel, void (*lost)(void))
{
    broker = channel;
    broker_lost = lost;
}

/* All of it, the descriptors with the first byte. */
static void
send_all(char *bytes, size_t n, const int *fds, size_t n_fds)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(RH_ASK_FDS * sizeof(int))];
    } control = { .bytes = { 0 } };

    while (n) {
        struct iovec part = { .iov_base = bytes, .iov_len = n };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
        ssize_t sent;

        if (n_fds) {
            message.msg_control = control.bytes;
            message.msg_controllen = CMSG_SPACE(n_fds * sizeof *fds);
            control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(n_fds * sizeof *fds),
                                              .cmsg_level = SOL_SOCKET,
                                              .cmsg_type = SCM_RIGHTS };
            memcpy(CMSG_DATA(&control.align), fds, n_fds * sizeof *fds);
        }
        sent = sendmsg(broker, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            broker_lost();
        n_fds = 0;
        bytes += sent;
        n -= (size_t)sent;
    }
}

static void
receive_all(void *to, size_t n)
{
    char *at = to;

    while (n) {
        ssize_t got = recv(broker, at, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            broker_lost();
        at += got;
        n -= (size_t)got;
    }
}

/* The text, when there is one, is the caller's. */
static struct rh_ask_answer
ask(const struct rh_buf *request, const int *fds, size_t n_fds, char **text)
{
    struct rh_ask_answer answer;
    char *words;

    send_all(request->s, request->n, fds, n_fds);
    receive_all(&answer, sizeof answer);
    if (answer.n > RH_ASK_LONGEST_TEXT)
        broker_lost();
    words = rh_xalloc((size_t)answer.n + 1);
    receive_all(words, answer.n);
    if (text)
        *text = words;
    else
        free(words);
    return answer;
}

static struct rh_ask_answer
ask_numbers(enum rh_ask type, const struct rh_ask_numbers *numbers, const int *fds, size_t n_fds)
{
    const struct rh_ask_head head = { .n = sizeof *numbers, .type = type };
    rh_autobuf struct rh_buf request = { 0 };

    rh_buf_addn(&request, &head, sizeof head);
    rh_buf_addn(&request, numbers, sizeof *numbers);
    return ask(&request, fds, n_fds, NULL);
}

static const char *
shown_program(const struct rhost_command *c)
{
    return !c->argv || !c->argv[0] ? "" : c->secret_args && c->secret_args[0] ? "[redacted]" : c->argv[0];
}

static int
prepare(const struct rhost_command *command, struct rh_error *err)
{
    struct rh_ask_head head = { .type = RH_ASK_PREPARE };
    rh_autobuf struct rh_buf request = { 0 };
    rh_autofree char *why = NULL;
    struct rh_ask_answer answer;

    rh_buf_addn(&request, &head, sizeof head);
    rh_ask_put_command(&request, command);
    if (request.n - sizeof head > RH_ASK_LARGEST) {
        explicit_bzero(request.s, request.n);
        why = rh_printf("cannot execute '%s': %s", shown_program(command), strerror(E2BIG));
        return rh_error_set_code(err, RH_ESYSTEM, 0, "%s", why);
    }
    head.n = (uint32_t)(request.n - sizeof head);
    memcpy(request.s, &head, sizeof head);
    answer = ask(&request, NULL, 0, &why);
    explicit_bzero(request.s, request.n); /* arguments and environment may have secrets in them */
    return answer.result < 0 ? rh_error_set_code(err, RH_ESYSTEM, 0, "%s", why) : 0;
}

int
rh_exec_prepare(const struct rhost_command *command, struct rh_arena *arena, struct rh_exec_plan *plan,
                struct rh_error *err)
{
    return broker < 0 ? rh_exec_plan(command, arena, plan, err) : prepare(command, err);
}

pid_t
rh_exec_launch(const struct rh_exec_plan *plan)
{
    const int all[RH_ASK_FDS] = {
        [RH_ASK_IN] = plan->in,
        [RH_ASK_OUT] = plan->out,
        [RH_ASK_ERR] = plan->err,
        [RH_ASK_REPORT] = plan->report,
        [RH_ASK_HEAR_OUT] = plan->hear_out,
        [RH_ASK_HEAR_ERR] = plan->hear_err,
    };
    struct rh_ask_numbers numbers = { .second = plan->bound };
    struct rh_ask_answer answer;
    int fds[RH_ASK_FDS];
    size_t n = 0;

    if (broker < 0)
        return rh_exec_start(plan);
    for (unsigned i = 0; i < RH_ASK_FDS; i++)
        if (all[i] >= 0) {
            fds[n++] = all[i];
            numbers.first |= 1U << i;
        }
    answer = ask_numbers(RH_ASK_START, &numbers, fds, n);
    errno = answer.number;
    return answer.result;
}

bool
rh_exec_end(pid_t keeper, int grace)
{
    const struct rh_ask_numbers numbers = { (uint32_t)keeper, (uint32_t)grace };

    if (broker < 0)
        return rh_exec_end_tree(keeper, grace);
    return ask_numbers(RH_ASK_END, &numbers, NULL, 0).result == 1;
}

void
rh_exec_kill(pid_t keeper)
{
    if (broker < 0)
        (void)kill(keeper, SIGKILL);
    else
        (void)ask_numbers(RH_ASK_KILL, &(struct rh_ask_numbers){ .first = (uint32_t)keeper }, NULL, 0);
}

void
rh_exec_wait(pid_t keeper)
{
    if (broker < 0)
        (void)rh_wait_child(keeper, NULL);
    else
        (void)ask_numbers(RH_ASK_WAIT, &(struct rh_ask_numbers){ .first = (uint32_t)keeper }, NULL, 0);
}
