/* SPDX-License-Identifier: Apache-2.0 */
/* rollout - the verbs of rhost fleet that change something. */
#ifndef RH_CLI_ROLLOUT_H
#define RH_CLI_ROLLOUT_H

#include <stdbool.h>

struct rh_settings;

/* Whether this word after "rhost fleet" is one of them. */
bool rh_rollout_is_verb(const char *verb);

/* Whether an option was given that is for one of them only. */
bool rh_rollout_has_options(const struct rh_settings *settings);

/* Becomes rhost-fleet; the exit status where it is refused. */
int rh_rollout_become(const struct rh_settings *settings, int argc, char **argv);

#endif
