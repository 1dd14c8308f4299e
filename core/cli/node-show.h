/* SPDX-License-Identifier: Apache-2.0 */
/* node-show - rhost node [PATH [FILE...]], rhost node explain PATH [FILE...]: what the attributes are,
 * and how they came to be. */
#ifndef RH_CLI_NODE_SHOW_H
#define RH_CLI_NODE_SHOW_H

struct rh_settings;

/* Each returns the exit status. `args` are PATH and FILEs. */
int rh_node_show(struct rh_settings *settings, int n, char **args);
int rh_node_tell(struct rh_settings *settings, int n, char **args);

#endif
