/* SPDX-License-Identifier: Apache-2.0 */
/* purge - `purge: TYPE`: what is there and in no manifest goes.
 *
 * Such an entry is read as a resource of the type 'purge' is (load/purge-type.h), whose title is the type and whose
 * attributes are `keep` and `limit`; so it has a place in the list, and relations, and is compiled,
 * like any other. Its provider is the one that the purged type is asked for, or 'purge'. */
#ifndef RH_MANIFEST_ENTRY_PURGE_H
#define RH_MANIFEST_ENTRY_PURGE_H

struct rh_load;
struct rh_resource;
struct rh_said;

/* Finds out what a resource of that type purges, and refuses what can't be. Nothing for others. */
int rh_purge_prepare(struct rh_load *load, struct rh_said *said, const struct rh_resource *r);

#endif
