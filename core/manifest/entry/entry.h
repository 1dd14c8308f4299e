/* SPDX-License-Identifier: Apache-2.0 */
/* entry - one entry of `resources`: a type, a title or several, attributes and keywords. */
#ifndef RH_MANIFEST_ENTRY_ENTRY_H
#define RH_MANIFEST_ENTRY_ENTRY_H

struct rh_load;
struct rh_value;

/* Adds what the entry declares to the catalog. -1 when there was a complaint. `entry` is used up:
 * its values are read in place and become those of the resources. */
int rh_entry_read(struct rh_load *load, struct rh_value *entry);

#endif
