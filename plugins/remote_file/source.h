/* SPDX-License-Identifier: Apache-2.0 */
/* source - the URLs of a resource, and what no data type says of them. */
#ifndef REMOTE_FILE_SOURCE_H
#define REMOTE_FILE_SOURCE_H

#include <rhost/provider.h>

/* How many URLs `source` has: one, or those of a list. */
size_t source_count(const rhost_value *should);

/* The i-th of them, as a value and as text; it is sensitive where all of them are. */
const rhost_value *source_at(const rhost_value *should, size_t i);
const char *source_url(const rhost_value *should, size_t i);

/* Whether the URL, or something that is sent to get it, is a secret: then so is the content. */
int source_is_secret(const rhost_value *should);

/* Whether the i-th URL is not to be shown or kept; and what messages show of it. */
int source_is_hidden(const rhost_value *should, size_t i);
const char *source_shown(const rhost_value *should, size_t i);

int32_t source_validate(rhost_ctx *ctx, const rhost_value *resource);

#endif
