/* SPDX-License-Identifier: Apache-2.0 */
/* guard - the commands that say whether a resource has its turn: only_if, not_if. */
#ifndef RH_RUN_GUARD_H
#define RH_RUN_GUARD_H

struct rh_conduct;
struct rh_error;

/* 1: go on. 0: not, and `why` (the caller's) says which guard said so. -1: it could not be asked. */
int rh_guards_ask(const struct rh_conduct *conduct, char **why, struct rh_error *err);

#endif
