/* SPDX-License-Identifier: Apache-2.0 */
/* push-output - the lines of targets on their way to the standard streams. A pager, or a terminal that was
 * stopped, may take nothing for a long time: until it does, they wait here, and the targets hear from us. */
#include "config.h"

#include "base/alloc.h"
#include "base/standard.h"
#include "base/text.h"
#include "reach/push-parts.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WAITING = 4 << 20 /* bytes; then the targets wait as well */ };

struct part {
    int fd;
    size_t n;
};

static struct {
    struct rh_buf text;
    struct part *parts;
    size_t n, cap;
    size_t at, first; /* bytes of the text, and parts, that were written */
} waiting;

static bool
is_ready(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    return poll(&p, 1, 0) != 0; /* also when it never will be: writing says why */
}

void
rh_push_output_flush(bool all)
{
    while (waiting.first < waiting.n) {
        struct part *part = &waiting.parts[waiting.first];
        size_t n = part->n < PIPE_BUF ? part->n : PIPE_BUF; /* a pipe that is ready takes so much */

        if (!all && !is_ready(part->fd))
            return;
        rh_standard_write(part->fd, waiting.text.s + waiting.at, n);
        waiting.at += n;
        part->n -= n;
        waiting.first += !part->n;
    }
    rh_buf_truncate(&waiting.text, 0);
    waiting.at = waiting.first = waiting.n = 0;
    if (all) {
        rh_buf_clear(&waiting.text);
        free(waiting.parts);
        waiting.parts = NULL;
        waiting.cap = 0;
    }
}

void
rh_push_output_add(int fd, const char *text, size_t n)
{
    rh_buf_addn(&waiting.text, text, n);
    if (waiting.n > waiting.first && waiting.parts[waiting.n - 1].fd == fd) {
        waiting.parts[waiting.n - 1].n += n;
    } else {
        waiting.parts = rh_xgrow(waiting.parts, &waiting.cap, waiting.n, sizeof *waiting.parts);
        waiting.parts[waiting.n++] = (struct part){ .fd = fd, .n = n };
    }
    rh_push_output_flush(false);
}

int
rh_push_output_waits_for(void)
{
    return waiting.first < waiting.n ? waiting.parts[waiting.first].fd : -1;
}

bool
rh_push_output_is_full(void)
{
    return waiting.text.n - waiting.at > MOST_WAITING;
}
