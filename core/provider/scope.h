/* SPDX-License-Identifier: Apache-2.0 */
/* scope - the logging context's blocks, as the rest of this room sees them. */
#ifndef RH_PROVIDER_SCOPE_H
#define RH_PROVIDER_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_call;
struct rh_job;
struct rh_value;

/* Gives a failure to the innermost scope; false when none is open. */
bool rh_scope_fail(struct rh_call *call, const char *attribute, const char *text);

/* Opens a scope for one job on the provider's behalf, and ends it; returns false when it failed. */
uint64_t rh_scope_open(struct rh_call *call, struct rh_job *job, int doing);
bool rh_scope_close(struct rh_call *call, uint64_t scope);

/* Ends what the plugin left open, which it is told about. */
void rh_scope_end_all(struct rh_call *call);

/* read.c */
int32_t rh_read_emit(struct rh_call *call, const struct rh_value *resource);

/* write.c */
int32_t rh_write_changed(struct rh_call *call, struct rh_job *job, const char *const *attributes,
                         size_t n);

#endif
