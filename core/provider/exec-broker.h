/* SPDX-License-Identifier: Apache-2.0 */
/* exec-broker - starts commands for a worker that must not start them itself, since it is confined.
 *
 *     host ──▶ broker ──fork──▶ worker (the plugin's code)
 *                │  ◀─ requests ─┘
 *                └────fork──▶ keeper ──fork──▶ command
 *
 * The broker loads no plugin and trusts nothing that the worker sends: each length, number and descriptor is
 * checked, and an invalid request ends the worker. A command is started as exec-child.h
 * describes, and by that code; its reports and output go to the worker directly, through descriptors that
 * came with the request. */
#ifndef RH_PROVIDER_EXEC_BROKER_H
#define RH_PROVIDER_EXEC_BROKER_H

#include "base/cleanup.h"
#include "provider/exec-child.h"
#include "provider/exec-rules.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_broker;

struct rh_broker_host {
    void *data;
    const char *(*provider)(void *data); /* for messages; lives until the next request */
    struct rh_exec_rules rules;
    /* Confines each command (exec-child.h), with `data`; NULL: they are not confined. */
    int (*confine)(const void *data, char *const *candidates);
    /* Records a command before it is started. False when that is not possible: it is not started then. */
    bool (*record)(void *data, const char *shown);
    struct rh_exec_pause watch; /* while it waits: false when the worker has ended */
};

/* Serves the worker at the other end of this socket, a stream. `host` must stay; the socket stays the
 * caller's. */
struct rh_broker *rh_broker_new(int channel, const struct rh_broker_host *host);
void rh_broker_free(struct rh_broker *b);

/* Reads what has arrived and answers it, without waiting for more. 1: there may be more; 0: the worker has
 * closed the socket; -1: the worker must be ended, and *wrong (static) says why. It sent an invalid request,
 * or the broker could not handle it: see rh_broker_failure(). */
RH_CHECKED int rh_broker_serve(struct rh_broker *b, const char **wrong);

/* After -1: the errno of the broker's own call that failed, or 0 when the request is invalid. */
int rh_broker_failure(const struct rh_broker *b);

/* Whether it waits for a keeper to end, and takes no request before that; and, after SIGCHLD, looks whether
 * it has. -1 as above. */
bool rh_broker_is_waiting(const struct rh_broker *b);
RH_CHECKED int rh_broker_look(struct rh_broker *b, const char **wrong);

#endif
