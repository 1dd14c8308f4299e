/* SPDX-License-Identifier: Apache-2.0 */
/* data-types - the data types that a plugin declares in the file beside it: NAME.types for NAME.so, and
 * type.types for type.yaml
 * (datatype/alias.h says what stands in it). */
#ifndef RH_PLUGIN_DATA_TYPES_H
#define RH_PLUGIN_DATA_TYPES_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_arena;
struct rh_error;
struct rh_value;
struct stat;

/* What is known of the file beside the plugin; false when there is none. */
bool rh_plugin_types_stat(const char *plugin, struct stat *st);

/* The hash of names and texts that it declares, which becomes part of the plugin's descriptions;
 * `types` is NULL when there is no file. -1 when it can't be used, with the place. */
RH_CHECKED int rh_plugin_types_read(struct rh_arena *a, const char *plugin, struct rh_value **types,
                                    struct rh_error *err);

#endif
