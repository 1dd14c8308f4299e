/* SPDX-License-Identifier: Apache-2.0 */
/* ext-exec - the extension rhost.exec/1: run a command and listen to it.
 *
 * It reaches the host through the same table as any plugin does, so that the runtime can offer it
 * without either knowing the other. */
#include "config.h"

#include "provider/extensions.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/safe-path.h"
#include "base/text.h"
#include "base/wait.h"
#include "provider/exec-child.h"
#include "provider/exec-process.h"

#include <rhost/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const uint64_t FLAGS = RHOST_EXEC_READS | RHOST_EXEC_MERGE | RHOST_EXEC_TAIL | RHOST_EXEC_UMASK_0
                              | RHOST_EXEC_STOPPABLE | RHOST_EXEC_SHOW_OUTPUT | RHOST_EXEC_NO_NETWORK
                              | RHOST_EXEC_PRIVATE_TMP | RHOST_EXEC_NO_NEW_PRIVILEGES;

enum {
    DEFAULT_TIMEOUT = 300000, /* milliseconds, as are all of these */
    GRACE = 1000,             /* between asking processes to end and ending them */
    LINGER = 50,              /* for the output of an ended command, while something else holds its pipes */
    LONGEST_LINGER = 1000,    /* and writes to them without end */
    DEFAULT_LIMIT = 1 << 20,
    ALIVE = 10000,    /* how often the host is told that this goes on */
    POLL_EVERY = 200, /* how often a command that may be stopped looks whether the run is to end */
    STOP_GRACE = 5000,
    SHOWN_EVERY = 100, /* the last line of the output, to who watches */
    LONGEST_SHOWN = 500,
};

struct stream {
    int fd; /* -1: closed */
    struct rh_buf kept;
    size_t limit;
    bool tail, truncated;
    int unread; /* an errno: why there is no more of it */
};

/* The line of the output that ended last. */
struct last_line {
    void (*show)(rhost_ctx *ctx, const char *line, size_t n); /* NULL: nobody watches */
    struct rh_buf line, begun;                                /* the next one, so far */
    bool fresh;
    int64_t shown;
};

struct running {
    pid_t keeper;
    struct last_line last_line;
    struct stream out, err;
    int report;
    bool stoppable;          /* it was begun before the run was to end, and may be ended with it */
    bool stopped;            /* and was */
    bool ended, keeper_gone; /* keeper_gone: without having reported */
    int deaf;                /* an errno: we can't wait for it any more */
    struct rh_exec_report last;
};

