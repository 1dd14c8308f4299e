/* SPDX-License-Identifier: Apache-2.0 */
/* handle - the handles of calls, as plugins hold them.
 *
 * A handle is a place in a ring, which is used again after very many others: one that a plugin kept, and uses
 * when its call has returned, leads to no call, rather than to another one. The same look finds a call from
 * another thread. Either would damage what the host is working on, so the process ends, and says why. */
#include "config.h"

#include "provider/handle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rh_handle rh_handles[RH_HANDLES];
static size_t next;

pthread_t rh_handle_thread;
bool rh_handle_used;

static void
report_and_abort(const char *how)
{
    (void)fprintf(stderr, "fatal: a provider %s\n", how);
    abort();
}

static void (*on_misuse)(const char *how) = report_and_abort;

void
rh_handle_on_misuse(void (*fn)(const char *how))
{
    on_misuse = fn ? fn : report_and_abort;
}

rhost_ctx *
rh_handle_open(const struct rhost_host *host, struct rh_call *call, const char *what)
{
    while (rh_handles[next % RH_HANDLES].call) /* calls that go on: into a transport, for a provider */
        next++;
    rh_handle_thread = pthread_self();
    rh_handle_used = true;
    rh_handles[next % RH_HANDLES] = (struct rh_handle){ .ctx = { .host = host }, .call = call, .what = what };
    return &rh_handles[next++ % RH_HANDLES].ctx;
}

void
rh_handle_close(rhost_ctx *ctx)
{
    ((struct rh_handle *)(void *)ctx)->call = NULL;
}

/* As plugins know the function: "log" of rh_table_log. */
static const char *
name_of(const char *function)
{
    static const char *const prefixes[] = { "rh_table_", "table_" };

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(function, prefixes[i], strlen(prefixes[i])) == 0)
            return function + strlen(prefixes[i]);
    return function;
}

void
rh_handle_misused(const rhost_ctx *ctx, const char *function)
{
    const struct rh_handle *h = (const struct rh_handle *)(const void *)ctx;
    char how[200];

    if (rh_handle_used && !pthread_equal(rh_handle_thread, pthread_self()))
        (void)snprintf(how, sizeof how,
                       "called %s() on another thread than the one that its callbacks run on",
                       name_of(function));
    else if (rh_handle_is_ours(ctx) && h->what)
        (void)snprintf(how, sizeof how, "called %s() with the handle of %s(), which had returned before",
                       name_of(function), h->what);
    else
        (void)snprintf(how, sizeof how, "called %s() with a handle that the host never gave it",
                       name_of(function));
    on_misuse(how);
    _exit(70);
}
