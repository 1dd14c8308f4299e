/* SPDX-License-Identifier: Apache-2.0 */
/* for-each - an entry that is read once for each element of a list or hash, as `each`. */
#ifndef RH_MANIFEST_ENTRY_FOR_EACH_H
#define RH_MANIFEST_ENTRY_FOR_EACH_H

struct rh_load;
struct rh_value;

/* Reads the entry, which has `for_each`, with `one` for each element: each time a copy of its own,
 * without `for_each`. -1 after a complaint. */
int rh_for_each(struct rh_load *load, struct rh_value *entry,
                int (*one)(struct rh_load *load, struct rh_value *entry));

#endif
