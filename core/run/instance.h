/* SPDX-License-Identifier: Apache-2.0 */
/* instance - instances of definitions in a run: what they are comes from what is part of them. */
#ifndef RH_RUN_INSTANCE_H
#define RH_RUN_INSTANCE_H

#include "provider/outcome.h"

struct rh_transaction;
struct rh_turn;

/* The instance's own turn, after those of its parts: tells whether it changed. */
enum rh_status rh_instance_converge(struct rh_transaction *t, const struct rh_turn *turn);

/* It is refreshed: what is part of it and can be, is. */
enum rh_status rh_instance_refresh(struct rh_transaction *t, const struct rh_turn *turn);

#endif
