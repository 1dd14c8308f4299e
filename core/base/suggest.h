/* SPDX-License-Identifier: Apache-2.0 */
/* suggest - what somebody probably meant. */
#ifndef RH_BASE_SUGGEST_H
#define RH_BASE_SUGGEST_H

#include <stddef.h>

struct rh_suggest {
    const char *word;
    const char *best; /* the nearest so far; NULL: nothing near enough */
    size_t distance;
    size_t start; /* how many characters both begin with */
};

void rh_suggest_init(struct rh_suggest *s, const char *word);
void rh_suggest_try(struct rh_suggest *s, const char *candidate);

/* The hint for an unknown word, the caller's: "did you mean 'mode'?" with the nearest word, or a copy of
 * `otherwise` where there is none. NULL where both are NULL. */
char *rh_did_you_mean(const char *best, const char *otherwise);

#endif
