/* SPDX-License-Identifier: Apache-2.0 */
/* json-writer - JSON that is written member by member: reports, the journal, answers of commands. Values that
 * exist as a tree are written by value-json.h.
 *
 * The caller adds the brackets. Each function adds one member of a hash, with the comma before it unless the
 * bracket has just been opened; `key` must need no escapes. */
#ifndef RH_BASE_JSON_WRITER_H
#define RH_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rh_buf;
struct rh_value;

/* Adds the comma that an element of a list needs, if any. */
void rh_json_element(struct rh_buf *b);

/* A key with its length, which the compiler knows where the functions below are called with a constant. */
void rh_json_key_n(struct rh_buf *b, const char *key, size_t n);
void rh_json_text_n(struct rh_buf *b, const char *key, size_t n, const char *text);

/* Adds `"key": `; the value follows. */
static inline void
rh_json_key(struct rh_buf *b, const char *key)
{
    rh_json_key_n(b, key, strlen(key));
}

/* null for NULL. */
static inline void
rh_json_text(struct rh_buf *b, const char *key, const char *text)
{
    rh_json_text_n(b, key, strlen(key), text);
}

void rh_json_number(struct rh_buf *b, const char *key, int64_t number);
void rh_json_boolean(struct rh_buf *b, const char *key, bool yes);

/* Without what is sensitive; null for NULL. */
void rh_json_value(struct rh_buf *b, const char *key, const struct rh_value *v);

#endif
