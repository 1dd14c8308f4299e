/* SPDX-License-Identifier: Apache-2.0 */
/* secret - what a provider was given, or has read, that is nobody's to see, kept out of all that the
 * runtime says. Private to this room. */
#ifndef RH_PROVIDER_SECRET_H
#define RH_PROVIDER_SECRET_H

#include <stdbool.h>

struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_runtime;
struct rh_value;

/* Learns what is marked in something wanted, which the host knows as well. */
void rh_secret_wanted(struct rh_runtime *rt, const struct rh_value *v);

/* Learns what is marked in a reading, what its type calls sensitive, and what stands where `should`
 * (may be NULL) has a secret; and tells the host, which may have to show what the plugin prints. */
void rh_secret_read(struct rh_runtime *rt, const struct rh_value *should,
                    const struct rh_value *reading);

/* A resource that the plugin is filling in just now: looked at whenever something is said, until the
 * next call of this. NULL: none. */
void rh_secret_watch(struct rh_runtime *rt, const struct rh_value *should,
                     const struct rh_value *reading);

/* The text without its secrets: itself where there are none, else the arena's. */
const char *rh_secret_hide(struct rh_runtime *rt, struct rh_arena *a, const char *text);
void rh_secret_hide_error(struct rh_runtime *rt, struct rh_error *err);

/* The same for the texts in a value, and for the keys of hashes. */
const struct rh_value *rh_secret_hide_value(struct rh_runtime *rt, struct rh_arena *a,
                                            const struct rh_value *v);

/* Marks the attributes of a reading that have a secret within, save those that are its name. */
void rh_secret_mark(struct rh_runtime *rt, struct rh_value *reading);

#endif
