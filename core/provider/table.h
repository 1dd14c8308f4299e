/* SPDX-License-Identifier: Apache-2.0 */
/* table - the entries of the host's table that need the call they are made in. Each is documented
 * at its slot in <rhost/abi.h>. */
#ifndef RH_PROVIDER_TABLE_H
#define RH_PROVIDER_TABLE_H

#include <rhost/abi.h>

/* answer.c */
int32_t rh_table_emit(rhost_ctx *ctx, const rhost_value *resource);
int32_t rh_table_changed(rhost_ctx *ctx, const struct rhost_change *change,
                         const char *const *attributes, size_t n);
int32_t rh_table_noop(rhost_ctx *ctx);
int32_t rh_table_wants(rhost_ctx *ctx, const char *attribute);
void **rh_table_state(rhost_ctx *ctx);
void *rh_table_alloc(rhost_ctx *ctx, size_t n);
const void *rh_table_transport(rhost_ctx *ctx, const char *id);
const void *rh_table_extension(rhost_ctx *ctx, const char *id);

/* call.c */
int32_t rh_table_explain(rhost_ctx *ctx, const char *message);
int32_t rh_table_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message);

/* log-scope.c */
void rh_table_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n,
                  const char *message);
uint64_t rh_table_scope_begin(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                              const rhost_value *is, const rhost_value *should,
                              const char *message);
void rh_table_scope_end(rhost_ctx *ctx, uint64_t scope);
int32_t rh_table_did(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                     const rhost_value *is, const rhost_value *should, const char *message);
int32_t rh_table_unchanged(rhost_ctx *ctx, const char *title, const char *message);
int32_t rh_table_attribute_changed(rhost_ctx *ctx, const char *title, const char *attribute,
                                   const rhost_value *is, const rhost_value *should,
                                   const char *message);

#endif
