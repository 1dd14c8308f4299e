/* SPDX-License-Identifier: Apache-2.0 */
/* long-form - the long form of an entry, in which no name can mean two things:
 *
 *     - type: exec
 *       title: reindex
 *       attributes: {timeout: 5}
 *       retries: 3
 *
 * What stands under `attributes` are attributes of the type; the keys beside it are words that mean
 * the same on every resource. */
#ifndef RH_MANIFEST_ENTRY_LONG_FORM_H
#define RH_MANIFEST_ENTRY_LONG_FORM_H

#include <stdbool.h>

struct rh_reading;
struct rh_value;

/* Whether it has both a `type` and a `title`, which no attribute may be called. */
bool rh_entry_is_long(const struct rh_value *entry);

/* Takes the type, the titles and the attributes of an entry of this form, `r->words`, and leaves the
 * words in it. -1 after a complaint. */
int rh_entry_open_long(struct rh_reading *r, struct rh_value **titles);

/* Makes `attributes` of an entry that edits or declares the attributes of `r`, and `r->words` what
 * stands beside it without the key `word`; an entry without `attributes` stays as it is. -1 after a
 * complaint. */
int rh_entry_take_apart(struct rh_reading *r, const char *word);

/* Whether an entry of the usual form can't hold this attribute of the type, or says something else
 * with it. */
bool rh_entry_needs_long(const char *type, const char *attribute);

#endif
