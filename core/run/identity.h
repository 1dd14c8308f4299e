/* SPDX-License-Identifier: Apache-2.0 */
/* identity - which machine this is and which of its runs: what a report has, so that reports of many machines
 * can be put into one table. */
#ifndef RH_RUN_IDENTITY_H
#define RH_RUN_IDENTITY_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct rh_error;

enum { RH_RUN_ID = 120, RH_RUN_TIME = 80, RH_HOST_ID = 33, RH_HOST_NAME = 66 };

struct rh_identity {
    char host[RH_HOST_ID];   /* the id of this machine, 32 hexadecimal digits; "": it is not known */
    char name[RH_HOST_NAME]; /* its name, as uname(2) gives it */
    uint64_t seq;            /* the number of the run in its state directory; 0: it has none */
};

/* The id and the name of this machine. The id is made of /etc/machine-id, as
 * sd_id128_get_machine_app_specific() makes it, since that itself is confidential (machine-id(5)). Without
 * that file it is unknown. */
void rh_identity_of_machine(struct rh_identity *to);

/* The same, and the next number of this state directory, which no other run gets, also at the same time. A
 * machine without /etc/machine-id gets an id of its own, which is kept there. With `durable`, the number is
 * on disk when this returns: somebody else will see it. */
RH_CHECKED int rh_identity_take(const char *state_dir, bool durable, struct rh_identity *to,
                                struct rh_error *err);

/* The id of a run that starts now, and this time as text. Two runs get different ids on whatever machines
 * they are. Whatever the clock says, the id is one that rh_journal_run knows, and those of later times sort
 * behind. */
void rh_identity_new_run(char id[RH_RUN_ID], char started[RH_RUN_TIME]);

/* The same of this time, and this number. */
void rh_identity_run_at(const struct timespec *now, uint64_t number, char id[RH_RUN_ID],
                        char started[RH_RUN_TIME]);

#endif
