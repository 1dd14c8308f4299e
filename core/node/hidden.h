/* SPDX-License-Identifier: Apache-2.0 */
/* hidden - what of a node's attributes is a secret, whoever writes it. */
#ifndef RH_NODE_HIDDEN_H
#define RH_NODE_HIDDEN_H

struct rh_change;
struct rh_node;

/* Marks what of a change's value, which is the node's own, belongs to a path that is to be shown
 * nowhere (rh_node_hide of node/node.h). */
void rh_node_hide_change(struct rh_node *node, const struct rh_change *change);

#endif
