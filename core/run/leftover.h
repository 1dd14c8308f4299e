/* SPDX-License-Identifier: Apache-2.0 */
/* leftover - what the last run has left unfinished, where it was killed. */
#ifndef RH_RUN_LEFTOVER_H
#define RH_RUN_LEFTOVER_H

/* Removes new files of that run that never took their place. With the lock, and before the journal of this
 * run begins: until then the last one is that of the killed run. */
void rh_leftovers_remove(const char *state_dir);

#endif
