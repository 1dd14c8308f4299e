/* SPDX-License-Identifier: Apache-2.0 */
/* exec-rules - which programs the providers of a worker may have started. */
#ifndef RH_PROVIDER_EXEC_RULES_H
#define RH_PROVIDER_EXEC_RULES_H

#include <stdbool.h>

struct rh_exec_rules {
    /* NULL-terminated: absolute paths, and names, which are those of programs in the directories of the
     * host's PATH; NULL: all programs */
    const char *const *programs;
};

/* The one place that decides, in the broker. `program` is a path as it would be executed: for a name without
 * '/', one of those that PATH gives. */
bool rh_exec_allows(const struct rh_exec_rules *rules, const char *program);

/* The first of these variables ("NAME=value", NULL-terminated, or NULL) that would have a program run other
 * code than its own, as LD_PRELOAD does; NULL: there is none. Where all programs are permitted, so are all
 * variables. */
const char *rh_exec_refused_variable(const struct rh_exec_rules *rules, const char *const *env);

#endif
