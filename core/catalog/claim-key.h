/* SPDX-License-Identifier: Apache-2.0 */
/* claim-key - what two resources claim is the same when its key is. */
#ifndef RH_CATALOG_CLAIM_KEY_H
#define RH_CATALOG_CLAIM_KEY_H

struct rh_arena;
struct rh_buf;
struct rh_claim;

/* Puts "path /etc/motd" into `key`; `title` as rh_claim_titles() has it. What is needed for it is in `a`. */
void rh_claim_key(struct rh_buf *key, struct rh_arena *a, const struct rh_claim *claim, const char *title);

#endif
