/* SPDX-License-Identifier: Apache-2.0 */
/* address - addresses and ports in the one form that ufw keeps. */
#ifndef UFW_ADDRESS_H
#define UFW_ADDRESS_H

#include <rhost/provider.h>

/* An address or a network as ufw keeps it: without bits behind the prefix, and without a prefix that says
 * nothing. "any" stays, and is what all of IPv4 or IPv6 become. NULL: it is none. */
const char *ufw_address(rhost_ctx *ctx, const char *text);

/* 4, 6, or 0 of "any". */
int ufw_family(const char *address);

/* Ports as ufw keeps them: sorted, with commas; "any" stays. NULL: they are none. */
const char *ufw_ports(rhost_ctx *ctx, const char *text);

#endif
