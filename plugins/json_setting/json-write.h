/* SPDX-License-Identifier: Apache-2.0 */
/* json-write - values as JSON, in the style of the file that they come into. */
#ifndef JSON_SETTING_JSON_WRITE_H
#define JSON_SETTING_JSON_WRITE_H

#include <rhost/provider.h>

struct json_style {
    const char *unit;    /* one more step of indentation; NULL: all in one line */
    const char *colon;   /* between a key and its value, with blanks */
    const char *comma;   /* between values in one line */
    const char *newline; /* of the file */
};

/* In memory of the call. `indent`: of the line that it begins in. NULL, with the reason in *why. */
const char *json_write(rhost_ctx *ctx, const rhost_value *value, const struct json_style *s,
                       const char *indent, const char **why);
const char *json_write_text(rhost_ctx *ctx, const char *text, size_t len, const char **why);

#endif
