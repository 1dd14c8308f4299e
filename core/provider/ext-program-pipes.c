/* SPDX-License-Identifier: Apache-2.0 */
/* ext-program-pipes - what goes through the pipes of a program to talk with: lines to it, lines from it, and
 * what it prints on its standard error. */
#include "config.h"

#include "provider/ext-program.h"

#include "base/clock.h"
#include "base/wait.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    LINGER = 50,             /* milliseconds for the output of a program that has ended */
    LONGEST_LINGER = 1000,   /* and goes on to write, as what it has started may */
    LONGEST_WORDS = 4 << 10, /* a line of its standard error */
    LAST_WORDS = 1000,       /* of that, in a message about its end */
};

int rh_program_descriptors;

int64_t
rh_program_now(void)
{
    return (int64_t)(rh_now() * 1000);
}

void
rh_program_close(int *fd)
{
    rh_program_descriptors -= *fd >= 0;
    rh_exec_close(fd);
}

/* A line of its standard error. */
static void
log_words(rhost_ctx *ctx, struct rhost_program *p)
{
    const char *text = rh_buf_text(&p->words);
    size_t over;

    if (!p->words.n)
        return;
    if (ctx) {
        ctx->host->log(ctx, RHOST_INFO, NULL, 0, text);
        /* While it is whole: of a secret that is cut below, less is recognized later. */
        text = rh_outgoing_text(rh_call_of(ctx)->rt, rh_call_of(ctx)->arena, text, SIZE_MAX, false);
    }
    rh_buf_add(&p->last, p->last.n ? "; " : "");
    rh_buf_add_safe(&p->last, text, strlen(text), false);
    over = p->last.n > LAST_WORDS ? p->last.n - LAST_WORDS : 0;
    while (over && over < p->last.n && ((unsigned char)p->last.s[over] & 0xc0) == 0x80)
        over++; /* not in the middle of a character */
    if (over) {
        memmove(p->last.s, p->last.s + over, p->last.n - over);
        rh_buf_truncate(&p->last, p->last.n - over);
    }
    rh_buf_truncate(&p->words, 0);
}

static void
read_words(rhost_ctx *ctx, struct rhost_program *p)
{
    char chunk[4096];
    ssize_t got = read(p->err, chunk, sizeof chunk);

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        rh_program_close(&p->err);
        log_words(ctx, p);
    }
    for (ssize_t i = 0; i < got; i++)
        if (chunk[i] == '\n')
            log_words(ctx, p);
        else if (p->words.n < LONGEST_WORDS)
            rh_buf_addc(&p->words, chunk[i]);
}

static void
read_lines(struct rhost_program *p)
{
    char chunk[65536];
    ssize_t got = read(p->out, chunk, sizeof chunk);

    if (got > 0) {
        if (p->consumed > sizeof chunk && p->consumed > p->heard.n / 2) {
            memmove(p->heard.s, p->heard.s + p->consumed, p->heard.n - p->consumed);
            rh_buf_truncate(&p->heard, p->heard.n - p->consumed);
            p->searched -= p->consumed;
            p->consumed = 0;
        }
        rh_buf_addn(&p->heard, chunk, (size_t)got);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        rh_program_close(&p->out);
    }
}

void
rh_program_drop_input(struct rhost_program *p)
{
    if (p->to_write.s)
        explicit_bzero(p->to_write.s, p->to_write.n);
    rh_buf_truncate(&p->to_write, 0);
    p->taken = 0;
}

static void
write_pending(struct rhost_program *p)
{
    ssize_t put = write(p->in, p->to_write.s + p->taken, p->to_write.n - p->taken);

    if (put > 0) {
        p->taken += (size_t)put;
    } else if (put < 0 && errno != EINTR && errno != EAGAIN) {
        rh_program_close(&p->in); /* that it does not listen shows in that it does not answer */
        p->taken = p->to_write.n;
    }
    if (p->taken == p->to_write.n)
        rh_program_drop_input(p);
}

static void
read_report(struct rhost_program *p)
{
    struct rh_exec_report report;
    ssize_t got = read(p->report, &report, sizeof report);

    if (got < 0 && errno == EINTR)
        return;
    if (got != (ssize_t)sizeof report) {
        p->keeper_gone = p->how.stage == RH_EXEC_ENDED;
        p->ended = true;
    } else if (report.stage == RH_EXEC_ENDED) {
        if (p->how.stage == RH_EXEC_ENDED)
            p->how = report;
        p->ended = true;
    } else {
        p->how = report; /* it stays known, although the end is reported after it */
        p->ended = report.stage == RH_EXEC_FORK || report.stage == RH_EXEC_WAIT;
    }
}

bool
rh_program_move(rhost_ctx *ctx, struct rhost_program *p, int64_t milliseconds)
{
    struct pollfd fds[4] = { { .fd = p->out, .events = POLLIN },
                             { .fd = p->err, .events = POLLIN },
                             { .fd = p->to_write.n ? p->in : -1, .events = POLLOUT },
                             { .fd = p->ended ? -1 : p->report, .events = POLLIN } };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    int ready = p->deaf ? -1 : rh_wait_idle(fds, 4, milliseconds > 0 ? (int)milliseconds : 0);

    if (ready < 0 && errno != EINTR && !p->deaf)
        p->deaf = errno;
    if (ready <= 0)
        return false;
    if (fds[2].revents) {
        (void)sigaction(SIGPIPE, &ignore, &before);
        write_pending(p);
        (void)sigaction(SIGPIPE, &before, NULL);
    }
    if (fds[1].revents)
        read_words(ctx, p);
    if (fds[0].revents)
        read_lines(p);
    if (fds[3].revents)
        read_report(p);
    return fds[0].revents || fds[1].revents || fds[2].revents || fds[3].revents;
}

void
rh_program_drain(rhost_ctx *ctx, struct rhost_program *p)
{
    int64_t until = rh_program_now() + LINGER, now = until - LINGER;
    bool more = true; /* however late we come to it: what it has said is in the pipe */

    while ((p->out >= 0 || p->err >= 0) && !p->deaf
           && (now < until || (more && now < until + LONGEST_LINGER))) {
        more = rh_program_move(ctx, p, until - now);
        now = rh_program_now();
    }
    log_words(ctx, p);
}

bool
rh_program_take_line(struct rhost_program *p, const char **line, size_t *n, uint64_t *number)
{
    const char *end =
        p->heard.n > p->searched ? memchr(p->heard.s + p->searched, '\n', p->heard.n - p->searched) : NULL;

    if (!end) {
        p->searched = p->heard.n;
        return false;
    }
    *line = p->heard.s + p->consumed;
    *n = (size_t)(end - *line);
    *number = ++p->lines;
    p->consumed += *n + 1;
    p->searched = p->consumed;
    return true;
}
