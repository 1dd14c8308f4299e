/* SPDX-License-Identifier: Apache-2.0 */
/* manager - a user's own systemd manager: how units are, and jobs.
 *
 * systemctl runs as that user. So nothing is gained by swapping what is in the user's directories, and what
 * it answers is no more than the user's word for it. */
#ifndef USER_SERVICE_MANAGER_H
#define USER_SERVICE_MANAGER_H

#include "account.h"

#include "../service-systemd/unit.h"

struct shown {
    struct unit unit; /* without the state of its file */
    const char *type; /* of a service: simple, oneshot, ...; else "" */
    int stale;        /* its file is newer than what was read */
    int busy;         /* a job for it goes on */
};

/* How these are, of which none is a template. 1; 0: the manager does not run; -1 after the reason was given.
 */
int manager_show(rhost_ctx *ctx, const struct account *a, const char *const *names, size_t n,
                 struct shown *out);

/* One property of a unit: the lines of its values, each behind "PROPERTY=". "" when it can't be asked. */
const char *manager_property(rhost_ctx *ctx, const struct account *a, const char *unit, const char *property);

/* A verb of systemctl for these, NULL-terminated: start, stop, daemon-reload, ... -1 after the reason was
 * given; else *out has its status, which is SYSTEMCTL_LATE when that took longer than `limit` seconds. */
int manager_do(rhost_ctx *ctx, const struct account *a, const char *verb, const char *const *units,
               double limit, struct rhost_output *out);

/* The units of a list of all that are loaded, "*.service" for example; next_loaded() takes the next name of
 * it, NULL: it was the last. NULL, and nothing was said: the manager does not run. */
char *manager_list(rhost_ctx *ctx, const struct account *a, const char *pattern);
const char *manager_next(char **list);

#endif
