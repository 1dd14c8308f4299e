/* SPDX-License-Identifier: Apache-2.0 */
/* handle - the handles of calls, as plugins hold them. Private to this room but for rh_handle_on_misuse(). */
#ifndef RH_PROVIDER_HANDLE_H
#define RH_PROVIDER_HANDLE_H

#include <pthread.h>
#include <rhost/abi.h>
#include <stdbool.h>
#include <stdint.h>

struct rh_call;

struct rh_handle {
    rhost_ctx ctx;        /* what the plugin sees */
    struct rh_call *call; /* NULL: it has returned */
    const char *what;     /* the callback */
};

enum { RH_HANDLES = 1 << 12 };
extern struct rh_handle rh_handles[RH_HANDLES];

/* A handle for a call, until rh_handle_close(). */
rhost_ctx *rh_handle_open(const struct rhost_host *host, struct rh_call *call, const char *what);
void rh_handle_close(rhost_ctx *ctx);

/* What ends the process when a plugin uses a handle that it may not: `how` goes behind its name. On whatever
 * thread. NULL: print it, and abort. */
void rh_handle_on_misuse(void (*fn)(const char *how));

void rh_handle_misused(const rhost_ctx *ctx, const char *function) __attribute__((noreturn, cold));

extern pthread_t rh_handle_thread; /* that callbacks run on */
extern bool rh_handle_used;        /* some did */

/* For host functions that have a value instead of a handle. */
static inline void
rh_handle_check_thread(const char *function)
{
    if (rh_handle_used && !pthread_equal(rh_handle_thread, pthread_self()))
        rh_handle_misused(NULL, function);
}

static inline bool
rh_handle_is_ours(const rhost_ctx *ctx)
{
    uintptr_t at = (uintptr_t)ctx - (uintptr_t)rh_handles;

    return at < sizeof rh_handles && at % sizeof rh_handles[0] == 0;
}

static inline struct rh_call *
rh_handle_call(rhost_ctx *ctx, const char *function)
{
    struct rh_handle *h = (struct rh_handle *)(void *)ctx;

    if (!rh_handle_is_ours(ctx) || !h->call || !pthread_equal(rh_handle_thread, pthread_self()))
        rh_handle_misused(ctx, function);
    return h->call;
}

/* The call that a handle leads to. */
#define rh_call_of(ctx) rh_handle_call((ctx), __func__)

#endif
