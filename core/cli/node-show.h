/* SPDX-License-Identifier: Apache-2.0 */
/* node-show - rhost node [PATH [FILE...]], rhost node explain PATH [FILE...]: what the attributes are,
 * and how they came to be. */
#ifndef RH_CLI_NODE_SHOW_H
#define RH_CLI_NODE_SHOW_H

struct rh_settings;

/* Each returns the exit status. `args` are PATH and FILEs. */
int rh_node_show(struct rh_settings *settings, int n, char **args);
int rh_node_show_origin(struct rh_settings *settings, int n, char **args);

/* node-eval.c: operations on attributes, tried out on an empty node. */

/* Runs the list of operations in a file ("-": standard input), JSON or YAML, and prints what each
 * returned or why it was refused, and all views after the last. The exit status. */
int rh_node_eval(const char *file);

#endif
