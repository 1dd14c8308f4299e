/* SPDX-License-Identifier: Apache-2.0 */
/* uri - the parts of a URI. */
#ifndef RH_DATATYPE_URI_H
#define RH_DATATYPE_URI_H

#include "datatype/tree.h"

struct rh_arena;

enum rh_uri_component {
    RH_URI_SCHEME,
    RH_URI_USERINFO,
    RH_URI_HOST,
    RH_URI_PORT,
    RH_URI_PATH,
    RH_URI_QUERY,
    RH_URI_FRAGMENT,
    RH_URI_OPAQUE,
    RH_URI_PARTS
};

/* Each part points into the text; `s` is NULL where there is none. */
struct rh_uri {
    struct rh_word part[RH_URI_PARTS];
};

bool rh_uri_parse(const char *s, size_t n, struct rh_uri *uri);

int rh_uri_component(const char *name); /* -1: no such part */
const char *rh_uri_component_name(enum rh_uri_component part);

/* What a type must say to match this URI and those that agree with it: scheme and host in lower
 * case, the scheme's usual port left out. Returns how many of `parts` (room for all) were filled.
 */
size_t rh_uri_to_parts(struct rh_arena *a, const struct rh_uri *uri, struct rh_uri_part *parts);

#endif
