/* SPDX-License-Identifier: Apache-2.0 */
/* plugins - which plugins a kit has, and where its files come from. */
#ifndef RH_KIT_PLUGINS_H
#define RH_KIT_PLUGINS_H

#include "base/cleanup.h"

struct rh_buf;
struct rh_contents;
struct rh_error;
struct rh_kit_request;

/* Unpacks the packages of a directory into a new directory, which is the root of `c` from then on; `unpacked`
 * is its name, for rh_kit_remove(), also after an error. Adds a JSON list of the packages. */
RH_CHECKED int rh_kit_unpack(struct rh_contents *c, const char *packages, struct rh_buf *list,
                             char **unpacked, struct rh_error *err);
void rh_kit_remove(char **unpacked);

/* Adds the plugins that were asked for: those of the request, or those of the root. */
RH_CHECKED int rh_kit_add_plugins(struct rh_contents *c, const struct rh_kit_request *r,
                                  struct rh_error *err);

/* Adds the elements of the list of plugins: what is known of each. */
void rh_kit_plugins_json(struct rh_buf *b, struct rh_contents *c);

#endif
