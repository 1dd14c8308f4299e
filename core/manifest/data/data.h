/* SPDX-License-Identifier: Apache-2.0 */
/* data - attributes from data files, which `data:` of a manifest names from the most specific to the most
 * general:
 *
 *   data:                                     # data/common.yaml
 *     - data/hosts/${node.fqdn}.yaml          attribute_options:
 *     - data/os/${node.os.family}.yaml          web.aliases: {merge: unique}
 *     - data/common.yaml                      web: {port: 80, aliases: [www]}
 *
 * All of them go to the level `normal`. Tables merge, everything else is that of the most specific file,
 * unless an option of the attribute says how it is merged. A value with expressions is evaluated when its
 * top-level key is read first. */
#ifndef RH_MANIFEST_DATA_DATA_H
#define RH_MANIFEST_DATA_DATA_H

#include <stdbool.h>
#include <stddef.h>

struct rh_file;
struct rh_load;

/* Reads the data files that the manifests among `arguments` name, notes what in them is secret, and puts
 * their attributes into the node. The complaints are counted. */
void rh_data_read(struct rh_load *load, struct rh_file *const *arguments, size_t n);

/* Everything is read. Where some values were not needed, the load has to answer for them as long as the node
 * is read: returns whether that is so. */
bool rh_data_waits(const struct rh_load *load);

/* Evaluates all that was not needed. */
void rh_data_evaluate_all(struct rh_load *load);

/* Nothing is put into the node any more. */
void rh_data_close(struct rh_load *load);

#endif
