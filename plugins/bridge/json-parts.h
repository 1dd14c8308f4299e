/* SPDX-License-Identifier: Apache-2.0 */
/* json-parts - what the files that read JSON share. */
#ifndef BRIDGE_JSON_PARTS_H
#define BRIDGE_JSON_PARTS_H

#include "text.h"

#include <rhost/abi.h>

#include <stdbool.h>

enum {
    JSON_MOST_KEYS = 10000, /* of one object: each is held against all before it */
};

extern const char json_digits64[65];

struct json_reader {
    rhost_ctx *ctx;
    const char *start, *at, *end;
    struct text *why;
    struct text string; /* the last that was read */
    bool tags;          /* the line may have some */
    int depth, tagged;
};

/* Writes what is wrong, with the place, into the reader's `why`, where nothing stands yet. Returns -1. */
int __attribute__((format(printf, 2, 3))) json_refuse(struct json_reader *r, const char *fmt, ...);

/* Puts what a hash with a tag stands for into `in`, as `key`. -1 after refusing. */
int json_put_tagged(struct json_reader *r, rhost_value *in, const char *key, const rhost_value *hash);

#endif
