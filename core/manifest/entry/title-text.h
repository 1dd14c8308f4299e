/* SPDX-License-Identifier: Apache-2.0 */
/* title-text - the text of titles. */
#ifndef RH_MANIFEST_ENTRY_TITLE_TEXT_H
#define RH_MANIFEST_ENTRY_TITLE_TEXT_H

#include "base/place.h"

struct rh_load;
struct rh_type;
struct rh_value;

/* An expression may give one title or several. */
void rh_entry_substitute_titles(struct rh_load *load, struct rh_value *titles);

/* The text of one title of a resource of type `t`; NULL after a complaint. `key` is where the type
 * stands, when the title stands beside it. */
const char *rh_entry_title_text(struct rh_load *load, const struct rh_type *t, struct rh_value *v,
                                struct rh_place key);

#endif
