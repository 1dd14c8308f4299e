/* SPDX-License-Identifier: Apache-2.0 */
/* json-schema - data types and types as JSON Schema, by which editors complete and check manifests.
 *
 * What a schema cannot say is left open: an editor must not refuse what rhost takes. */
#ifndef RH_SCHEMA_JSON_SCHEMA_H
#define RH_SCHEMA_JSON_SCHEMA_H

struct rh_arena;
struct rh_datatype;
struct rh_type;
struct rh_value;

/* The values of a data type as a manifest may write them: an expression may stand in their place. */
struct rh_value *rh_json_schema_of(struct rh_arena *a, const struct rh_datatype *t);

/* What fits one of the two. May add to `v`. */
struct rh_value *rh_json_schema_or(struct rh_value *v, struct rh_value *other);

/* json-schema-entry.c: the entries that are about a type. */

/* What the entries of all types share; all of the arena that the results live in. */
struct rh_json_schema_words {
    const struct rh_value *all;   /* the keywords: properties that every entry may have */
    const struct rh_value *first; /* those of them that come before an attribute of the same name */
};

/* The attributes that a manifest can set, a hash of schemas. The entries below refer to them as
 * '#/$defs/attributes/KEY/NAME', with the key of the type. */
struct rh_value *rh_json_schema_attributes(struct rh_arena *a, const struct rh_type *t);
const char *rh_json_schema_key(struct rh_arena *a, const struct rh_type *t);

/* An object whose key is the type. */
struct rh_value *rh_json_schema_entry(const struct rh_type *t, const struct rh_json_schema_words *words);

/* The long form: type, title and attributes apart. */
struct rh_value *rh_json_schema_long_entry(const struct rh_type *t, const struct rh_json_schema_words *words);

/* `declare` or `edit` of resources of the type. */
struct rh_value *rh_json_schema_reference_entry(const struct rh_type *t, const char *word,
                                                const struct rh_json_schema_words *words);

/* What stands under the name of the type in `defaults`: attributes and keywords, each of which null takes
 * back. */
struct rh_value *rh_json_schema_defaults(const struct rh_type *t, const struct rh_json_schema_words *words);

/* The keys that any entry may have beside those that are known: {"^x-": {}}. */
struct rh_value *rh_json_schema_extensions(struct rh_arena *a);

#endif
