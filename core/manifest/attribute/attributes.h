/* SPDX-License-Identifier: Apache-2.0 */
/* attributes - what files say of the node's attributes, put into it:
 *
 *   attributes:                       attributes:
 *     default:                          - {op: set, level: default, path: [web, port], value: 80}
 *       web: {port: 8080}               - {op: rm, path: web.legacy}
 *     sensitive: [web.password]
 *
 * Plain scalars are read by YAML's core schema. An expression sees what is written above it. Each
 * value keeps its place. */
#ifndef RH_MANIFEST_ATTRIBUTE_ATTRIBUTES_H
#define RH_MANIFEST_ATTRIBUTE_ATTRIBUTES_H

struct rh_load;
struct rh_value;

/* Levels or operations, as they stand under `attributes:`. Used up: values are read in place. The
 * complaints are counted. */
void rh_attributes_read(struct rh_load *load, struct rh_value *v);

#endif
