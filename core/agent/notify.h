/* SPDX-License-Identifier: Apache-2.0 */
/* notify - says to systemd that the agent is alive, where it asked for that (sd_notify(3)). */
#ifndef RH_AGENT_NOTIFY_H
#define RH_AGENT_NOTIFY_H

/* Reads NOTIFY_SOCKET and WATCHDOG_USEC, and takes them out of the environment, so that runs do not have
 * them. */
void rh_notify_open(void);

/* "READY=1", "STOPPING=1", "RELOADING=1", "STATUS=...". Nothing where the variable is not set. */
void rh_notify(const char *text);

/* To be called again and again: sends WATCHDOG=1 when it is time. */
void rh_notify_alive(void);

#endif
