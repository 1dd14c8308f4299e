/* SPDX-License-Identifier: Apache-2.0 */
/* purge-type - the type of the entries `purge: TYPE`, which no plugin serves (see entry/purge.c). */
#ifndef RH_MANIFEST_LOAD_PURGE_TYPE_H
#define RH_MANIFEST_LOAD_PURGE_TYPE_H

struct rh_arena;
struct rh_type;

extern const char rh_purge_word[]; /* "purge" */

const struct rh_type *rh_purge_type(struct rh_arena *a, const char *provider);

#endif
