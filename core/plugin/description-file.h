/* SPDX-License-Identifier: Apache-2.0 */
/* description-file - descriptions of plugins as text, which is read when somebody asks for a type: most runs
 * need few of the types that are installed.
 *
 * A summary is what a plugin says of itself, with each of its descriptions (a provider, a transport, its
 * lookups and facts as "source") as a hash of "type", "provider" and "data_types", where it has them, and
 * "text": the description as JSON.
 *
 * The file is one JSON text. Its first line has all but the descriptions, each of which has a line of its
 * own; the last line has a checksum of all lines before it. */
#ifndef RH_PLUGIN_DESCRIPTION_FILE_H
#define RH_PLUGIN_DESCRIPTION_FILE_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_value;

/* Of the answer of a plugin, which has the descriptions themselves. */
struct rh_value *rh_description_summary(struct rh_arena *a, const struct rh_value *answer);

/* The summaries, by the path of the plugin. NULL when the text is damaged, or of another version of rhost. It
 * takes over `text`, which is malloc()'s, and changes it. */
RH_CHECKED struct rh_value *rh_description_file_read(struct rh_arena *a, char *text, size_t n);

/* Adds the text of such a file. */
void rh_description_file_write(struct rh_buf *b, struct rh_arena *a, const struct rh_value *summaries);

#endif
