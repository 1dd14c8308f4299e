/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the kinds of entries share while one is read. */
#ifndef RH_MANIFEST_ENTRY_PARTS_H
#define RH_MANIFEST_ENTRY_PARTS_H

#include "manifest/keyword/keyword.h"

#include <stdbool.h>

struct rh_load;
struct rh_type;
struct rh_value;

struct rh_reading {
    struct rh_load *load;
    struct rh_value *entry; /* its attributes, and the words beside them */
    struct rh_value *words; /* the words, where they are apart from the attributes (long-form.h) */
    const struct rh_type *type;
    struct rh_said said;
    bool failed; /* something was wrong with the attributes or keywords */
};

#endif
