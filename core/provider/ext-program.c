/* SPDX-License-Identifier: Apache-2.0 */
/* ext-program - the extension rhost.program/1: a program to talk with, line by line.
 *
 * Nothing blocks for good: what is said waits in memory until the program takes it, so that two who
 * write at the same time don't wait for each other, and what is heard has a time limit. */
#include "config.h"

#include "provider/extensions.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wait.h"
#include "provider/exec-child.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"

#include <rhost/program.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SILENCE = 300000, /* milliseconds, as are all of these */
    PATIENCE = 1000,  /* after which the host is told that this may take its time */
    ALIVE = 10000,    /* and how often */
    GRACE = 1000,     /* between asking processes to end and ending them */
    FAREWELL = 5000,  /* for a program that is no longer needed */
    LINGER = 50,      /* for the output of a program that has ended */
    LONGEST_LINE = 8 << 20,
    LONGEST_WORDS = 4 << 10, /* a line of its standard error */
    LAST_WORDS = 1000,       /* of that, in a message about its end */
};

struct rhost_program {
    struct rhost_program *next;       /* of the runtime, or of those that are shared */
    const struct rhost_plugin *owner; /* whose providers share it */
    pid_t keeper;
    int in, out, err, report;
    char *shown;
    uint32_t silence;
    uint32_t longer; /* than that, until the next line; 0: not */
    size_t longest;
    struct rh_buf said; /* and not taken yet, from `taken` on */
    size_t taken;
    struct rh_buf heard; /* from `given` on it was not given to anybody */
    size_t given, searched;
    uint64_t lines;
    struct rh_buf words; /* of its standard error: a line that is not whole */
    struct rh_buf last;  /* lines, each with its end */
    bool ended, lost;
    int deaf; /* an errno: we can't wait for it any more */
    struct rh_exec_report how;
    char *why; /* nothing can be asked of it any more */
};

static int descriptors;
static struct rhost_program *shared;

int
rh_ext_program_descriptors(void)
{
    return descriptors;
}

static int64_t
now(void)
{
    return (int64_t)(rh_now() * 1000);
}

static void
close_one(int *fd)
{
    descriptors -= *fd >= 0;
    rh_exec_close(fd);
}

/* A line of its standard error. */
static void
tell_words(rhost_ctx *ctx, struct rhost_program *p)
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
        close_one(&p->err);
        tell_words(ctx, p);
    }
    for (ssize_t i = 0; i < got; i++)
        if (chunk[i] == '\n')
            tell_words(ctx, p);
        else if (p->words.n < LONGEST_WORDS)
            rh_buf_addc(&p->words, chunk[i]);
}

static void
read_lines(struct rhost_program *p)
{
    char chunk[65536];
    ssize_t got = read(p->out, chunk, sizeof chunk);

    if (got > 0) {
        if (p->given > sizeof chunk && p->given > p->heard.n / 2) {
            memmove(p->heard.s, p->heard.s + p->given, p->heard.n - p->given);
            rh_buf_truncate(&p->heard, p->heard.n - p->given);
            p->searched -= p->given;
            p->given = 0;
        }
        rh_buf_addn(&p->heard, chunk, (size_t)got);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        close_one(&p->out);
    }
}

static void
write_said(struct rhost_program *p)
{
    ssize_t put = write(p->in, p->said.s + p->taken, p->said.n - p->taken);

    if (put > 0)
        p->taken += (size_t)put;
    else if (put < 0 && errno != EINTR && errno != EAGAIN)
        close_one(&p->in); /* that it does not listen shows in that it does not answer */
    if (p->in < 0 || p->taken == p->said.n) {
        if (p->said.s)
            explicit_bzero(p->said.s, p->said.n);
        rh_buf_truncate(&p->said, 0);
        p->taken = 0;
    }
}

