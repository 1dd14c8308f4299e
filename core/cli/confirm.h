/* SPDX-License-Identifier: Apache-2.0 */
/* confirm - what a run needs that is to be confirmed; the command itself is in confirm.c. */
#ifndef RH_CLI_CONFIRM_H
#define RH_CLI_CONFIRM_H

struct rh_arena;
struct rh_confirm_request;
struct rh_settings;

/* confirm-request.c: the options of this command that the rollback is run with, their paths absolute. */
void rh_confirm_request_make(struct rh_arena *a, const struct rh_settings *o, struct rh_confirm_request *to);

#endif
