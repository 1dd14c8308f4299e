/* SPDX-License-Identifier: Apache-2.0 */
/* description - a type as data for programs that read 'rhost describe --format=json'. */
#ifndef RH_CLI_DESCRIPTION_H
#define RH_CLI_DESCRIPTION_H

struct rh_arena;
struct rh_type;
struct rh_value;

/* What the plugin says of itself, with names in the place of bits: behaviours, features and
 * callbacks. */
struct rh_value *rh_description_value(struct rh_arena *a, const struct rh_type *t);

/* Only who serves it: its name, the provider, and the plugin with its version. */
void rh_description_put_source(struct rh_value *to, const struct rh_type *t);

#endif
