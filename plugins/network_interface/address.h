/* SPDX-License-Identifier: Apache-2.0 */
/* address - IP addresses and networks, as text in one form and as bits. */
#ifndef NETWORK_INTERFACE_ADDRESS_H
#define NETWORK_INTERFACE_ADDRESS_H

#include <rhost/provider.h>

#include <arpa/inet.h>

struct address {
    int family; /* AF_INET or AF_INET6 */
    unsigned char bytes[16];
    unsigned prefix; /* 32 or 128 for a single address */
};

/* "192.0.2.1" or "2001:db8::1/64". 1, or 0 where the text is no address. `has_prefix` (or NULL) says whether
 * it had one. */
int address_parse(const char *text, struct address *a, int *has_prefix);

/* The canonical form in memory of the call; with the prefix or without. */
const char *address_text(rhost_ctx *ctx, const struct address *a, int with_prefix);

/* Whether the address is in the network that `network` is in, or is of. */
int address_is_in(const struct address *a, const struct address *network);

/* Sets the bits behind the prefix to 0. */
void address_cut(struct address *a);

/* Why an interface can't have the address, or NULL. */
const char *address_fault(const struct address *a);

int address_is_link_local(const struct address *a);

#endif
