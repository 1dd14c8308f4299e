/* SPDX-License-Identifier: Apache-2.0 */
/* look - one look at what a resource waits for: a path, a port, a Unix socket, or a unit. */
#ifndef WAIT_FOR_LOOK_H
#define WAIT_FOR_LOOK_H

#include <rhost/provider.h>

#include <stdint.h>
#include <sys/stat.h>

enum look_result {
    LOOK_FAILED = -1, /* after fail(): waiting would not help */
    LOOK_ABSENT,      /* there is no such path, the port is closed, the unit is not active */
    LOOK_PRESENT,
    LOOK_UNKNOWN, /* neither can be told, such as while a unit starts */
};

struct look {
    rhost_ctx *ctx;
    const rhost_value *should;
    double until;           /* when this look has to end, in seconds of look_now() */
    char why[400];          /* what was found, in words; never something sensitive */
    struct stat seen;       /* the file that was searched last, and whether the text was in it */
    enum look_result found; /* LOOK_UNKNOWN: none was */
};

/* Seconds of a clock that nobody sets. */
double look_now(void);

/* Waits so many seconds; -1: the run is to end. */
int look_pause(rhost_ctx *ctx, double seconds);

/* Prepares looks for a resource. It holds nothing that has to be freed. */
void look_init(struct look *l, rhost_ctx *ctx, const rhost_value *should);

/* Looks once, until l->until at most. */
enum look_result look_once(struct look *l);

/* Whether `text` of the resource is in these bytes: LOOK_PRESENT, LOOK_ABSENT, or LOOK_FAILED. */
enum look_result look_for_text(struct look *l, const char *bytes, size_t n);

/* dial.c: a look at `port` of `host`, or at `socket`. */
enum look_result look_at_port(struct look *l, int64_t port);
enum look_result look_at_socket(struct look *l, const char *path);

#endif