static int64_t
now(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
keep_output(struct stream *s, const char *p, size_t n)
{
    if (s->tail) {
        rh_buf_addn(&s->kept, p, n);
        /* Moved seldom: only when twice of what is kept has come together. */
        if (s->kept.n > 2 * s->limit) {
            memmove(s->kept.s, s->kept.s + s->kept.n - s->limit, s->limit);
            rh_buf_truncate(&s->kept, s->limit);
            s->truncated = true;
        }
        return;
    }
    if (n > s->limit - s->kept.n) {
        n = s->limit - s->kept.n;
        s->truncated = true;
    }
    rh_buf_addn(&s->kept, p, n);
}

static void
note_lines(struct last_line *l, const char *p, size_t n)
{
    for (const char *end = p + n; l->show && p < end; p++) {
        if (*p != '\n' && *p != '\r') { /* programs that count write over their line */
            if (l->begun.n < LONGEST_SHOWN)
                rh_buf_addc(&l->begun, *p);
        } else if (l->begun.n) {
            rh_buf_truncate(&l->line, 0);
            rh_buf_addn(&l->line, l->begun.s, l->begun.n);
            rh_buf_truncate(&l->begun, 0);
            l->fresh = true;
        }
    }
}

/* Not each of them: whoever watches can't read faster. */
static void
show_line(rhost_ctx *ctx, struct last_line *l)
{
    if (!l->fresh || now() - l->shown < SHOWN_EVERY)
        return;
    l->show(ctx, l->line.s, l->line.n);
    l->fresh = false;
    l->shown = now();
}

/* Reads what is there; closes the stream at its end. */
static void
read_output(struct stream *s, struct last_line *l)
{
    char chunk[16384];
    ssize_t got = read(s->fd, chunk, sizeof chunk);

    if (got > 0) {
        keep_output(s, chunk, (size_t)got);
        note_lines(l, chunk, (size_t)got);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        s->unread = got < 0 ? errno : 0;
        rh_exec_close(&s->fd);
    }
}

/* What has failed stays known, although the end of the process is reported after it. */
static void
read_report(struct running *r)
{
    struct rh_exec_report report;
    ssize_t got = read(r->report, &report, sizeof report);

    if (got < 0 && errno == EINTR)
        return;
    if (got != (ssize_t)sizeof report) {
        r->keeper_gone = r->last.stage == RH_EXEC_ENDED;
        r->ended = true;
    } else if (report.stage == RH_EXEC_ENDED) {
        if (r->last.stage == RH_EXEC_ENDED)
            r->last = report;
        r->ended = true;
    } else {
        r->last = report;
        r->ended = report.stage == RH_EXEC_FORK || report.stage == RH_EXEC_WAIT;
    }
}

/* Until the command has ended and its output is read. False: its time was up, or we can't wait for it. */
static bool
listen_to(rhost_ctx *ctx, struct running *r, int64_t deadline, void (*alive)(rhost_ctx *ctx))
{
    for (;;) {
        struct pollfd fds[3] = { { .fd = r->out.fd, .events = POLLIN },
                                 { .fd = r->err.fd, .events = POLLIN },
                                 { .fd = r->ended ? -1 : r->report, .events = POLLIN } };
        int64_t left = deadline - now();
        bool late = left <= 0;
        int ready;

        if (r->ended && r->out.fd < 0 && r->err.fd < 0)
            return true;
        /* However late we come to it: what it has printed is in the pipe. */
        if (late && (!r->ended || -left > LONGEST_LINGER))
            return r->ended;
        if (alive)
            alive(ctx);
        if (r->stoppable && !r->ended && rh_interrupted()) {
            r->stopped = true;
            return false;
        }
        show_line(ctx, &r->last_line);
        left = left > ALIVE ? ALIVE : late ? 0 : left;
        ready = rh_wait_idle(
            fds, 3, (int)((r->stoppable || r->last_line.fresh) && left > POLL_EVERY ? POLL_EVERY : left));
        if (ready < 0 && errno != EINTR) {
            r->deaf = errno;
            return r->ended;
        }
        if (ready < 0)
            (void)rh_interrupted(); /* somebody may want to be told */
        if (late && ready == 0)
            return true;
        if (ready <= 0)
            continue;
        if (fds[0].revents)
            read_output(&r->out, &r->last_line);
        if (fds[1].revents)
            read_output(&r->err, &r->last_line);
        if (fds[2].revents) {
            read_report(r);
            if (r->ended)
                deadline = now() + LINGER;
        }
    }
}

/* Opens what the command and we talk through, and starts it. -1: errno says why. */
static int
start(struct running *r, struct rh_exec_plan *plan, const struct rhost_command *c)
{
    int out[2] = { -1, -1 }, err[2] = { -1, -1 }, report[2] = { -1, -1 }, in = -1, why;
    bool merge = c->flags & RHOST_EXEC_MERGE;

    r->keeper = -1;
    if (rh_exec_pipe(out) == 0 && (merge || rh_exec_pipe(err) == 0) && rh_exec_pipe(report) == 0
        && (in = rh_exec_input(c->input, c->input ? c->input_len : 0)) >= 0) {
        plan->in = in;
        plan->out = out[1];
        plan->err = merge ? out[1] : err[1];
        plan->report = report[1];
        plan->hear_out = out[0];
        plan->hear_err = err[0];
        r->keeper = rh_exec_launch(plan);
    }
    why = errno;
    rh_exec_close(&in);
    rh_exec_close(&out[1]);
    rh_exec_close(&err[1]);
    rh_exec_close(&report[1]);
    r->out.fd = out[0];
    r->err.fd = err[0];
    r->report = report[0];
    errno = why;
    return r->keeper < 0 ? -1 : 0;
}

static void
stop(struct running *r)
{
    rh_exec_close(&r->out.fd);
    rh_exec_close(&r->err.fd);
    rh_exec_close(&r->report);
    if (r->keeper > 0)
        rh_exec_wait(r->keeper); /* what is to be known of it is known by its report */
}

static const char *
hand_over(rhost_ctx *ctx, struct stream *s, size_t *len, int32_t *truncated)
{
    const char *from = rh_buf_text(&s->kept);
    size_t n = s->kept.n;
    char *copy;

    if (s->tail && n > s->limit) {
        from += n - s->limit;
        n = s->limit;
        s->truncated = true;
    }
    copy = ctx->host->alloc(ctx, n + 1);
    memcpy(copy, from, n);
    *len = n;
    *truncated |= s->truncated;
    return copy;
}

static int32_t
fail(rhost_ctx *ctx, int number, const char *message)
{
    return ctx->host->fail(ctx, number, NULL, message);
}

/* Of a directory that could not be entered: which link is to blame that another user could have made; or
 * NULL. */
static char *
unsafe_part(const char *path)
{
    struct rh_unsafe unsafe;
    rh_autoclose int fd = rh_safe_open(path, true, O_PATH | O_DIRECTORY, 0, &unsafe);

    return fd < 0 && unsafe.why[0] ? rh_xstrdup(unsafe.why) : NULL;
}

/* Why it could not be started, naming what failed. */
static int32_t
fail_start(rhost_ctx *ctx, const struct rhost_command *c, const struct rh_exec_report *r, const char *shown)
{
    rh_autofree char *m = NULL;
    rh_autofree char *unsafe = r->stage == RH_EXEC_CWD && r->number == ELOOP ? unsafe_part(c->cwd) : NULL;

    if (unsafe) {
        m = rh_printf("cannot execute '%s': cannot change to directory '%s': %s", shown, c->cwd, unsafe);
        return fail(ctx, 0, m);
    }
    if (r->stage == RH_EXEC_EXEC && c->secret_args && c->secret_args[0])
        m = rh_printf("cannot execute '[redacted]'");
    else if (r->stage == RH_EXEC_EXEC)
        m = rh_printf("cannot execute '%s'", c->argv[0]);
    else if (r->stage == RH_EXEC_LIMIT)
        m = rh_printf("cannot execute '%s': cannot confine it", shown);
    else if (r->stage == RH_EXEC_CWD)
        m = rh_printf("cannot execute '%s': cannot change to directory '%s'", shown, c->cwd);
    else if (r->stage == RH_EXEC_USER)
        m = rh_printf("cannot execute '%s': cannot become user '%s'", shown, c->user);
    else if (r->stage == RH_EXEC_GROUPS || r->stage == RH_EXEC_GROUP)
        m = rh_printf("cannot execute '%s': cannot take the groups of '%s'", shown,
                      c->group ? c->group : c->user);
    else if (r->stage == RH_EXEC_WAIT)
        m = rh_printf("cannot determine how '%s' ended; all that was left of it was killed", shown);
    else
        m = rh_printf("cannot execute '%s': cannot start a process", shown);
    return fail(ctx, r->number, m);
}

static int32_t
fail_timeout(rhost_ctx *ctx, const char *shown, uint32_t timeout, bool all)
{
    rh_autofree char *m = rh_printf("'%s' took longer than %g s and %s", shown, timeout / 1000.0,
                                    all ? "was killed" : "could not be killed completely");

    return fail(ctx, 0, m);
}

static int32_t
fail_deaf(rhost_ctx *ctx, const char *shown, int why, bool all)
{
    rh_autofree char *m = rh_printf("cannot wait for '%s', which %s", shown,
                                    all ? "was killed" : "could not be killed completely");

    return fail(ctx, why, m);
}

static int32_t
fail_stopped(rhost_ctx *ctx, const char *shown, bool all)
{
    rh_autofree char *m = rh_printf("'%s' %s: the run was interrupted", shown,
                                    all ? "was ended" : "could not be ended completely");

    return fail(ctx, 0, m);
}

/* Asks all that belongs to it to end. What then ends well has done its work: what it printed meanwhile is
 * read. */
static bool
end_early(rhost_ctx *ctx, struct running *r)
{
    struct pollfd report = { .fd = r->report, .events = POLLIN };
    bool all = rh_exec_end(r->keeper, r->stopped ? STOP_GRACE : GRACE);

    if (!r->stopped || rh_wait_poll(&report, 1, GRACE) <= 0)
        return all;
    read_report(r);
    if (r->ended && !r->keeper_gone && r->last.stage == RH_EXEC_ENDED && r->last.number == 0)
        r->stopped = false;
    if (!r->stopped)
        (void)listen_to(ctx, r, now() + LINGER, NULL);
    return all;
}

static void
log_command(rhost_ctx *ctx, const char *what, const char *shown)
{
    rh_autofree char *m = rh_printf("%s '%s'", what, shown);

    ctx->host->log(ctx, RH_LOG_COMMAND, NULL, 0, m);
}

static int32_t
finish(rhost_ctx *ctx, const struct rhost_command *c, struct running *r, const char *shown,
       struct rhost_output *output)
{
    size_t size = output->struct_size;
    struct rhost_output o = { .struct_size = size };
    int status = r->last.number;

    if (r->keeper_gone) {
        rh_autofree char *m = rh_printf("'%s' was lost: the process above it was killed", shown);

        return fail(ctx, 0, m);
    }
    if (r->last.stage != RH_EXEC_ENDED)
        return fail_start(ctx, c, &r->last, shown);
    if (r->out.unread || r->err.unread) {
        rh_autofree char *m = rh_printf("cannot read the output of '%s'", shown);

        return fail(ctx, r->out.unread ? r->out.unread : r->err.unread, m);
    }
    o.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    o.status = o.signal ? 128 + o.signal : WEXITSTATUS(status);
    o.out = hand_over(ctx, &r->out, &o.out_len, &o.truncated);
    o.err = hand_over(ctx, &r->err, &o.err_len, &o.truncated);
    memcpy(output, &o, size < sizeof o ? size : sizeof o);
    if (o.status == 0) {
        log_command(ctx, "Successfully executed", shown);
    } else {
        rh_autofree char *with = rh_printf("Status %d from", o.status);

        log_command(ctx, with, shown);
    }
    return 0;
}

int32_t
rh_exec_run(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
            const struct rh_exec_watch *watch, bool *stopped)
{
    struct rhost_command c = { 0 };
    size_t size = command->struct_size;
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *shown = NULL;
    struct rh_exec_plan plan = { 0 };
    struct running r = { 0 };
    uint32_t timeout;
    bool in_time, all_ended = true;
    int32_t result;

    memcpy(&c, command, size < sizeof c ? size : sizeof c);
    if (c.flags & ~FLAGS)
        (void)rh_error_set(&err, RH_EPROVIDER, RH_UNKNOWN_FLAGS, (unsigned long long)(c.flags & ~FLAGS),
                           "struct rhost_command", PACKAGE_VERSION);
    if (err.message || rh_exec_prepare(&c, arena, &plan, &err) < 0)
        return fail(ctx, 0, err.message);
    shown = rh_exec_shown(&c);
    if (ctx->host->noop(ctx) && !(c.flags & RHOST_EXEC_READS)) {
        rh_autofree char *m = rh_printf("'%s' would change something, and this is noop", shown);

        return fail(ctx, 0, m);
    }
    timeout = c.timeout ? c.timeout : DEFAULT_TIMEOUT;
    r.stoppable = c.flags & (RHOST_EXEC_STOPPABLE | RHOST_EXEC_READS) && !rh_interrupted();
    r.last_line.show = watch && c.flags & RHOST_EXEC_SHOW_OUTPUT ? watch->line : NULL;
    *stopped = false;
    r.out.limit = r.err.limit = c.output_limit ? c.output_limit : DEFAULT_LIMIT;
    r.out.tail = r.err.tail = c.flags & RHOST_EXEC_TAIL;

    log_command(ctx, "Executing", shown);
    if (start(&r, &plan, &c) < 0) {
        struct rh_exec_report why = { .stage = RH_EXEC_FORK, .number = errno };

        result = fail_start(ctx, &c, &why, shown);
    } else {
        in_time = listen_to(ctx, &r, now() + timeout, watch ? watch->alive : NULL);
        *stopped = r.stopped;
        if (!in_time)
            all_ended = end_early(ctx, &r);
        in_time |= *stopped && !r.stopped;
        *stopped = r.stopped;
        result = in_time     ? finish(ctx, &c, &r, shown, output)
                 : r.stopped ? fail_stopped(ctx, shown, all_ended)
                 : r.deaf    ? fail_deaf(ctx, shown, r.deaf, all_ended)
                             : fail_timeout(ctx, shown, timeout, all_ended);
    }
    if (!all_ended)
        rh_exec_kill(r.keeper); /* or we would wait for what can't be ended */
    stop(&r);
    rh_buf_clear(&r.last_line.line);
    rh_buf_clear(&r.last_line.begun);
    rh_buf_clear(&r.out.kept);
    rh_buf_clear(&r.err.kept);
    return result;
}

static int32_t
exec_run(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output)
{
    bool stopped;

    return rh_exec_run(ctx, command, output, NULL, &stopped);
}

const struct rhost_exec *
rh_ext_exec(void)
{
    static const struct rhost_exec extension = {
        .struct_size = sizeof extension,
        .run = exec_run,
    };

    return &extension;
}
