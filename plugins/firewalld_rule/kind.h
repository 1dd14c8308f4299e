/* SPDX-License-Identifier: Apache-2.0 */
/* kind - what a zone can have, and the one form of each value. */
#ifndef FIREWALLD_KIND_H
#define FIREWALLD_KIND_H

#include <rhost/provider.h>

#define KIND_TYPE                                                                                            \
    "Enum[service, port, protocol, source_port, icmp_block, source, interface, rich_rule, forward_port, "    \
    "masquerade, forward, icmp_block_inversion]"

/* What a zone can have of firewalld. */
struct kind {
    const char *name;   /* in manifests */
    const char *option; /* of firewall-cmd, behind --add- and --remove- */
    const char *listed; /* what stands before it in a listing of a zone */
    int flag;           /* it is there or not, without a value */
    int lines;          /* each value has a line of its own in a listing */
    int moves;          /* one zone alone has it: --change- takes it from another */
    int ports;          /* ranges of ports, which firewalld joins and splits */
    int offline_zone;   /* firewall-offline-cmd says --remove-OPTION-from-zone */
};

/* The kind of this name; NULL: there is none. */
const struct kind *kind_of(const char *name);

/* The kind that a listing calls so; NULL: there is none. */
const struct kind *kind_listed(const char *text, size_t len);

/* The value in one form; NULL with *why where it is none. Both live as long as the call. */
const char *kind_canonical(rhost_ctx *ctx, const struct kind *kind, const char *value, const char **why);

/* Whether of two canonical values the first covers the second; `some`: whether they have ports in common. */
int kind_covers(const struct kind *kind, const char *has, const char *value, int some);

#endif
