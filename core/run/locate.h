/* SPDX-License-Identifier: Apache-2.0 */
/* locate - where the manifest has what a provider names: an attribute, or a part of its value. */
#ifndef RH_RUN_LOCATE_H
#define RH_RUN_LOCATE_H

#include "base/place.h"

struct rh_resource;

/* The location of the value at a path such as "settings.work_mem" or "ports[2].name", or of as much of it as
 * the manifest has; line 0 where it has nothing of it, or `path` is NULL. */
struct rh_place rh_locate(const struct rh_resource *r, const char *path);

#endif
