/* SPDX-License-Identifier: Apache-2.0 */
/* title - the titles of an entry, each of which declares a resource. */
#ifndef RH_MANIFEST_ENTRY_TITLE_H
#define RH_MANIFEST_ENTRY_TITLE_H

#include "base/place.h"

struct rh_load;
struct rh_reading;
struct rh_resource;
struct rh_value;

/* Resources of `r->type` with these titles (a text, or a list of texts with places), whose attributes
 * are those that the entry has left. What is wrong with these is said with the first title; the others
 * then are held without them, to hear about the titles. */
int rh_entry_read_titles(struct rh_reading *r, struct rh_value *titles, struct rh_place key);

/* Notes what of it can only be known after something has run: a run that is no trial can't do it then.
 * -1 after a complaint: its name has to be known. */
int rh_entry_note_doubt(const struct rh_load *load, struct rh_resource *r);

#endif
