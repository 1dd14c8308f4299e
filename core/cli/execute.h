/* SPDX-License-Identifier: Apache-2.0 */
/* execute - a settled catalog run, with the reports that the settings ask for. */
#ifndef RH_CLI_EXECUTE_H
#define RH_CLI_EXECUTE_H

struct rh_session;

/* Takes the lock, runs, reports. Returns the exit status. */
int rh_execute(struct rh_session *s);

#endif
