/* SPDX-License-Identifier: Apache-2.0 */
/* replay - a journal told to a reporter, as if it happened now. */
#ifndef RH_RUN_REPLAY_H
#define RH_RUN_REPLAY_H

struct rh_reporter;
struct rh_run_journal;
struct rh_sources;
struct rh_value;

/* What happened and what was said, in order. The files that places name are added to `sources`. */
void rh_replay(const struct rh_run_journal *j, struct rh_sources *sources,
               const struct rh_reporter *reporter);

/* "12:36:01.042" of a line, UTC; empty when it has no time. The caller's. */
char *rh_replay_time(const struct rh_value *line);

#endif
