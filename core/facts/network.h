/* SPDX-License-Identifier: Apache-2.0 */
/* network - interfaces, their addresses, and where the way out leads. */
#ifndef RH_FACTS_NETWORK_H
#define RH_FACTS_NETWORK_H

struct ifaddrs;
struct rh_probe;
struct rh_value;

/* The fact `network` of these addresses (NULL: none are known) and the files below the root. */
struct rh_value *rh_network_read(const struct rh_probe *l, const struct ifaddrs *addresses);

#endif
