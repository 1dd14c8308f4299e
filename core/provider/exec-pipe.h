/* SPDX-License-Identifier: Apache-2.0 */
/* exec-pipe - the pipes between us and what we run. */
#ifndef RH_PROVIDER_EXEC_PIPE_H
#define RH_PROVIDER_EXEC_PIPE_H

/* Both ends above 2, whatever of 0, 1 and 2 was closed when we were started. -1 with errno. */
int rh_exec_pipe(int ends[2]);

void rh_exec_close(int *fd); /* leaves -1, which is fine to be given */

#endif
