/* SPDX-License-Identifier: Apache-2.0 */
/* alias-file - data types with names of their own, as a file declares them:
 *
 *     # Ports that anybody may open.
 *     type My::Port = Integer[1024, 65535]
 *     type My::Tree = Variant[
 *         String,
 *         Array[My::Tree],
 *     ]
 *
 * A declaration goes on until its brackets are closed. `#` starts a comment. */
#ifndef RH_DATATYPE_ALIAS_FILE_H
#define RH_DATATYPE_ALIAS_FILE_H

#include <stddef.h>

struct rh_aliases;
struct rh_arena;
struct rh_error;
struct rh_value;

/* Declares what stands in the text; `file` is what messages call it. -1 with "FILE:LINE:COLUMN: "
 * in front of the reason. Bodies are read by rh_aliases_resolve, which names places as well. */
int rh_aliases_read(struct rh_aliases *s, const char *file, const char *text, size_t n,
                    struct rh_error *err);

/* The whole file, declared and resolved. NULL with the reason. */
struct rh_aliases *rh_aliases_load(struct rh_arena *a, const char *path, struct rh_error *err);

/* As data: a hash of names and canonical texts, in the order of declaration; and back again. */
struct rh_value *rh_aliases_to_value(struct rh_arena *a, const struct rh_aliases *s);
struct rh_aliases *rh_aliases_from_value(struct rh_arena *a, const struct rh_value *v,
                                         struct rh_error *err);

#endif
