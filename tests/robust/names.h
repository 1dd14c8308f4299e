/* SPDX-License-Identifier: Apache-2.0 */
/* names - a set of 64-bit hashes. */
#ifndef TESTS_ROBUST_NAMES_H
#define TESTS_ROBUST_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMES_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

struct names {
    uint64_t *v; /* 0: free */
    size_t n, size;
};

/* FNV-1a, going on from `hash`. */
uint64_t names_hash(uint64_t hash, const char *bytes, size_t n);

bool names_have(const struct names *s, uint64_t hash);
bool names_add(struct names *s, uint64_t hash); /* false: it was there */
void names_clear(struct names *s);

#endif
