/* SPDX-License-Identifier: Apache-2.0 */
/* process - the process of a program: one for all types and transports of the program in a worker, which
 * is connected to at most one device. */
#ifndef BRIDGE_PROCESS_H
#define BRIDGE_PROCESS_H

#include "text.h"
#include "type.h"

#include <rhost/program.h>

struct process {
    struct rhost_program *program; /* NULL: it does not run */
    size_t users;                  /* providers and transports that have used it and are not closed */
    size_t connected;              /* transports among them that are connected */
    bool linked, verified;         /* the process is connected, and was asked for "verify" */
    struct text connect;           /* the question that connects it: for a new process after this one */
};

/* What a provider or transport has of it. */
struct seat {
    const struct description *of;
    struct process *process;
    struct rhost_program *ended; /* that ended while it was asked; nothing more is asked of any */
    bool connected;              /* it is a transport, and open */
    bool shares;                 /* with others: the process outlives it */
};

/* The transport gives its seat to the providers of remote resources. */
#define CONNECTION_ID "rhost.bridge.connection/1"

/* Whether the host can let several use a program. */
bool process_can_share(const struct rhost_programs *programs);

/* That of the provider or transport that is called. NULL: the host keeps nothing. A program with lookups has
 * a process of its own for them: `exclusive`. */
struct seat *seat_of(rhost_ctx *ctx, const struct description *of, bool exclusive);

/* From now on it uses the process of another seat. */
void seat_join(rhost_ctx *ctx, struct seat *seat, const struct seat *other);

/* The program has ended, or is of no use any more: others start a new one. */
void seat_lose(struct seat *seat, struct rhost_program *program);

/* It uses no process any more. The last one to do so stops the program. */
void seat_drop(rhost_ctx *ctx, struct seat *seat);

/* The same for good. */
void seat_leave(rhost_ctx *ctx, struct seat *seat);

#endif
