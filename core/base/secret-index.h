/* SPDX-License-Identifier: Apache-2.0 */
/* secret-index - many texts looked for in one pass over another. */
#ifndef RH_BASE_SECRET_INDEX_H
#define RH_BASE_SECRET_INDEX_H

#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_secret_index;

struct rh_secret_index *rh_secret_index_new(void);
void rh_secret_index_free(struct rh_secret_index *x); /* NULL is fine; texts are overwritten */

/* Copies the text. `cut`: it is also looked for where it is cut off, at either end of what is searched. */
void rh_secret_index_add(struct rh_secret_index *x, const char *s, size_t n, bool cut);
size_t rh_secret_index_bytes(const struct rh_secret_index *x); /* of all texts in it */

/* Adds `text` with [redacted] for each stretch that is in the index; false, with nothing added, when
 * there is none. Valid UTF-8 stays so. */
bool rh_secret_index_scrub(const struct rh_secret_index *x, const char *text, size_t n, struct rh_buf *out);

#endif
