/* SPDX-License-Identifier: Apache-2.0 */
/* link - the way to a worker: bytes out, whole frames in, and what it printed by mistake. Behind it
 * is a process, or, inline, the worker's own code. */
#ifndef RH_PLUGIN_LINK_H
#define RH_PLUGIN_LINK_H

#include "base/cleanup.h"
#include "base/text.h"
#include "plugin/spawn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_link {
    struct rh_process process;
    struct rh_server *server;   /* inline */
    struct rh_doing last_doing; /* inline, and of a worker that is dead */
    struct rh_buf out, in;
    size_t sent;                    /* of `out` */
    size_t taken;                   /* of `in` */
    uint64_t received, transmitted; /* bytes, ever */
    struct rh_attached {
        uint64_t at; /* of all bytes that are sent, the one that it goes with */
        int fd;
    } * attached;
    size_t n_attached, cap_attached;
    /* Inline: has the host look at what the worker's code wrote, while that waits for an answer. */
    void (*serve)(void *data);
    void *serve_data;
    struct rh_buf printed;
    size_t printed_more;    /* bytes that were not kept */
    struct rh_buf commands; /* that the broker has started: each with a NUL behind it */
    bool dead, output_closed;
    char *how; /* it ended, once dead */
};

/* `process`: not inline; confined to `privileges`, which may be NULL. */
RH_CHECKED int rh_link_open(struct rh_link *l, bool process, const struct rh_privileges *privileges,
                            struct rh_error *err);

/* Gives the worker, which was told to go, a moment for that; then it is ended. */
void rh_link_end(struct rh_link *l);
void rh_link_close(struct rh_link *l);

/* Sends a descriptor with the next byte that is put into l->out; it is the link's. */
void rh_link_attach(struct rh_link *l, int fd);

/* Sends what is in l->out as far as it goes, and receives what there is; waits up to so many
 * milliseconds (-1: forever). False when the time was up and nothing had moved. */
bool rh_link_move(struct rh_link *l, int milliseconds);

/* The next whole frame that was received: its type and payload, valid until the next call. False
 * when there is none yet; a frame that can't be one ends the worker. */
bool rh_link_next(struct rh_link *l, uint32_t *type, char **payload, size_t *n);

/* Ends the worker, and what is still in its memory counts as received. `why` NULL: it ended by
 * itself, and says how. */
void rh_link_kill(struct rh_link *l, const char *why);

/* Under way when last heard of. */
const struct rh_doing *rh_link_doing(const struct rh_link *l);

#endif
