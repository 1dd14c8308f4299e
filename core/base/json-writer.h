/* SPDX-License-Identifier: Apache-2.0 */
/* json-writer - JSON that is written member by member: reports, the journal, answers of commands. Values that
 * exist as a tree are written by value-json.h.
 *
 * The caller adds the brackets. Each function adds one member of a hash, with the comma before it unless the
 * bracket has just been opened; `key` must need no escapes. */
#ifndef RH_BASE_JSON_WRITER_H
#define RH_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

struct rh_buf;
struct rh_value;

/* Adds the comma that an element of a list needs, if any. */
void rh_json_element(struct rh_buf *b);

/* Adds `"key": `; the value follows. */
void rh_json_key(struct rh_buf *b, const char *key);

void rh_json_text(struct rh_buf *b, const char *key, const char *text); /* null for NULL */
void rh_json_number(struct rh_buf *b, const char *key, int64_t number);
void rh_json_boolean(struct rh_buf *b, const char *key, bool yes);

/* Without what is sensitive; null for NULL. */
void rh_json_value(struct rh_buf *b, const char *key, const struct rh_value *v);

#endif
