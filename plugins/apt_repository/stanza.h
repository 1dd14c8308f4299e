/* SPDX-License-Identifier: Apache-2.0 */
/* stanza - the fields of a file in the deb822 format, found and edited in its lines. What is not edited
 * stays as it is, comments too. Fields are those of the first stanza; their names have no case. */
#ifndef APT_REPOSITORY_STANZA_H
#define APT_REPOSITORY_STANZA_H

#include <rhost/lines.h>

struct stanza_field {
    const char *name, *value; /* of several lines: as they are, without their first blank, " ." as "" */
    size_t line, n_lines;
};

/* How many stanzas there are; -1 when line *at (from 0) is not of the format. */
int stanza_count(const struct rhost_lines *l, size_t *at);

/* The first field from line `from` on; 0 when the stanza ends before. In memory of the call. */
int stanza_next(rhost_ctx *ctx, const struct rhost_lines *l, size_t from, struct stanza_field *field);

int stanza_find(rhost_ctx *ctx, const struct rhost_lines *l, const char *name, struct stanza_field *field);

/* Gives the field this value; NULL takes it out. A new one goes to the stanza's end. */
void stanza_put(rhost_ctx *ctx, struct rhost_lines *l, const char *name, const char *value);

#endif
