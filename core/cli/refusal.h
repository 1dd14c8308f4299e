/* SPDX-License-Identifier: Apache-2.0 */
/* refusal - what is wrong, in the form that was asked for: lines on standard error, or with
 * --format=json one hash on standard output, {"errors": [{"message", "code", "hint", "location"}]}, where the
 * answer would have been; with --format=sarif a log of SARIF. Warnings are lines on standard error, but for
 * SARIF. */
#ifndef RH_CLI_REFUSAL_H
#define RH_CLI_REFUSAL_H

#include <stdbool.h>

struct rh_complaints;
struct rh_error;
struct rh_settings;
struct rh_value;

/* Looks for --format=json, or sarif, before anything else is read, for what is wrong with options as well. */
void rh_refusal_start(int argc, char *const *argv);

/* One thing that is wrong; `hint` may be NULL. */
void rh_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rh_refuse_hint(const char *hint, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* An unknown word: the hint is "did you mean 'BEST'?", or `otherwise` where there is none. */
void rh_refuse_unknown(const char *best, const char *otherwise, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of an error, with its code. */
void rh_refuse_error(const char *hint, const struct rh_error *err);

/* The same for a command line, with where to read more; `command` and `hint` may be NULL, and `code` 0. */
void rh_refuse_usage(const char *command, const char *hint, unsigned code, const char *text);

/* All of a manifest's; `outcome` is the last line of the text: "nothing was touched". */
void rh_refuse_complaints(struct rh_complaints *c, bool colour, const char *outcome);

/* Takes warnings as well, for --format=sarif; false: they are for standard error. */
bool rh_refusal_takes_warnings(struct rh_complaints *c);

/* Whether what was refused, and what was warned of, is all that the command prints: it is, with
 * --format=sarif, also where there is nothing. */
bool rh_refusals_are_answer(void);

/* From now on what is refused is kept as values as well, for rh_refusals_take; it is printed as before. */
void rh_refusals_keep(void);

/* Adds what was refused to a list, for a command that prints it within its own answer. */
void rh_refusals_take(struct rh_value *list);

/* Prints the hash, if anything was refused and no command has taken it. On a terminal, a last line says how
 * the first code that was shown is explained. */
void rh_refusals_end(void);

/* refused-run.c: a run that did not begin is reported, too. */

/* Before the command: what is refused is kept for the reports that these settings ask for. */
void rh_refused_watch(const struct rh_settings *settings);

/* A file that the command reads: no report replaces it. The name is copied. */
void rh_refused_source(const char *path);

/* refused.c: after the command: when it was refused, and no run has begun, writes the reports and the events
 * that these settings ask for. */
void rh_refused_end(const struct rh_settings *settings, bool refused);

#endif
