/* SPDX-License-Identifier: Apache-2.0 */
/* machine - the node of this machine: its attributes, with the facts as the automatic level. */
#ifndef RH_CLI_MACHINE_H
#define RH_CLI_MACHINE_H

#include "base/complaint.h"
#include "base/source.h"

#include <stdbool.h>

struct rh_arena;
struct rh_facts;
struct rh_node;
struct rh_settings;

struct rh_machine {
    struct rh_node *node;
    struct rh_facts *facts;
    struct rh_arena *arena;
    struct rh_complaints complaints; /* of facts of one's own: warnings */
    bool elsewhere;                  /* it is a device that is managed: our facts are not its */
};

/* Places in facts point into `sources`. */
void rh_machine_open(struct rh_machine *m, const struct rh_settings *settings, struct rh_sources *sources);
void rh_machine_close(struct rh_machine *m);

/* Warns on standard error of what was wrong with facts of one's own so far, each once. */
void rh_machine_warn(struct rh_machine *m, bool colour);

#endif
