/* SPDX-License-Identifier: Apache-2.0 */
/* probe - one probe of what a resource waits for: a path, a port, a Unix socket, or a unit. */
#ifndef WAIT_FOR_PROBE_H
#define WAIT_FOR_PROBE_H

#include <rhost/provider.h>

#include <stdint.h>
#include <sys/stat.h>

enum probe_result {
    PROBE_FAILED = -1, /* after fail(): waiting would not help */
    PROBE_ABSENT,      /* there is no such path, the port is closed, the unit is not active */
    PROBE_PRESENT,
    PROBE_UNKNOWN, /* neither can be told, such as while a unit starts */
};

struct probe {
    rhost_ctx *ctx;
    const rhost_value *should;
    double until;            /* when this probe has to end, in seconds of probe_now() */
    char why[400];           /* what was found, in words; never something sensitive */
    struct stat seen;        /* the file that was searched last, and whether the text was in it */
    enum probe_result found; /* PROBE_UNKNOWN: none was */
};

/* Seconds of a clock that nobody sets. */
double probe_now(void);

/* Waits so many seconds; -1: the run is to end. */
int probe_pause(rhost_ctx *ctx, double seconds);

/* Prepares probes for a resource. It holds nothing that has to be freed. */
void probe_init(struct probe *l, rhost_ctx *ctx, const rhost_value *should);

/* Probes once, until l->until at most. */
enum probe_result probe_once(struct probe *l);

/* Whether `text` of the resource is in these bytes: PROBE_PRESENT, PROBE_ABSENT, or PROBE_FAILED. */
enum probe_result probe_text(struct probe *l, const char *bytes, size_t n);

/* connect.c: a probe of `port` of `host`, or at `socket`. */
enum probe_result probe_port(struct probe *l, int64_t port);
enum probe_result probe_socket(struct probe *l, const char *path);

#endif
