/* SPDX-License-Identifier: Apache-2.0 */
/* json-read - JSON texts, as trees of values that know where they stand. */
#ifndef JSON_SETTING_JSON_READ_H
#define JSON_SETTING_JSON_READ_H

#include "tree.h"

/* Reads a text of `len` bytes, with a NUL behind it. *root NULL: there is nothing in it. NULL, or why it
 * can't be read, in memory of the call. */
const char *json_read(struct pool *p, const char *text, size_t len, struct tree **root);

#endif
