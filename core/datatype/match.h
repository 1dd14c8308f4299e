/* SPDX-License-Identifier: Apache-2.0 */
/* match - parts of matching that others need too. */
#ifndef RH_DATATYPE_MATCH_H
#define RH_DATATYPE_MATCH_H

#include "datatype/tree.h"

struct rh_entry;

/* rh_datatype_match for what is inside of something sensitive. */
bool rh_match(const struct rh_datatype *t, const struct rh_value *v, bool sensitive);

bool rh_match_key(const struct rh_datatype *key, const struct rh_entry *e); /* NULL: anything */

/* Whether the key may be missing. */
bool rh_member_optional(const struct rh_member *k);

bool rh_ascii_same(const char *a, const char *b, size_t n); /* but for the case of ASCII letters */

#endif
