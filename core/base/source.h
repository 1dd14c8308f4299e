/* SPDX-License-Identifier: Apache-2.0 */
/* source - the files that places point into. */
#ifndef RH_BASE_SOURCE_H
#define RH_BASE_SOURCE_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_arena;
struct rh_secrets;
struct rh_value;

struct rh_sources {
    struct rh_source *v;
    size_t n, cap;
    char **read; /* names of files that no place points into, and that must stay as well */
    size_t n_read, cap_read;
    struct rh_secrets *secrets; /* of the run: a line with one of them is not quoted; NULL: none are known */
};

/* Adds a file by the name it is shown with; returns its number for struct rh_place. The text is
 * copied by the one, taken over by the other; `n` 0 when it is not to be quoted. */
unsigned rh_sources_add(struct rh_sources *s, const char *name, const char *text, size_t n);
unsigned rh_sources_take(struct rh_sources *s, const char *name, char *text, size_t n);
const char *rh_sources_name(const struct rh_sources *s, unsigned file); /* NULL when none */
/* The text that was added, until the sources are cleared; NULL when there is none. */
const char *rh_sources_text(const struct rh_sources *s, unsigned file, size_t *n);
void rh_sources_clear(struct rh_sources *s);

/* Remembers a file that is read, such as one of a secret, without its text. */
void rh_sources_note_read(struct rh_sources *s, const char *name);

/* What starts at `place` goes on to `last`, a later line; said in the order of the places. */
void rh_sources_span(struct rh_sources *s, struct rh_place place, unsigned last);

/* A value of a manifest, for a report: itself, or a copy in `a` without the secrets of the run. */
const struct rh_value *rh_sources_value(const struct rh_sources *s, struct rh_arena *a,
                                        const struct rh_value *v);

/* The lines of what starts at `place` are never quoted, whoever complains about them: a secret
 * stands there. */
void rh_sources_hide(struct rh_sources *s, struct rh_place place);

/* Whether they are hidden where `place` is. */
bool rh_sources_hidden(const struct rh_sources *s, struct rh_place place);

/* Appends the line with a caret under the column, as compilers do; of a long line, what is around it.
 * Nothing when the line is not known, has a secret of the run in it, or looks as if. */
void rh_sources_add_quote(const struct rh_sources *s, struct rh_place place, struct rh_buf *to, bool colour);

/* What stands in the file from a place on; NULL when that is not known. */
const char *rh_sources_at(const struct rh_sources *s, struct rh_place place, size_t *n);

/* "site.yaml:14", or "site.yaml:14:3" with `column`; the caller's. Empty for no place. */
char *rh_place_text(const struct rh_sources *s, struct rh_place place, bool column);

/* The file could not be read as it should, so that nobody knows where its secrets are: what looks as
 * if is not quoted (base/resembles-secret.h). */
void rh_sources_suspect(struct rh_sources *s, unsigned file);

#endif
