/* SPDX-License-Identifier: Apache-2.0 */
/* chain - the rules of a chain that have a comment, by which they are known. */
#ifndef NFT_RULE_CHAIN_H
#define NFT_RULE_CHAIN_H

#include <rhost/provider.h>

struct named_rule {
    const char *table, *chain; /* "inet filter", "input" */
    const char *name, *rule, *handle;
};

/* Some of them, of one chain or of all. */
struct rules {
    const char *place; /* "inet filter input" */
    int exists;
    const char *why; /* why they cannot be listed; NULL: they can */
    struct named_rule *all;
    size_t n;
};

/* Those of this chain; "ruleset": of all chains. In memory of the call. */
struct rules rules_list(rhost_ctx *ctx, const char *place);

/* That of this name, or NULL. */
const struct named_rule *rules_find(const struct rules *r, const char *name);

/* How many have this name. */
size_t rules_count(const struct rules *r, const char *name);

/* "inet filter input", of the namevars of a rule. */
const char *rules_place(rhost_ctx *ctx, const rhost_value *name);

#endif
