/* SPDX-License-Identifier: Apache-2.0 */
/* describe-parts - what the files that describe a plugin share. Private to this room. */
#ifndef RH_PROVIDER_DESCRIBE_PARTS_H
#define RH_PROVIDER_DESCRIBE_PARTS_H

#include "base/cleanup.h"

#include <rhost/abi.h>
#include <stddef.h>

struct rh_error;
struct rh_value;

enum { RH_DESCRIBE_MOST = 64 }; /* providers, transports, lookups, facts */

/* The part of a struct that both sides know; the rest stays zero. `least` is what version 1 had. */
RH_CHECKED int rh_describe_copy_struct(void *to, size_t ours, const void *from, size_t theirs, size_t least,
                                       const char *what, struct rh_error *err);
RH_CHECKED int rh_describe_copy_plugin(const struct rhost_plugin *plugin, struct rhost_plugin *copy,
                                       struct rh_error *err);

/* A text of a plugin, which may be NULL: then nothing is put. */
RH_CHECKED int rh_describe_put_text(struct rh_value *in, const char *key, const char *text,
                                    struct rh_error *err);

/* A value that the plugin gives as JSON text; `whose` is for messages. */
RH_CHECKED int rh_describe_put_json(struct rh_value *in, const char *key, const char *text, const char *whose,
                                    struct rh_error *err);

/* The bits of features and behaviours that refuse the load when they are not known. */
#define RH_MUST_KNOW UINT64_C(0xffffffff)

/* A NULL-terminated list of texts, where it has any. */
int rh_describe_put_list(struct rh_value *in, const char *key, const char *const *list, struct rh_error *err);

/* The list `needs`; one without any is declared as well, unlike NULL. */
RH_CHECKED int rh_describe_put_needs(struct rh_value *in, const char *const *needs, struct rh_error *err);

/* The list `attributes`. */
RH_CHECKED int rh_describe_put_attrs(struct rh_value *in, const void *attrs, size_t stride, size_t n,
                                     struct rh_error *err);

/* describe-lookup.c: `lookups`, a list, and `source`: see rh_describe_source(). Neither where the plugin has
 * no lookups and no facts. */
RH_CHECKED int rh_describe_put_lookups(struct rh_value *in, const struct rhost_plugin *p,
                                       const struct rh_value *types, struct rh_error *err);

#endif
