/* SPDX-License-Identifier: Apache-2.0 */
/* signals - what asks the agent to end or to read its settings again. */
#ifndef RH_AGENT_SIGNALS_H
#define RH_AGENT_SIGNALS_H

#include <stdbool.h>

void rh_agent_signals_open(void);

/* SIGTERM or SIGINT has come. */
bool rh_agent_stopping(void);

/* SIGHUP has come; the other one also forgets it. */
bool rh_agent_has_signal_to_reload(void);
bool rh_agent_reloading(void);

/* Waits for this time, or until a signal comes. */
void rh_agent_wait(double seconds);

enum rh_wait_end { RH_WAIT_TIME, RH_WAIT_SIGNAL, RH_WAIT_READY };

/* The same, or until there is something to read from `fd`; -1: none. */
enum rh_wait_end rh_agent_wait_for(int fd, double seconds);

#endif
