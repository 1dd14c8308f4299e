/* SPDX-License-Identifier: Apache-2.0 */
/* host-state - one target from its beginning to its end. */
#include "config.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "reach/push-parts.h"

#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

void
rh_host_init(struct rh_host *h, struct rh_push_target *t, const struct rh_push_options *options,
             struct rh_arena *a)
{
    *h = (struct rh_host){ .target = t,
                           .options = options,
                           .arena = a,
                           .outcome = RH_PUSH_NOT_STARTED,
                           .child = { .in = -1, .out = -1, .err = -1 },
                           .status = -1 };
    h->become = options->become_specified ? options->become : t->settings.become;
    if (t->at.connector == RH_CONNECT_CHROOT) /* a push is root there, and an image need not have sudo */
        h->become = RH_BECOME_NONE;
    h->rhost = t->settings.rhost ? t->settings.rhost : options->rhost;
}

void
rh_host_forget(struct rh_host *h)
{
    rh_wire_clear(&h->in);
    rh_buf_clear(&h->lines);
    rh_buf_clear(&h->noise);
    rh_buf_clear(&h->errors);
    rh_buf_clear(&h->head);
    rh_buf_clear(&h->tail);
    rh_buf_clear(&h->out);
    rh_buf_clear(&h->err);
    rh_buf_clear(&h->progress);
    rh_buf_clear(&h->plan.text);
    rh_buf_clear(&h->result);
    rh_buf_clear(&h->last_error);
    rh_buf_clear(&h->kit_text);
}

void
rh_host_clear(struct rh_host *h)
{
    rh_child_end(&h->child, 0);
    rh_host_forget(h);
    rh_buf_clear(&h->report);
    rh_buf_clear(&h->output);
    free(h->message);
    free(h->hint);
    free(h->at);
    free(h->name);
    free(h->run);
}

enum { LAST_WORDS_SECONDS = 10 }; /* of a target that takes nothing any more */

static void
close_pipes(struct rh_child *c)
{
    int *fds[] = { &c->in, &c->out, &c->err };

    for (size_t i = 0; i < 3; i++) {
        if (*fds[i] >= 0)
            (void)close(*fds[i]);
        *fds[i] = -1;
    }
}

bool
rh_host_is_active(const struct rh_host *h)
{
    return h->step != RH_HOST_WAITING && h->step != RH_HOST_DONE;
}

void
rh_host_end(struct rh_host *h, enum rh_push_outcome outcome, const char *hint, const char *fmt, ...)
{
    va_list ap;

    if (h->step == RH_HOST_DONE)
        return;
    va_start(ap, fmt);
    h->message = fmt ? rh_vprintf(fmt, ap) : NULL;
    va_end(ap);
    h->hint = hint ? rh_xstrdup(hint) : NULL;
    h->outcome = outcome;
    h->step = RH_HOST_DONE;
    h->ended = rh_now();
    /* Whoever waits for it meanwhile keeps others waiting: push.c reaps it. */
    close_pipes(&h->child);
    if (h->status < 0 && h->child.pid)
        rh_child_signal(&h->child, SIGTERM);
}

void
rh_host_moved(struct rh_host *h, ssize_t n)
{
    if (n > 0) {
        if (h->deadline < rh_now() + RH_HOST_PATIENCE) /* the time to connect is longer */
            h->deadline = rh_now() + RH_HOST_PATIENCE;
    } else if (n < 0) { /* the end of its output is noticed elsewhere */
        (void)close(h->child.in);
        h->child.in = -1;
        h->deadline = rh_now() + LAST_WORDS_SECONDS;
    }
}

const char *
rh_host_count_name(enum rh_host_count count)
{
    static const char *const names[] = {
        "total",   "unchanged",    "changed",       "refreshed", "failed",
        "skipped", "would_change", "would_refresh", "unknown",   "excluded"
    };

    return names[count];
}
