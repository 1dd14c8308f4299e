/* SPDX-License-Identifier: Apache-2.0 */
/* canonical - the one form of each attribute, for what manifests say and for what files have. */
#ifndef NETWORK_INTERFACE_CANONICAL_H
#define NETWORK_INTERFACE_CANONICAL_H

#include <rhost/provider.h>

/* Brings one attribute of `in` into its canonical form, where it is there. NULL; or why it can't be, in
 * memory of the call, with the element at fault in *path ("addresses[1]", in memory of the call). */
const char *canonical_attribute(rhost_ctx *ctx, rhost_value *in, const char *key, const char **path);

/* The attributes that stand in the file: match, dhcp, and so on, up to a NULL. */
extern const char *const canonical_keys[];

/* Whether a gateway can't be reached through the addresses, or the MTU is too small for them: 0, or -1 with
 * the reason given, for each mistake. `config` is canonical: all that is to be so, of which `wanted` is what
 * somebody asked for; what that is not about was so before, and is not looked at. */
int canonical_check(rhost_ctx *ctx, const rhost_value *config, const rhost_value *wanted);

#endif
