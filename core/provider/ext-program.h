/* SPDX-License-Identifier: Apache-2.0 */
/* ext-program - the extension rhost.program/1, as <rhost/program.h> promises it. */
#ifndef RH_PROVIDER_EXT_PROGRAM_H
#define RH_PROVIDER_EXT_PROGRAM_H

struct rh_runtime;
struct rhost_programs;

const struct rhost_programs *rh_ext_program(void);

/* Ends programs that were not stopped. */
void rh_ext_program_clear(struct rh_runtime *rt);

/* Descriptors that are open for programs: the host's own, and no provider's fault. */
int rh_ext_program_descriptors(void);

#endif
