/* SPDX-License-Identifier: Apache-2.0 */
/* receive - the target's side of a push: takes a site from standard input, runs one command of rhost on it,
 * and sends what happens to standard output (reach/wire.h). */
#ifndef RH_REACH_RECEIVE_H
#define RH_REACH_RECEIVE_H

/* Says hello with this nonce, and does what the controller asks for. `state_dir` (NULL: none can be used)
 * keeps the ends of pushes that could not be told. Returns the exit status: 0 when the controller has the
 * end, 1 when nothing was run, 4 when the connection was lost. */
int rh_receive(const char *nonce, const char *state_dir);

#endif
