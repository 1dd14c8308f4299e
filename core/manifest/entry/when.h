/* SPDX-License-Identifier: Apache-2.0 */
/* when - whether an entry is there at all: `when: node.os.family == "debian"`. */
#ifndef RH_MANIFEST_ENTRY_WHEN_H
#define RH_MANIFEST_ENTRY_WHEN_H

struct rh_load;
struct rh_value;

enum rh_when { RH_WHEN_REFUSED = -1, RH_WHEN_NO, RH_WHEN_YES, RH_WHEN_UNKNOWN };

/* Evaluates the entry's `when`, takes it out, and notes what is left out by it. Without one, yes. */
enum rh_when rh_when(struct rh_load *load, struct rh_value *entry);

#endif
