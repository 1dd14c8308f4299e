/* SPDX-License-Identifier: Apache-2.0 */
/* undo - restoring the states before a run that failed. */
#ifndef RH_CLI_UNDO_H
#define RH_CLI_UNDO_H

struct rh_session;

/* Has the runs of this session undone that fail, where --rollback-on-failure asks for that. */
void rh_undo_where_failed(struct rh_session *s);

#endif
