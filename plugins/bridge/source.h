/* SPDX-License-Identifier: Apache-2.0 */
/* source - lookups and facts of a program. */
#ifndef BRIDGE_SOURCE_H
#define BRIDGE_SOURCE_H

#include "keep.h"
#include "type.h"

/* NULL after complaining, about `at`. */
const struct rhost_lookup *source_lookup(struct tree *tree, const struct description *of, const char *name,
                                         const yaml_node_t *at, yaml_node_t *value);
const struct rhost_fact *source_fact(struct tree *tree, const struct description *of, const char *name,
                                     const yaml_node_t *at, yaml_node_t *value);

#endif
