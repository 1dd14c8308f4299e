/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - have systemd start, stop or reload units, many at once, and wait for all of them. */
#ifndef SERVICE_SYSTEMD_JOBS_H
#define SERVICE_SYSTEMD_JOBS_H

#include "bus.h"

struct job {
    const char *unit;
    const char *method; /* of Manager: "StartUnit" */
    double limit;       /* seconds to wait for it */
    const char *result; /* NULL, or what systemd said in the end: "done", "failed", "timeout", ... */
    const char *error;  /* NULL, or why it could not even be queued, or was not waited for to its end */
    char *path;         /* its object, once it is queued */
};

/* Queues all of them, and then waits: each has a result or an error. What is still under way when the
 * time is up goes on. */
void jobs_run(rhost_ctx *ctx, sd_bus *bus, struct job *jobs, size_t n);

#endif
