/* SPDX-License-Identifier: Apache-2.0 */
/* secret - learns the secrets of a provider: what it was given, and what it has read. provider/outgoing.h
 * keeps them out of all that the runtime reports. Private to this room. */
#ifndef RH_PROVIDER_SECRET_H
#define RH_PROVIDER_SECRET_H

struct rh_runtime;
struct rh_value;

/* Learns what is marked in something wanted, which the host knows as well. */
void rh_secret_wanted(struct rh_runtime *rt, const struct rh_value *v);

/* Learns what is marked in a reading, what its type calls sensitive, and what stands where `should`
 * (may be NULL) has a secret; and tells the host, which may have to show what the plugin prints. */
void rh_secret_read(struct rh_runtime *rt, const struct rh_value *should, const struct rh_value *reading);

/* A resource that the plugin is filling in just now: looked at whenever something is reported, until the next
 * call of this. NULL: none. */
void rh_secret_watch(struct rh_runtime *rt, const struct rh_value *should, const struct rh_value *reading);

/* Learns what is in it now. */
void rh_secret_update(struct rh_runtime *rt);

#endif
