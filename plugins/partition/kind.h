/* SPDX-License-Identifier: Apache-2.0 */
/* kind - the types of partitions: words, GUIDs of GPT, and numbers of MBR. */
#ifndef PARTITION_KIND_H
#define PARTITION_KIND_H

#include <rhost/provider.h>

/* The word for what a table has, or that in lower case, in memory of the call. */
const char *kind_word(rhost_ctx *ctx, const char *code);

/* What a table of this type has for a word or code; NULL: it has no such type. */
const char *kind_code(const char *word, int gpt);

#endif
