/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-json - the one thing in JSON that is not YAML. */
#ifndef RH_MANIFEST_TEXT_YAML_JSON_H
#define RH_MANIFEST_TEXT_YAML_JSON_H

#include <stddef.h>

/* JSON writes a character beyond U+FFFF as two escapes, "\ud83d\ude00", which YAML refuses. Returns
 * JSON text with one YAML escape for each such pair, the caller's to free; NULL when there is
 * nothing to do, or the text is not JSON (does not start with a brace or bracket). Columns behind
 * such a character on its line are off by two. */
char *rh_yaml_from_json(const char *text, size_t n, size_t *length);

#endif
