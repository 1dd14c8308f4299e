/* SPDX-License-Identifier: Apache-2.0 */
/* complaint - a list of errors: what is wrong with what was read, all at once, each with its line and a
 * caret. */
#ifndef RH_BASE_COMPLAINT_H
#define RH_BASE_COMPLAINT_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct rh_error;
struct rh_sources;
struct rh_value;

struct rh_complaints {
    struct rh_sources *sources; /* borrowed */
    struct rh_complaint *v;
    size_t n, cap;
    bool warn;                      /* printed as warnings: nothing is refused for them */
    struct rh_complaints *warnings; /* where warnings about what is read go; or NULL: nowhere */
    size_t dropped;                 /* beyond the hundred that are kept */
    bool aside;                     /* one was not about what was being read: a fact, which nothing returns */
};

/* `hint` (may be NULL) is what to do about it: "did you mean 'content'?". Both are copied. */
void rh_complain(struct rh_complaints *c, struct rh_place place, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with a code that is known; 0: it is not. */
void rh_complain_code(struct rh_complaints *c, struct rh_place place, const char *hint, unsigned code,
                      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The same of an error, which stays the caller's. Its own place and hint go before those given here. */
void rh_complain_error(struct rh_complaints *c, struct rh_place place, const char *hint,
                       const struct rh_error *err);

/* How many there were; whether another would only be counted, and its hint need not be found. */
size_t rh_complaints_count(const struct rh_complaints *c);
bool rh_complaints_full(const struct rh_complaints *c);

/* Returns `rc`, which a function returns that complains by its own contract: -1 when it has complained since
 * there were `before`. Guarded builds (base/guarded.h) end here when it returns something else, unless one
 * was made aside. */
int rh_complaints_agree(const struct rh_complaints *c, size_t before, int rc);

/* Moves the first of them to `err`. */
void rh_complaints_take_first(struct rh_complaints *c, struct rh_error *err);

/* A second place for the last complaint: "first declared here". */
void rh_complain_also(struct rh_complaints *c, struct rh_place place, const char *what);

/* One more place for each complaint since there were `before`: "for the instance declared here". */
void rh_complain_around(struct rh_complaints *c, size_t before, struct rh_place place, const char *what);

/* Where complaint `i` is, counted from 0; false when it is not kept, or there are not so many. */
bool rh_complaints_place(const struct rh_complaints *c, size_t i, struct rh_place *place);

/* One more place for complaint `i`. */
void rh_complaints_relate(struct rh_complaints *c, size_t i, struct rh_place place, const char *what);

/* The same for an element of a list that is gone through since there were `first`: what was said of
 * an earlier element at the same place is not said again, but counted. */
void rh_complain_element(struct rh_complaints *c, size_t first, size_t before, struct rh_place place,
                         const char *what);

/* What was said several times since there were `first`, at one place, is said once, and counted. */
void rh_complaints_fold(struct rh_complaints *c, size_t first);

/* Prints all in the order of their places. */
void rh_complaints_print(struct rh_complaints *c, FILE *to, bool colour);

/* Adds one hash each to `array`, as rh_error_to_value makes it; "more" counts those like it. */
void rh_complaints_to_value(struct rh_complaints *c, struct rh_value *array);
void rh_complaints_clear(struct rh_complaints *c);

#endif
