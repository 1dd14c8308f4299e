/* SPDX-License-Identifier: Apache-2.0 */
/* schema-parts - the parts of a manifest's JSON Schema that are the same wherever rhost runs. */
#ifndef RH_CLI_SCHEMA_PARTS_H
#define RH_CLI_SCHEMA_PARTS_H

struct rh_arena;
struct rh_buf;
struct rh_settings;
struct rh_value;

/* The schema of the values of a data type; NULL: what fits anything. */
struct rh_value *rh_schema_part(struct rh_arena *a, const char *type, const char *desc);

/* A reference to a part under $defs. */
struct rh_value *rh_schema_ref(struct rh_arena *a, const char *name);

/* A schema that JSON text gives; the text is ours. */
struct rh_value *rh_schema_json(struct rh_arena *a, const char *text);

/* Puts the entries that are not about a type (include, trigger, define) into `defs`. `keywords` are the
 * schemas of the keywords. */
void rh_schema_put_entries(struct rh_value *defs, const struct rh_value *keywords);

/* The top level of a manifest, and of a role or an environment, without 'resources'. */
struct rh_value *rh_schema_manifest(struct rh_arena *a);
struct rh_value *rh_schema_role(struct rh_arena *a);

/* schema.c: adds the whole schema, for the types that are installed. */
void rh_schema_text(struct rh_settings *settings, struct rh_buf *to);

#endif
