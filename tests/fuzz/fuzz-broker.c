/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-broker - what a worker sends to its broker: commands are read, and what was read must be the same
 * after it was written again; whole requests are served, none of which may start anything. */
#include "config.h"

#include "base/arena.h"
#include "base/text.h"
#include "provider/exec-broker.h"
#include "provider/exec-wire.h"

#include <rhost/exec.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_SENT = 64 << 10 }; /* fits into a socket */

static void
try_command(const char *bytes, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf out = { 0 };
    struct rhost_command command, again;

    if (!rh_ask_take_command(bytes, n, a, &command))
        return;
    rh_ask_put_command(&out, &command);
    if (out.n != n || memcmp(out.s, bytes, n) != 0 || !rh_ask_take_command(out.s, out.n, a, &again))
        abort();
}

static const char *
provider(void *data)
{
    (void)data;
    return "fuzz";
}

static bool
record(void *data, const char *shown)
{
    (void)data;
    (void)shown;
    return false; /* so nothing is started */
}

static bool
pause_for(void *data, int milliseconds)
{
    (void)data;
    (void)milliseconds;
    return false;
}

static void
try_requests(const char *bytes, size_t n)
{
    static const char *const nothing[] = { NULL };
    const struct rh_broker_host host = {
        .provider = provider,
        .rules = { .programs = n && bytes[0] & 1 ? nothing : NULL },
        .record = record,
        .watch = { .pause = pause_for },
    };
    const char *wrong = NULL;
    struct rh_broker *b;
    int pair[2], more = 1;

    if (n > MOST_SENT || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    b = rh_broker_new(pair[0], &host);
    if (send(pair[1], bytes, n, MSG_NOSIGNAL) != (ssize_t)n || shutdown(pair[1], SHUT_WR) < 0)
        abort();
    while (more > 0)
        more = rh_broker_serve(b, &wrong);
    if ((more < 0) != (wrong != NULL))
        abort();
    rh_broker_free(b);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_command((const char *)data, size);
    try_requests((const char *)data, size);
    return 0;
}
