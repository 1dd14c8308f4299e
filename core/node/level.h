/* SPDX-License-Identifier: Apache-2.0 */
/* level - the ten components, and the four precedences that they make. */
#ifndef RH_NODE_LEVEL_H
#define RH_NODE_LEVEL_H

#include "node/node.h"

enum rh_precedence { RH_OF_DEFAULT, RH_OF_NORMAL, RH_OF_OVERRIDE, RH_OF_AUTOMATIC, RH_PRECEDENCES };

enum rh_precedence rh_level_precedence(enum rh_node_level level);

/* The lowest component of a precedence. */
enum rh_node_level rh_precedence_first(enum rh_precedence p);

/* A set of components, one bit each. */
#define RH_LEVEL_BIT(level) (1U << (level))
#define RH_ALL_LEVELS ((1U << RH_LEVELS) - 1)
unsigned rh_precedence_bits(enum rh_precedence p);

/* "merged", "combined_default", "combined_override", a component: what it is made of, 0 when there
 * is no such view. */
unsigned rh_view_bits(const char *name);

/* The names of all views, NULL behind the last: "merged" is number 0. */
const char *rh_view_name(size_t i);

#endif
