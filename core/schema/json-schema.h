/* SPDX-License-Identifier: Apache-2.0 */
/* json-schema - types as JSON Schema, by which editors complete and check manifests. */
#ifndef RH_SCHEMA_JSON_SCHEMA_H
#define RH_SCHEMA_JSON_SCHEMA_H

struct rh_type;
struct rh_value;

/* The schema of one entry of this type: an object whose key is the type. `common` are properties
 * that every entry may have. Lives in the arena of `common`. */
struct rh_value *rh_json_schema_entry(const struct rh_type *t, const struct rh_value *common);

/* The same for an entry of the long form: type, title and attributes apart. */
struct rh_value *rh_json_schema_long_entry(const struct rh_type *t, const struct rh_value *common);

#endif
