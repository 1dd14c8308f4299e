/* SPDX-License-Identifier: Apache-2.0 */
/* describe - a live plugin's descriptor as data.
 *
 * The only code that trusts a plugin's structs, and it trusts them as little as it can: sizes are
 * held against ours first, and the smaller part is copied (ABI rule 3). */
#ifndef RH_PROVIDER_DESCRIBE_H
#define RH_PROVIDER_DESCRIBE_H

#include "base/cleanup.h"

#include <rhost/abi.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* The plugin as a hash: name, version, providers (a list of descriptions as schema/type.h reads
 * them), and so transports. `types` are the data types with names of their own that it brings; may be
 * NULL. NULL when it is not what it claims to be. */
RH_CHECKED struct rh_value *rh_describe_plugin(struct rh_arena *a, const struct rhost_plugin *plugin,
                                               const struct rh_value *types, struct rh_error *err);

/* A transport, as if it were a type: its namevar is `target`, its other attributes are the shape of the
 * connection info. */
RH_CHECKED int rh_describe_transport(struct rh_arena *a, const struct rhost_plugin *plugin, const char *name,
                                     const struct rhost_transport **own, struct rhost_transport *copy,
                                     struct rh_value **description, struct rh_error *err);

/* Copies the provider of this type and name into `copy` (zeroed beyond what the plugin knows), and
 * its description into `description`; `own` is the plugin's, and may be NULL. */
RH_CHECKED int rh_describe_provider(struct rh_arena *a, const struct rhost_plugin *plugin,
                                    const struct rh_value *types, const char *type, const char *name,
                                    struct rhost_provider *copy, const struct rhost_provider **own,
                                    struct rh_value **description, struct rh_error *err);

/* describe-lookup.c: the lookups and facts of a plugin, which are called in one worker. */

/* The namevar of a source; no fact has this name. */
#define RH_SOURCE_NAMEVAR "plugin"

/* Both as if they were a type: its read-only attributes are the facts. `lookups` is a list of what would be
 * types too: the parameters of each, between the namevar `lookup` and the read-only `answer`. */
RH_CHECKED int rh_describe_source(struct rh_arena *a, const struct rhost_plugin *plugin,
                                  const struct rh_value *types, struct rhost_plugin *copy,
                                  struct rh_value **description, struct rh_error *err);

RH_CHECKED int rh_describe_find_lookup(const struct rhost_plugin *plugin, const char *name,
                                       struct rhost_lookup *copy, const void **own, struct rh_error *err);
RH_CHECKED int rh_describe_find_fact(const struct rhost_plugin *plugin, const char *name,
                                     struct rhost_fact *copy, const void **own, struct rh_error *err);

#endif
