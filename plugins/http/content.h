/* SPDX-License-Identifier: Apache-2.0 */
/* content - a text from outside as the answer of a lookup. Lookups with a parameter `format` share it. */
#ifndef HTTP_CONTENT_H
#define HTTP_CONTENT_H

#include <rhost/provider.h>

/* The type of the parameter `format`. */
#define CONTENT_FORMAT "Enum['text', 'json', 'lines']"

/* Puts the text, which has a NUL behind it, into the answer: as it is, Binary where it is not UTF-8; as the
 * value that its JSON is; or as a list of its lines without their ends. `what` it is, for messages: "the
 * answer". No message has any of it. 0, or -1 with the reason given. */
int32_t content_put(rhost_ctx *ctx, rhost_value *answer, const char *format, const char *text, size_t len,
                    const char *what);

#endif
