/* SPDX-License-Identifier: Apache-2.0 */
/* schema - a type or a transport as type.yaml describes it, made into the descriptor of a shared object. */
#ifndef BRIDGE_SCHEMA_H
#define BRIDGE_SCHEMA_H

#include "keep.h"
#include "type.h"

struct reading; /* a type that is being read */

/* What a type can have, NULL-terminated; the keys of a file with one type are these and the file's own. */
extern const char *const schema_keys[];

/* `type` may be NULL, and is set in the provider later. */
struct reading *schema_new(const struct description *of, const char *type);
int schema_key(struct tree *tree, struct reading *r, const char *key, const yaml_node_t *at,
               yaml_node_t *value);

/* NULL after complaining, about `at`. */
const struct served *schema_finish(struct tree *tree, const yaml_node_t *at, struct reading *r);
struct served *schema_served(struct reading *r);

/* The attributes or parameters of what is no type. */
int schema_attributes(struct tree *tree, yaml_node_t *value, const char *what,
                      const struct rhost_attr **attrs, size_t *n);

/* The needs of a type, a lookup or a fact: never NULL afterwards. */
int schema_needs(struct tree *tree, yaml_node_t *value, const char *const **needs);

const struct route *schema_transport(struct tree *tree, const struct description *of, const char *name,
                                     const yaml_node_t *at, yaml_node_t *value);

#endif
