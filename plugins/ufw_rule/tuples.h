/* SPDX-License-Identifier: Apache-2.0 */
/* tuples - the rules that ufw keeps. */
#ifndef UFW_TUPLES_H
#define UFW_TUPLES_H

#include <rhost/provider.h>

#define UFW_DIRECTORY "/etc/ufw"
#define UFW_ANY "any"

/* A rule of ufw, in words of the type. Of an application, `to_port` or `from_port` is its name, and `proto`
 * any. */
struct ufw_rule {
    const char *comment; /* "" without one */
    const char *action, *direction, *interface_in, *interface_out, *proto, *from, *from_port, *to, *to_port,
        *log;
};

/* One line of the files of ufw: a rule of IPv4 or of IPv6. */
struct tuple {
    struct ufw_rule rule;
    int v6;
    size_t number; /* from 1, as `ufw status numbered` counts, and `ufw insert` */
};

struct tuples {
    struct tuple *all;
    size_t n;
    int ipv6; /* ufw makes rules of IPv6 as well */
};

/* Reads all rules that ufw keeps, those of IPv4 first. All of it lives as long as the call. -1 with the
 * reason given. */
int32_t tuples_read(rhost_ctx *ctx, struct tuples *tuples);

/* Whether both are for the same traffic: ufw has one rule for it. */
int ufw_same_traffic(const struct ufw_rule *a, const struct ufw_rule *b);

/* Whether both are the same but for their comments. */
int ufw_same(const struct ufw_rule *a, const struct ufw_rule *b);

#endif
