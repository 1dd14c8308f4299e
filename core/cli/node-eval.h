/* SPDX-License-Identifier: Apache-2.0 */
/* node-eval - operations on attributes, tried out on an empty node. */
#ifndef RH_CLI_NODE_EVAL_H
#define RH_CLI_NODE_EVAL_H

/* Runs the list of operations in a file ("-": standard input), JSON or YAML, and prints what each
 * returned or why it was refused, and all views after the last. The exit status. */
int rh_node_eval(const char *file);

#endif
