/* SPDX-License-Identifier: Apache-2.0 */
/* program - what a program that tells facts prints. */
#ifndef RH_FACTS_PROGRAM_H
#define RH_FACTS_PROGRAM_H

#include <stddef.h>

struct rh_error;

/* Runs it without arguments, in a clean environment, for at most so many seconds; then it is ended
 * with all that it started. Its standard output, the caller's to free; NULL when it could not be
 * run, failed, was late, or said too much. */
char *rh_program_run(const char *path, unsigned time_limit, size_t *n, struct rh_error *err);

#endif
