/* SPDX-License-Identifier: Apache-2.0 */
/* content - large values that runs have replaced or removed, kept so that this can be undone.
 *
 * Each is a file in `content` of the state directory, named by its SHA-256, for root alone. The run that
 * needs it has a hard link of it in `runs/RUN.content`: so the same content is kept once, and a file with no
 * other link is needed by no run. */
#ifndef RH_RUN_CONTENT_H
#define RH_RUN_CONTENT_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>

struct rh_content_store;
struct rh_error;

enum { RH_CONTENT_DIGEST = 65 /* digits and a NUL */ };

/* What `run` keeps. Nothing is written before the first content is added. `most` bytes are kept of all runs
 * together: the oldest runs lose theirs first. */
struct rh_content_store *rh_contents_open(const char *state_dir, const char *run, uint64_t most);
void rh_contents_free(struct rh_content_store *c); /* NULL is fine */

/* Keeps these bytes; `digest` is how they are found again. */
RH_CHECKED int rh_contents_add(struct rh_content_store *c, const void *p, size_t n,
                               char digest[RH_CONTENT_DIGEST], struct rh_error *err);

/* What was added is on disk when this returns 0. */
RH_CHECKED int rh_contents_sync(struct rh_content_store *c, struct rh_error *err);

/* The bytes that `run` has kept under this digest, with a NUL behind them: the caller's. NULL when they are
 * not there, or are not those that were kept. */
RH_CHECKED char *rh_content_read(const char *state_dir, const char *run, const char *digest, size_t *n,
                                 struct rh_error *err);

/* Removes what killed runs have left unfinished. */
void rh_contents_remove_leftovers(const char *state_dir);

/* Removes what runs have kept that began more than `age` seconds ago, but for `keep` (or NULL). */
void rh_contents_expire(const char *state_dir, unsigned age, const char *keep);

/* Removes what this run has kept, and no other run needs. */
void rh_contents_remove(const char *state_dir, const char *run);

#endif
