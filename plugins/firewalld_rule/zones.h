/* SPDX-License-Identifier: Apache-2.0 */
/* zones - what the zones of firewalld have, in its permanent configuration and in the running one. */
#ifndef FIREWALLD_ZONES_H
#define FIREWALLD_ZONES_H

#include "kind.h"
#include "tool.h"

/* One thing that a zone has. */
struct item {
    const char *zone;
    const struct kind *kind;
    const char *value;  /* canonical */
    const char *listed; /* as firewalld lists it */
};

/* What the zones of a configuration have. */
struct zones {
    const char **names;
    struct item *items;
    size_t n_names, n_items;
    enum tool tool; /* what lists it and changes it */
};

/* All that firewalld has: the permanent configuration, and the running one while it runs. */
struct firewall {
    struct zones permanent, running;
    int runs;
};

/* Reads what the program lists: an answer of tool_run. All of it lives as long as the call. Where it is
 * refused, -1 with the reason given. */
int32_t zones_read(rhost_ctx *ctx, enum tool tool, struct zones *zones);

/* Reads both. All of it lives as long as the call. -1 with the reason given. */
int32_t firewall_read(rhost_ctx *ctx, struct firewall *firewall);

/* Whether the configuration has the zone. */
int zones_have(const struct zones *zones, const char *zone);

/* The zone that has an interface or a source; NULL: none has. */
const char *zones_with(const struct zones *zones, const struct kind *kind, const char *value);

/* The item that covers the value, or has a part of it where `some`; NULL: there is none. */
const struct item *zones_find(const struct zones *zones, const char *zone, const struct kind *kind,
                              const char *value, int some);

#endif
