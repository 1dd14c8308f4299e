/* SPDX-License-Identifier: Apache-2.0 */
/* config - the attributes of an interface in the lines of its .network file. */
#ifndef NETWORK_INTERFACE_CONFIG_H
#define NETWORK_INTERFACE_CONFIG_H

#include <rhost/lines.h>

/* Puts what the lines say into `into`, in canonical form. What no attribute can say, such as an address that
 * is none, is left out, so that its attribute is unknown. */
void config_read(rhost_ctx *ctx, const struct rhost_lines *l, rhost_value *into);

/* Edits the lines to say what `should` has. */
void config_write(rhost_ctx *ctx, struct rhost_lines *l, const rhost_value *should);

/* Whether [Match] says anything: networkd ignores a file without it. */
int config_has_match(rhost_ctx *ctx, const struct rhost_lines *l);

/* The first of the settings that an attribute of `should` stands for and that the lines have, such as "DHCP";
 * or NULL. */
const char *config_sets(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *should);

#endif