static void
read_report(struct rhost_program *p)
{
    struct rh_exec_report report;
    ssize_t got = read(p->report, &report, sizeof report);

    if (got < 0 && errno == EINTR)
        return;
    if (got != (ssize_t)sizeof report) {
        p->lost = p->how.stage == RH_EXEC_ENDED;
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

/* Moves what can be moved, and waits for that up to so long; whether anything came from it. */
static bool
move(rhost_ctx *ctx, struct rhost_program *p, int64_t milliseconds)
{
    struct pollfd fds[4] = { { .fd = p->out, .events = POLLIN },
                             { .fd = p->err, .events = POLLIN },
                             { .fd = p->said.n ? p->in : -1, .events = POLLOUT },
                             { .fd = p->ended ? -1 : p->report, .events = POLLIN } };
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    int ready = p->deaf ? -1 : rh_wait_idle(fds, 4, milliseconds > 0 ? (int)milliseconds : 0);

    if (ready < 0 && errno != EINTR && !p->deaf)
        p->deaf = errno;
    if (ready <= 0)
        return false;
    if (fds[2].revents) {
        (void)sigaction(SIGPIPE, &ignore, &before);
        write_said(p);
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

/* What it left in its pipes. */
static void
drain(rhost_ctx *ctx, struct rhost_program *p)
{
    int64_t until = now() + LINGER;

    while ((p->out >= 0 || p->err >= 0) && !p->deaf && now() < until)
        (void)move(ctx, p, until - now());
    tell_words(ctx, p);
}

/* A line that is there in whole. */
static bool
take_line(struct rhost_program *p, const char **line, size_t *n, uint64_t *number)
{
    const char *end =
        p->heard.n > p->searched ? memchr(p->heard.s + p->searched, '\n', p->heard.n - p->searched) : NULL;

    if (!end) {
        p->searched = p->heard.n;
        return false;
    }
    *line = p->heard.s + p->given;
    *n = (size_t)(end - *line);
    *number = ++p->lines;
    p->given += *n + 1;
    p->searched = p->given;
    return true;
}

/* Whatever it was asked: it may not be installed yet, nor what it needs. */
static int32_t
fail_again(rhost_ctx *ctx, const struct rhost_program *p)
{
    rh_call_of(ctx)->passing = true;
    return ctx->host->fail(ctx, 0, NULL, p->why);
}

static int32_t
fail(rhost_ctx *ctx, struct rhost_program *p, char *why)
{
    free(p->why);
    p->why = why;
    return fail_again(ctx, p);
}

/* How it ended, as the rest of a sentence. */
static char *
describe_end(const struct rhost_program *p)
{
    int status = p->how.number;

    if (p->lost)
        return rh_xstrdup("was lost: the process above it was killed");
    if (p->how.stage == RH_EXEC_WAIT)
        return rh_printf("was killed, because how it ended cannot be found out: %s", strerror(status));
    if (WIFSIGNALED(status))
        return rh_printf("was ended by a signal (%s)", strsignal(WTERMSIG(status)));
    return rh_printf("ended with exit status %d", WEXITSTATUS(status));
}

/* Whether it was started at all, as far as is known. */
static bool
was_started(const struct rhost_program *p)
{
    return p->how.stage == RH_EXEC_ENDED || p->how.stage == RH_EXEC_WAIT;
}

static char *
describe_start(const struct rhost_program *p)
{
    const char *what =
        p->how.stage == RH_EXEC_EXEC  ? "be executed"
        : p->how.stage == RH_EXEC_CWD ? "enter its directory"
        : p->how.stage == RH_EXEC_USER || p->how.stage == RH_EXEC_GROUP || p->how.stage == RH_EXEC_GROUPS
            ? "become its user"
            : "be started";

    return rh_printf("the program '%s' cannot %s: %s", p->shown, what, strerror(p->how.number));
}

static char *
with_last_words(const struct rhost_program *p, const char *text)
{
    if (!p->last.n)
        return rh_xstrdup(text);
    return rh_printf("%s; its last output: '%s'", text, rh_buf_text(&p->last));
}

static void
end_tree(struct rhost_program *p)
{
    if (p->keeper > 0 && !p->ended && !rh_exec_end_tree(p->keeper, GRACE))
        (void)kill(p->keeper, SIGKILL); /* or we would wait for what can't be ended */
}

static int32_t
fail_ended(rhost_ctx *ctx, struct rhost_program *p, const char *doing)
{
    bool half = p->heard.n > p->given, by_itself = p->ended;
    rh_autofree char *how = NULL, *text = NULL;

    end_tree(p);
    drain(ctx, p);
    if (!was_started(p))
        return fail(ctx, p, describe_start(p));
    how = by_itself ? describe_end(p) : rh_xstrdup("closed its standard output");
    text = rh_printf("the program '%s' %s %s '%s'", p->shown, how,
                     half ? "in the middle of a line of its answer to" : "before it was done with", doing);
    return fail(ctx, p, with_last_words(p, text));
}

static int32_t
program_start(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_program **program)
{
    struct rh_runtime *rt = rh_call_of(ctx)->rt;
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    rh_autoerror struct rh_error why = { 0 };
    struct rhost_command c = { 0 };
    struct rh_exec_plan plan = { 0 };
    int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 }, report[2] = { -1, -1 };
    struct rhost_program *p;
    int number;

    memcpy(&c, command, command->struct_size < sizeof c ? command->struct_size : sizeof c);
    if (rh_exec_plan(&c, arena, &plan, &why) < 0)
        return ctx->host->fail(ctx, 0, NULL, why.message);
    p = rh_xalloc(sizeof *p);
    *p = (struct rhost_program){
        .next = rt->programs,
        .keeper = -1,
        .shown = rh_exec_shown(&c),
        .silence = c.timeout ? c.timeout : SILENCE,
        .longest = c.output_limit ? c.output_limit : LONGEST_LINE,
    };
    if (rh_exec_pipe(in) == 0 && rh_exec_pipe(out) == 0 && rh_exec_pipe(err) == 0 && rh_exec_pipe(report) == 0
        && fcntl(in[1], F_SETFL, O_NONBLOCK) == 0) {
        plan.in = in[0];
        plan.out = out[1];
        plan.err = err[1];
        plan.report = report[1];
        plan.hear_out = plan.hear_err = -1;
        plan.bound = true;
        p->keeper = rh_exec_start(&plan);
    }
    number = errno;
    rh_exec_close(&in[0]);
    rh_exec_close(&out[1]);
    rh_exec_close(&err[1]);
    rh_exec_close(&report[1]);
    p->in = in[1];
    p->out = out[0];
    p->err = err[0];
    p->report = report[0];
    descriptors += (in[1] >= 0) + (out[0] >= 0) + (err[0] >= 0) + (report[0] >= 0);
    rt->programs = p;
    *program = p;
    if (p->keeper > 0) {
        rh_provider_debug(rt, NULL, "Started '%s'", p->shown);
        return 0;
    }
    p->how = (struct rh_exec_report){ RH_EXEC_FORK, number };
    p->ended = true;
    return fail(ctx, p, describe_start(p));
}

static int32_t
program_say(rhost_ctx *ctx, struct rhost_program *p, const char *text, size_t n)
{
    if (p->why)
        return fail_again(ctx, p);
    if (p->in < 0)
        return 0;
    rh_buf_addn(&p->said, text, n);
    rh_buf_addc(&p->said, '\n');
    (void)move(ctx, p, 0);
    return 0;
}

static int32_t
fail_long(rhost_ctx *ctx, struct rhost_program *p, uint64_t number)
{
    end_tree(p);
    return fail(ctx, p,
                rh_printf("the program '%s': line %llu of its output is longer than %zu bytes", p->shown,
                          (unsigned long long)number, p->longest));
}

static int32_t
fail_silent(rhost_ctx *ctx, struct rhost_program *p, const char *doing)
{
    rh_autofree char *text =
        rh_printf("the program '%s' was silent for %g s, while it should do '%s', and was killed", p->shown,
                  p->silence / 1000.0, doing);

    end_tree(p);
    drain(ctx, p);
    return fail(ctx, p, with_last_words(p, text));
}

static int32_t
fail_deaf(rhost_ctx *ctx, struct rhost_program *p)
{
    end_tree(p);
    return fail(
        ctx, p,
        rh_printf("cannot wait for the program '%s', which was killed: %s", p->shown, strerror(p->deaf)));
}

static int32_t
program_hear(rhost_ctx *ctx, struct rhost_program *p, const char *doing, const char **line, size_t *n,
             uint64_t *number)
{
    struct rh_runtime *rt = rh_call_of(ctx)->rt;
    int64_t since = now(), most = p->longer > p->silence ? p->longer : p->silence;

    rt->said_alive = 0;
    if (p->why)
        return fail_again(ctx, p);
    while (!take_line(p, line, n, number)) {
        int64_t silent = now() - since;

        if (p->heard.n - p->given > p->longest)
            return fail_long(ctx, p, p->lines + 1);
        if (p->out < 0 && (p->ended || silent > PATIENCE))
            return fail_ended(ctx, p, doing);
        if (p->deaf)
            return fail_deaf(ctx, p);
        if (silent >= most)
            return fail_silent(ctx, p, doing);
        if (silent >= PATIENCE)
            rh_runtime_alive(rt);
        if (p->ended) { /* what still holds its pipes is not waited for */
            drain(ctx, p);
            close_one(&p->out);
        } else if (move(ctx, p,
                        silent < PATIENCE       ? PATIENCE - silent
                        : most - silent < ALIVE ? (int)(most - silent)
                                                : ALIVE)
                   && p->out >= 0) {
            since = now();
        }
    }
    p->longer = 0;
    return *n <= p->longest ? 0 : fail_long(ctx, p, *number);
}

static void
program_wait(rhost_ctx *ctx, struct rhost_program *p, uint32_t milliseconds)
{
    (void)ctx;
    p->longer = milliseconds;
}

static int32_t
program_waits(rhost_ctx *ctx, struct rhost_program *p)
{
    if (p->why) /* what it said before it was ended is nobody's */
        return 0;
    if (p->heard.n == p->given)
        (void)move(ctx, p, 0);
    return p->heard.n > p->given;
}

static void
program_end(rhost_ctx *ctx, struct rhost_program *p, const char *why)
{
    (void)ctx;
    end_tree(p);
    if (!p->why)
        p->why = rh_xstrdup(why);
}

/* That it went wrong at its very end. */
static char *
describe_late(const struct rhost_program *p)
{
    rh_autofree char *how = NULL, *text = NULL;

    if (!was_started(p))
        return describe_start(p);
    how = describe_end(p);
    text = rh_printf("the program '%s' %s when it was done", p->shown, how);
    return with_last_words(p, text);
}

/* Lets it end, waits for that, and forgets it. */
static void
farewell(rhost_ctx *ctx, struct rhost_program *p, int64_t patience)
{
    int64_t until = now() + patience;
    rh_autofree char *how = NULL;
    bool slow;

    close_one(&p->in);
    while (p->keeper > 0 && !p->why && !p->ended && !p->deaf && now() < until) {
        (void)move(ctx, p, until - now());
        rh_buf_truncate(&p->heard, 0);
        p->given = p->searched = 0;
    }
    slow = p->keeper > 0 && !p->ended;
    end_tree(p);
    if (!p->why) {
        drain(ctx, p);
        if (ctx && slow)
            how = rh_printf("the program '%s' did not end when it was done, and was killed", p->shown);
        else if (ctx && (p->lost || p->how.stage != RH_EXEC_ENDED || p->how.number))
            how = describe_late(p);
        if (how)
            ctx->host->log(ctx, RHOST_WARNING, NULL, 0, how);
    }
    if (p->keeper > 0)
        (void)rh_wait_child(p->keeper, NULL); /* what is to be known of it is known by its report */
    close_one(&p->out);
    close_one(&p->err);
    close_one(&p->report);
    rh_buf_clear(&p->said);
    rh_buf_clear(&p->heard);
    rh_buf_clear(&p->words);
    rh_buf_clear(&p->last);
    free(p->shown);
    free(p->why);
    free(p);
}

static bool
take_from(struct rhost_program **at, struct rhost_program *p)
{
    while (*at && *at != p)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = p->next;
    return true;
}

static void
program_share(rhost_ctx *ctx, struct rhost_program *p)
{
    struct rh_call *call = rh_call_of(ctx);

    if (!take_from(&call->rt->programs, p))
        return;
    p->owner = rh_call_plugin(call);
    p->next = shared;
    shared = p;
}

static void
program_stop(rhost_ctx *ctx, struct rhost_program *p)
{
    if (take_from(&rh_call_of(ctx)->rt->programs, p) || take_from(&shared, p))
        farewell(ctx, p, FAREWELL);
}

void
rh_ext_program_clear(struct rh_runtime *rt)
{
    while (rt->programs) {
        struct rhost_program *p = rt->programs;

        rt->programs = p->next;
        farewell(NULL, p, GRACE);
    }
}

void
rh_ext_program_leave(const struct rhost_plugin *plugin)
{
    struct rhost_program **at = &shared;

    while (*at) {
        struct rhost_program *p = *at;

        if (p->owner != plugin) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        farewell(NULL, p, GRACE);
    }
}

const struct rhost_programs *
rh_ext_program(void)
{
    static const struct rhost_programs extension = {
        .struct_size = sizeof extension,
        .start = program_start,
        .say = program_say,
        .hear = program_hear,
        .waits = program_waits,
        .end = program_end,
        .stop = program_stop,
        .wait = program_wait,
        .share = program_share,
    };

    return &extension;
}
