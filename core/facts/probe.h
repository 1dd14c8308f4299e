/* SPDX-License-Identifier: Apache-2.0 */
/* probe - what the machine's own files say, for facts.
 *
 * All files are those below a root, which is "" but in tests. What is missing, no regular file,
 * larger than expected, or no text, is not there; nothing here fails, blocks or follows a pipe. */
#ifndef RH_FACTS_PROBE_H
#define RH_FACTS_PROBE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ifaddrs;
struct rh_arena;
struct rh_error;
struct rh_probe;
struct rh_value;

struct rh_probe {
    struct rh_arena *arena; /* what comes out lives there */
    const char *root;
    bool live; /* this machine itself: system calls say what is so as well */
};

/* The path of a file below the root. */
const char *rh_probe_path(const struct rh_probe *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A whole file, NUL-terminated and without a NUL within; NULL when there is none. */
char *rh_probe_text(const struct rh_probe *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a file of texts that end with a NUL each; an empty one follows the last. */
char *rh_probe_blocks(const struct rh_probe *l, const char *path);

/* Its first line without blanks around it; NULL when that is empty. */
char *rh_probe_line(const struct rh_probe *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What its first line says as a whole number, 0 or above; -1 when it does not. */
int64_t rh_probe_number(const struct rh_probe *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether this is an image: / is not that of the first process, as in a chroot. -1: that cannot be told. */
int rh_probe_image(const struct rh_probe *l);

bool rh_probe_exists(const struct rh_probe *l, const char *path);

/* The last part of what a symbolic link points at, or all of it; NULL when it is no link. */
char *rh_probe_link(const struct rh_probe *l, bool all, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The names in a directory, sorted, those with a dot in front left out; NULL-terminated. */
char **rh_probe_names(const struct rh_probe *l, size_t *n, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The next line of a text, which is cut into lines as it is read; NULL at its end. */
char *rh_probe_next(char **text);

/* The next word of a line, likewise. */
char *rh_probe_word(char **line);

/* Splits "key: value" or "key=value" at `at`, blanks around both taken away. NULL: it is none. */
char *rh_probe_value(char *line, char at);

/* A whole number in decimal, and nothing else; -1 when it is none. */
int64_t rh_probe_integer(const char *text);

/* What can't be known is not put: NULL, empty or not UTF-8; a number below 0. */
void rh_probe_put(const struct rh_probe *l, struct rh_value *hash, const char *key, const char *text);
void rh_probe_put_number(const struct rh_probe *l, struct rh_value *hash, const char *key, int64_t n);
void rh_probe_put_boolean(const struct rh_probe *l, struct rh_value *hash, const char *key, bool b);

/* The text as a value, or NULL; the hash itself, or NULL when nothing is in it. */
struct rh_value *rh_probe_string(const struct rh_probe *l, const char *text);
struct rh_value *rh_probe_filled(struct rh_value *hash);

/* network.c: interfaces, their addresses, and where the way out leads. */

/* The fact `network` of these addresses (NULL: none are known) and the files below the root. */
struct rh_value *rh_network_read(const struct rh_probe *l, const struct ifaddrs *addresses);

/* program.c: what a program that tells facts prints. */

/* Runs it without arguments, in a clean environment, for at most so many seconds; then it is ended
 * with all that it started. Its standard output, the caller's to free; NULL when it could not be
 * run, failed, was late, or said too much. */
RH_CHECKED char *rh_program_run(const char *path, unsigned time_limit, size_t *n, struct rh_error *err);

#endif
