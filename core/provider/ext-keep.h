/* SPDX-License-Identifier: Apache-2.0 */
/* ext-keep - the extension rhost.keep/1: words that the host keeps for a provider, by name. */
#ifndef RH_PROVIDER_EXT_KEEP_H
#define RH_PROVIDER_EXT_KEEP_H

struct rh_runtime;
struct rhost_keep;

const struct rhost_keep *rh_ext_keep(void);

/* Releases all that is kept, once the provider is closed. */
void rh_ext_keep_clear(struct rh_runtime *rt);

#endif
