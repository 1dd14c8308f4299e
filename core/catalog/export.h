/* SPDX-License-Identifier: Apache-2.0 */
/* export - a catalog as data, for `rhost compile`; manifest/compiled.h reads it back.
 *
 * Values are as JSON has them. What JSON can't say is a hash with one key that starts with '$':
 * {"$sensitive": true} stands where a secret was, which is never written; {"$append": [...]} and
 * {"$remove": [...]} are edits; {"$float": ".inf"} is a number without digits; {"$literal": {...}}
 * is a hash that happens to look like one of these. */
#ifndef RH_CATALOG_EXPORT_H
#define RH_CATALOG_EXPORT_H

struct rh_arena;
struct rh_catalog;
struct rh_order;
struct rh_value;

#define RH_CATALOG_FORMAT 1

/* The list is in the order of execution, or as written when `order` is NULL. Shares values with the
 * catalog, so it must not outlive it. */
struct rh_value *rh_catalog_to_value(const struct rh_catalog *c, const struct rh_order *order,
                                     struct rh_arena *arena);

#endif
