/* SPDX-License-Identifier: Apache-2.0 */
/* shared-text - a large text in memory that several processes see: it is neither sent nor copied.
 *
 * The memory is sealed, so that no process can change or truncate the text. */
#ifndef RH_BASE_SHARED_TEXT_H
#define RH_BASE_SHARED_TEXT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_shared_text;

enum { RH_SHARED_TEXT_LEAST = 1 << 20 }; /* bytes: what is smaller is cheaper to send */

/* A descriptor of memory with a copy of the text in it; -1 with errno. */
RH_CHECKED int rh_shared_text_write(const char *s, size_t n);

/* The text behind a descriptor, which may be closed afterwards; NULL with errno. It ends with a NUL that
 * does not count. */
struct rh_shared_text *rh_shared_text_map(int fd);
void rh_shared_text_release(struct rh_shared_text *t);
const char *rh_shared_text_bytes(const struct rh_shared_text *t, size_t *n);

/* The text stays as long as the arena does, also after its release. */
void rh_shared_text_keep(struct rh_shared_text *t, struct rh_arena *a);

/* The same for a text of which this is the first byte; false when it is not a shared one. */
bool rh_shared_text_keep_at(const char *s, struct rh_arena *a);

#endif
