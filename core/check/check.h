/* SPDX-License-Identifier: Apache-2.0 */
/* check - whether a plugin keeps what the ABI asks of it: a list of checks with stable names.
 *
 * Each runs in a process of its own, which loads the plugin anew, so that one that crashes or hangs
 * is one line of the report. Checks about a provider run once for each of them. */
#ifndef RH_CHECK_CHECK_H
#define RH_CHECK_CHECK_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_complaints;
struct rh_error;
struct rh_suggest;
struct rh_value;

/* From good to bad. */
enum rh_verdict { RH_CHECK_PASS, RH_CHECK_SKIP, RH_CHECK_WARN, RH_CHECK_FAIL, RH_CHECK_CRASH };

struct rh_check_options {
    const char *path;        /* of the shared object, absolute */
    const char *fixture;     /* the name of a file, or NULL */
    const char *const *only; /* names of checks or groups */
    size_t n_only;
    unsigned time_limit;  /* seconds for each check; 0: RH_CHECK_TIME, or RH_CHECK_PROGRAM_TIME */
    unsigned allocations; /* how many are made to fail, at most; 0: RH_CHECK_ALLOCATIONS */
    unsigned faults;      /* how many are tried, at most; 0: RH_CHECK_FAULTS */
    unsigned rounds;      /* how many resources are made up; 0: RH_CHECK_ROUNDS */
    uint64_t seed;        /* of what is random */
};

enum {
    RH_CHECK_TIME = 20,
    RH_CHECK_PROGRAM_TIME = 90,
    RH_CHECK_ALLOCATIONS = 120,
    RH_CHECK_FAULTS = 120,
    RH_CHECK_ROUNDS = 200,
};

struct rh_check_result {
    const char *check, *group;
    const char *type, *provider; /* NULL where it is about the plugin */
    enum rh_verdict verdict;
    const char *text; /* why; empty when there is nothing to say */
    double seconds;
};

const char *rh_verdict_name(enum rh_verdict verdict);

/* Whether a check or a group of checks has this name, and which names there are. */
bool rh_check_exists(const char *name);
void rh_check_suggest(struct rh_suggest *s);
void rh_check_each_name(void (*fn)(void *data, const char *name), void *data);

/* Checks; each result goes to `take` as it comes. -1 when nothing could be checked, with the reason
 * in `err` or, for what stands in the fixture, among the complaints. */
RH_CHECKED int rh_check_run(const struct rh_check_options *options,
                            void (*take)(void *data, const struct rh_check_result *result), void *data,
                            struct rh_complaints *complaints, struct rh_error *err);

#endif
