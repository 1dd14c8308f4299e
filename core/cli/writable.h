/* SPDX-License-Identifier: Apache-2.0 */
/* writable - what a manifest must say to mean a value, if it can say it at all. */
#ifndef RH_CLI_WRITABLE_H
#define RH_CLI_WRITABLE_H

#include <stddef.h>

struct rh_arena;
struct rh_attr;
struct rh_value;

/* The tree that is to be written as YAML or JSON so that reading it by the attribute's type gives
 * `v` again: a "${" is written "$${", bytes as base64, and what has no form of its own as text. NULL
 * with the reason when it can't be: "it is sensitive". */
struct rh_value *rh_writable(struct rh_arena *a, const struct rh_attr *attr, const struct rh_value *v,
                             const char **why);

/* The same for text that stands for itself, as a title does. */
struct rh_value *rh_writable_text(struct rh_arena *a, const char *s, size_t n);

#endif
