/* SPDX-License-Identifier: Apache-2.0 */
/* ext-program - the extension rhost.program/1: a program to talk with, line by line.
 *
 * Nothing blocks for good: what is said waits in memory until the program takes it, so that two who
 * write at the same time don't wait for each other, and what is heard has a time limit. */
#include "config.h"

#include "provider/ext-program.h"
#include "provider/extensions.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "provider/exec-process.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SILENCE = 300000, /* milliseconds, as are all of these */
    PATIENCE = 1000,  /* after which the host is told that this may take its time */
    ALIVE = 10000,    /* and how often */
    GRACE = 1000,     /* between asking processes to end and ending them */
    FAREWELL = 5000,  /* for a program that is no longer needed */
    LONGEST_LINE = 8 << 20,
};

static struct rhost_program *shared;

int
rh_ext_program_descriptors(void)
{
    return rh_program_descriptors;
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

    if (p->keeper_gone)
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
        p->how.stage == RH_EXEC_EXEC      ? "be executed"
        : p->how.stage == RH_EXEC_CWD     ? "enter its directory"
        : p->how.stage == RH_EXEC_CONFINE ? "be confined"
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
    if (p->keeper > 0 && !p->ended && !rh_exec_end(p->keeper, GRACE))
        rh_exec_kill(p->keeper); /* or we would wait for what can't be ended */
}

static int32_t
fail_ended(rhost_ctx *ctx, struct rhost_program *p, const char *doing)
{
    bool half = p->heard.n > p->consumed, by_itself = p->ended;
    rh_autofree char *how = NULL, *text = NULL;

    end_tree(p);
    rh_program_drain(ctx, p);
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
    if (rh_exec_prepare(&c, arena, &plan, &why) < 0)
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
        p->keeper = rh_exec_launch(&plan);
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
    rh_program_descriptors += (in[1] >= 0) + (out[0] >= 0) + (err[0] >= 0) + (report[0] >= 0);
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
    rh_buf_addn(&p->to_write, text, n);
    rh_buf_addc(&p->to_write, '\n');
    (void)rh_program_move(ctx, p, 0);
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
    rh_program_drain(ctx, p);
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
    int64_t since = rh_program_now(), most = p->longer > p->silence ? p->longer : p->silence;

    rt->last_alive = 0;
    if (p->why)
        return fail_again(ctx, p);
    while (!rh_program_take_line(p, line, n, number)) {
        int64_t silent = rh_program_now() - since;

        if (p->heard.n - p->consumed > p->longest)
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
            rh_program_drain(ctx, p);
            rh_program_close(&p->out);
        } else if (rh_program_move(ctx, p,
                                   silent < PATIENCE       ? PATIENCE - silent
                                   : most - silent < ALIVE ? (int)(most - silent)
                                                           : ALIVE)
                   && p->out >= 0) {
            since = rh_program_now();
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
    if (p->heard.n == p->consumed)
        (void)rh_program_move(ctx, p, 0);
    return p->heard.n > p->consumed;
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
    int64_t until = rh_program_now() + patience;
    rh_autofree char *how = NULL;
    bool slow;

    rh_program_close(&p->in);
    while (p->keeper > 0 && !p->why && !p->ended && !p->deaf && rh_program_now() < until) {
        (void)rh_program_move(ctx, p, until - rh_program_now());
        rh_buf_truncate(&p->heard, 0);
        p->consumed = p->searched = 0;
    }
    slow = p->keeper > 0 && !p->ended;
    end_tree(p);
    if (!p->why) {
        rh_program_drain(ctx, p);
        if (ctx && slow)
            how = rh_printf("the program '%s' did not end when it was done, and was killed", p->shown);
        else if (ctx && (p->keeper_gone || p->how.stage != RH_EXEC_ENDED || p->how.number))
            how = describe_late(p);
        if (how)
            ctx->host->log(ctx, RHOST_WARNING, NULL, 0, how);
    }
    if (p->keeper > 0)
        rh_exec_wait(p->keeper); /* what is to be known of it is known by its report */
    rh_program_close(&p->out);
    rh_program_close(&p->err);
    rh_program_close(&p->report);
    rh_program_drop_input(p);
    rh_buf_clear(&p->to_write);
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
