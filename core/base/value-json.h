/* SPDX-License-Identifier: Apache-2.0 */
/* value-json - values at the edges, where the world speaks JSON (json-c reads and writes it). */
#ifndef RH_BASE_VALUE_JSON_H
#define RH_BASE_VALUE_JSON_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct json_object;
struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_value;

/* Reads one JSON text; nesting over 64, text that is not UTF-8, duplicate or NUL-bearing keys and
 * anything after the value are refused. NULL on error, with err->at the byte. */
RH_CHECKED struct rh_value *rh_value_from_json(struct rh_arena *a, const char *text, size_t n,
                                               struct rh_error *err);

/* Adds JSON text. `sensitive` decides whether sensitive values are written out (frames to files
 * that only we read never need it) or as "[redacted]". Binary becomes a base64 string. */
void rh_value_to_json(struct rh_buf *b, const struct rh_value *v, bool sensitive);

/* The same over lines, indented by two. */
void rh_value_to_json_pretty(struct rh_buf *b, const struct rh_value *v, bool sensitive);

/* Adds a JSON string, quotes included; bytes that are not UTF-8 become U+FFFD. */
void rh_json_string(struct rh_buf *b, const char *s, size_t n);

#endif
