/* SPDX-License-Identifier: Apache-2.0 */
/* scratch - folders of this machine that a fixture has for itself: in a mount namespace of the
 * check's process, what is written there goes to memory and ends with the process. */
#ifndef RH_CHECK_SCRATCH_H
#define RH_CHECK_SCRATCH_H

struct rh_buf;
struct rh_error;
struct rh_fixture;

/* Whether the fixture can be used here at all: 0, or -1 with what is missing. */
int rh_scratch_possible(const struct rh_fixture *f, struct rh_error *err);

/* Gives this process, which must be one of a check, the fixture's folders and network, writes the
 * files that belong there, and runs what prepares it. -1 with the reason. */
int rh_scratch_enter(const struct rh_fixture *f, struct rh_error *err);

/* What is there of the fixture's, as text: the whole directory, and what was written in the folders. */
int rh_scratch_list(struct rh_buf *b, const struct rh_fixture *f, struct rh_error *err);

#endif
