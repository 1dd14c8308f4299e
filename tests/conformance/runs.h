/* SPDX-License-Identifier: Apache-2.0 */
/* runs - applying a manifest with the real rhost and the plugins of this folder, and counting. */
#ifndef RH_TESTS_CONFORMANCE_RUNS_H
#define RH_TESTS_CONFORMANCE_RUNS_H

#include <json.h>
#include <stdbool.h>
#include <stddef.h>

struct run {
    int exit;                   /* -1: it did not end by itself */
    struct json_object *events; /* "resources" of the report; NULL: there is none */
    struct json_object *log;    /* what the plugin wrote: an array, maybe empty */
    char *said;                 /* on standard output and error */
};

/* A directory of its own for this program, which is removed at the end. */
void runs_open(const char *work_name);
void runs_close(void);
const char *runs_path(const char *file); /* in that directory; valid until the next call */
void runs_write(const char *file, const char *text);

/* Applies a manifest in a fresh state directory; `isolation` is "worker" or "none", `more` a
 * NULL-terminated list of further arguments, or NULL. What goes wrong here ends the program. */
void run_apply(struct run *r, struct json_object *manifest, const char *isolation, const char *const *more);
void run_clear(struct run *r);

/* The vectors: a file beside the sources, or in the directory that is given. */
struct json_object *runs_vectors(int argc, char **argv, const char *file);

/* Looking into JSON. Missing keys are NULL, wrong kinds the empty thing. */
struct json_object *js(struct json_object *o, const char *key);
const char *js_text(struct json_object *o, const char *key); /* or NULL */
bool js_true(struct json_object *o, const char *key);
size_t js_count(struct json_object *array);
struct json_object *js_at(struct json_object *array, size_t i);
bool js_has_text(struct json_object *array, const char *text); /* an array of texts */

/* Hashes without order, arrays in order, 1 and 1.0 are one, nothing else is. */
bool js_equal(struct json_object *a, struct json_object *b);

/* Counting: a vector passes, differs on purpose for the reasons that were given, or fails. */
struct rule {
    const char *reason;
    size_t vectors;
};

void say_failure(const char *id, const char *isolation, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int say_counts(const char *what, size_t passed, size_t differs, size_t failed, const struct rule *rules,
               size_t n);

#endif
