/* SPDX-License-Identifier: Apache-2.0 */
/* hint - hears of a broker that there may be something new. A hint is never more than that: what the agent
 * does next is what it would do at its next turn. */
#ifndef RH_AGENT_HINT_H
#define RH_AGENT_HINT_H

#include <stdbool.h>

struct rh_agent;

/* Waits for this time, or until a signal or a hint comes: true. It starts rhost-nats where settings name a
 * broker, and again when that has ended. */
bool rh_hint_wait(struct rh_agent *agent, double seconds);

/* When the cycle for a hint begins, by rh_now(): at random, so that not all machines come at once, and not
 * soon after the last one, so that hints cannot keep this machine busy. */
double rh_hint_due(struct rh_agent *agent);

/* Ends rhost-nats; the next wait starts it with the settings of then. */
void rh_hint_close(struct rh_agent *agent);

#endif
