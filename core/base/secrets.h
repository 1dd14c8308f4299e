/* SPDX-License-Identifier: Apache-2.0 */
/* secrets - the secrets of a run, and taking them out of text.
 *
 * A value's mark keeps it from being shown as a value. This is for text that somebody else composed:
 * a plugin's message, what a command printed. It is looked through once, whatever the number of
 * secrets; nothing is done as long as there are none. Found are
 *
 *   - a secret of RH_SECRET_LEAST to 14 bytes as a whole, and cut off at either end of the text;
 *   - of a longer one each part of 15 bytes or more (23 of one beyond 64 KiB);
 *   - the same, but for what is cut off, in the forms of base/secret-forms.h.
 *
 * What is found stands as [redacted]. */
#ifndef RH_BASE_SECRETS_H
#define RH_BASE_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_value;
struct rh_secret_index;

struct rh_secret {
    char *s;
    size_t n;
};

struct rh_secrets {
    struct rh_secret *v; /* each once, in the order in which they were learnt */
    size_t n, cap;
    size_t indexed; /* of them, in the index */
    struct rh_secret_index *index;
    size_t *seen; /* positions in `v`, from 1, by hash */
    size_t n_seen;
};

/* Learns a text; what is too short to be one is ignored. */
void rh_secrets_add(struct rh_secrets *s, const char *text, size_t n);

/* Learns what is marked in a value: texts and numbers, not the keys of hashes. `all`: as if all of
 * it were. */
void rh_secrets_learn(struct rh_secrets *s, const struct rh_value *v, bool all);

/* Adds the text without its secrets. False, with nothing added, when there are none in it. */
bool rh_secrets_scrub(struct rh_secrets *s, const char *text, size_t n, struct rh_buf *out);

/* Whether there is one in it. */
bool rh_secrets_has(struct rh_secrets *s, const char *text, size_t n);

/* The text of a whole string; NULL when there are none in it. The caller's. */
char *rh_secrets_scrubbed(struct rh_secrets *s, const char *text);

void rh_secrets_clear(struct rh_secrets *s); /* they are overwritten */

/* This process holds secrets: from now on it leaves no core, and who may not read our files can't
 * look into it either. */
void rh_secrets_shield(void);

#endif
