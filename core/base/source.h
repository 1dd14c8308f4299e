/* SPDX-License-Identifier: Apache-2.0 */
/* source - the files that places point into, and complaints about them: all at once, each with its
 * line and a caret. */
#ifndef RH_BASE_SOURCE_H
#define RH_BASE_SOURCE_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rh_value;

struct rh_sources {
    struct rh_source *v;
    size_t n, cap;
};

/* Adds a file by the name it is shown with; returns its number for struct rh_place. The text is
 * copied by the one, taken over by the other; `n` 0 when it is not to be quoted. */
unsigned rh_sources_add(struct rh_sources *s, const char *name, const char *text, size_t n);
unsigned rh_sources_take(struct rh_sources *s, const char *name, char *text, size_t n);
const char *rh_sources_name(const struct rh_sources *s, unsigned file); /* NULL when none */
/* The text that was added, until the sources are cleared; NULL when there is none. */
const char *rh_sources_text(const struct rh_sources *s, unsigned file, size_t *n);
void rh_sources_clear(struct rh_sources *s);

/* What starts at `place` goes on to `last`, a later line; said in the order of the places. */
void rh_sources_span(struct rh_sources *s, struct rh_place place, unsigned last);

/* The lines of what starts at `place` are never quoted, whoever complains about them: a secret
 * stands there. */
void rh_sources_hide(struct rh_sources *s, struct rh_place place);

/* What stands in the file from a place on; NULL when that is not known. */
const char *rh_sources_at(const struct rh_sources *s, struct rh_place place, size_t *n);

/* "site.yaml:14", or "site.yaml:14:3" with `column`; the caller's. Empty for no place. */
char *rh_place_text(const struct rh_sources *s, struct rh_place place, bool column);

/* The file could not be read as it should, so that nobody knows where its secrets are: what looks as
 * if is not quoted (base/looks-secret.h). */
void rh_sources_doubt(struct rh_sources *s, unsigned file);

/* Complaints. */
struct rh_complaints {
    struct rh_sources *sources; /* borrowed */
    struct rh_complaint *v;
    size_t n, cap;
    bool warn;      /* printed as warnings: nothing is refused for them */
    size_t dropped; /* beyond the hundred that are kept */
};

/* `hint` (may be NULL) is what to do about it: "did you mean 'content'?". Both are copied. */
void rh_complain(struct rh_complaints *c, struct rh_place place, const char *hint, const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));

/* How many there were; whether another would only be counted, and its hint need not be found. */
size_t rh_complaints_count(const struct rh_complaints *c);
bool rh_complaints_full(const struct rh_complaints *c);

/* A second place for the last complaint: "first declared here". */
void rh_complain_also(struct rh_complaints *c, struct rh_place place, const char *what);

/* One more place for each complaint since there were `before`: "for the instance declared here". */
void rh_complain_around(struct rh_complaints *c, size_t before, struct rh_place place,
                        const char *what);

/* The same for an element of a list that is gone through since there were `first`: what was said of
 * an earlier element at the same place is not said again, but counted. */
void rh_complain_element(struct rh_complaints *c, size_t first, size_t before, struct rh_place place,
                         const char *what);

/* What was said several times since there were `first`, at one place, is said once, and counted. */
void rh_complaints_fold(struct rh_complaints *c, size_t first);

/* Prints all in the order of their places. */
void rh_complaints_print(struct rh_complaints *c, FILE *to, bool colour);

/* Adds one hash {message, hint, place, more} each to `array`. */
void rh_complaints_to_value(struct rh_complaints *c, struct rh_value *array);
void rh_complaints_clear(struct rh_complaints *c);

#endif
