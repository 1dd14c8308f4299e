/* SPDX-License-Identifier: Apache-2.0 */
/* nft - what the types of nftables share: running nft, its texts, and whether two of them mean the same.
 *
 * nft is a program of its own, since libnftables ends the process in which it runs out of memory; and so the
 * worker needs no right to change the network.
 *
 * The kernel keeps no text: what it lists is written anew, `ssh` as 22 and `{ 80, 443 }` in its own order. So
 * what was listed after a text had been given is noted, and the same text stands for that listing from then
 * on. */
#ifndef NFT_TABLE_NFT_H
#define NFT_TABLE_NFT_H

#include <rhost/provider.h>

#define NFT_TABLE_TYPE "(inet|ip|ip6|bridge|netdev|arp) [a-zA-Z_][a-zA-Z0-9_.]{0,62}"

/* For .suits of a provider: nft is installed. */
int32_t nft_suits(rhost_ctx *ctx);

/* Runs commands as one transaction. 0, with *why NULL; or with *why, in one line, they are refused; -1 with
 * the reason given: nft cannot be run, or nobody knows what it has done. `before` is how many lines of them
 * stand before those of the manifest, so that the line which is named is one of these; -1: none is named. */
int32_t nft_run(rhost_ctx *ctx, const char *commands, int before, const char **why);

/* Whether the kernel would take commands, of which nothing is done: as nft_run(), without a line. */
int32_t nft_try(rhost_ctx *ctx, const char *commands, const char **why);

/* What is listed of "table inet filter", and the like: without counters, in memory of the call; with the
 * handles of rules, if `handles`. NULL: there is no such thing, or with *why set it cannot be listed. */
const char *nft_list(rhost_ctx *ctx, const char *what, int handles, const char **why);

/* Without comments, empty lines and needless blanks. */
const char *nft_tidy(rhost_ctx *ctx, const char *text);

/* Whether a text can stand between the braces of a table, or `one_line`, as a rule: its own braces and quotes
 * are whole. 0, or -1 with the reason given for this attribute. */
int32_t nft_check(rhost_ctx *ctx, const char *attribute, const char *text, int one_line);

/* For insync(): whether the text that is desired is what is listed, or was noted for it. Where it was, and
 * another listing is there now, it says in which line. */
int32_t nft_insync(rhost_ctx *ctx, const rhost_value *name, const char *desired, const char *listed);

/* Notes that this listing is what became of the text. 0; or -1 with the reason given. */
int32_t nft_note(rhost_ctx *ctx, const rhost_value *name, const char *desired, const char *listed);

#endif
