/* SPDX-License-Identifier: Apache-2.0 */
/* undo - restoring the states before a run that failed. */
#ifndef RH_CLI_UNDO_H
#define RH_CLI_UNDO_H

struct rh_settings;

/* Undoes the run where --rollback-on-failure asks for that, and the status says that it failed. `status` is
 * the run's, and is returned. */
int rh_undo_where_failed(const struct rh_settings *settings, const char *run, int status);

#endif
