/* SPDX-License-Identifier: Apache-2.0 */
/* order - other files of systemd-networkd that have a say: those that come first, and drop-ins. */
#ifndef NETWORK_INTERFACE_ORDER_H
#define NETWORK_INTERFACE_ORDER_H

#include <rhost/provider.h>

/* networkd takes the first file, in the order of names, whose [Match] fits. *path is one that comes before
 * `target` and that matches by name all that `match` names, in memory of the call; or NULL. Where `target` is
 * in none of the directories that networkd reads, there is none. -1 after the reason was given. */
int order_first(rhost_ctx *ctx, const char *target, const char *match, const char **path);

/* A drop-in of `target` that has a setting of an attribute that `should` has: *path and *key ("DHCP"), in
 * memory of the call, or NULL. -1 after the reason was given. */
int order_drop_in(rhost_ctx *ctx, const char *target, const rhost_value *should, const char **path,
                  const char **key);

#endif
