/* SPDX-License-Identifier: Apache-2.0 */
/* own - facts of one's own: files of data and programs, in folders.
 *
 * Files cost little, so they are read whenever a fact is: they may replace built-in ones. Programs
 * run when a fact is read that neither is built in nor stands in a file, all of them, once. */
#ifndef RH_FACTS_OWN_H
#define RH_FACTS_OWN_H

#include <stdbool.h>

struct rh_facts_options;
struct rh_own;
struct rh_value;

struct rh_own *rh_own_new(const struct rh_facts_options *options, bool (*is_builtin)(const char *name));
void rh_own_free(struct rh_own *own);

/* All that the files say, and all that the programs say, by name. */
const struct rh_value *rh_own_files(struct rh_own *own);
const struct rh_value *rh_own_programs(struct rh_own *own);

#endif
