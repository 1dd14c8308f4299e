/* SPDX-License-Identifier: Apache-2.0 */
/* private-store - files in the directory `private` of the state directory.
 *
 * Each provider has a directory of its own in it, "TYPE,PROVIDER": a confined one reaches no other
 * (plugin/confined.c). `owner` is that name. */
#ifndef RH_PROVIDER_PRIVATE_STORE_H
#define RH_PROVIDER_PRIVATE_STORE_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_arena;
struct rh_error;
struct rh_value;

enum { RH_PRIVATE_KEY_BYTES = 32 };

/* Whether anything may be kept: removing costs nothing where not. */
bool rh_private_exists(void);

/* The directory of a provider, the caller's to close; with `make` it is made if it is missing. -1 with errno,
 * which is ENOENT where there is no state directory. */
RH_CHECKED int rh_private_open(const char *owner, bool make);

/* What a file has; NULL when there is none. -1 on error. */
RH_CHECKED int rh_private_read(struct rh_arena *a, const char *owner, const char *file,
                               const struct rh_value **v, struct rh_error *err);

/* Replaces it, with mode 0600, on disk when it returns. */
RH_CHECKED int rh_private_write(const char *owner, const char *file, const struct rh_value *v,
                                struct rh_error *err);
RH_CHECKED int rh_private_remove(const char *owner, const char *file,
                                 struct rh_error *err); /* no error where there is none */

/* The key of digests, which is made when it is needed first; without `make` one for this process where there
 * is none, which nothing was compared with. */
RH_CHECKED int rh_private_key(const char *owner, unsigned char key[RH_PRIVATE_KEY_BYTES], bool make,
                              struct rh_error *err);

#endif
