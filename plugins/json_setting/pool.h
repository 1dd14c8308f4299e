/* SPDX-License-Identifier: Apache-2.0 */
/* pool - memory of one reading of a text. A batch reads a text once or more for each setting: memory of the
 * call would grow with their product. */
#ifndef JSON_SETTING_POOL_H
#define JSON_SETTING_POOL_H

#include <rhost/provider.h>

struct pool_block;

struct pool {
    rhost_ctx *ctx;
    struct pool_block *last;
};

/* A pool of its own for the block of code that declares it. */
#define POOL(name, of) __attribute__((cleanup(pool_clear))) struct pool name = { .ctx = (of) }

void pool_clear(struct pool *p);

/* Zeroed memory; of the call where there is no other. */
void *pool_alloc(struct pool *p, size_t n);

/* `len` bytes with a NUL behind them. */
char *pool_copy(struct pool *p, const char *text, size_t len);

#endif
