/* SPDX-License-Identifier: Apache-2.0 */
/* confined - the process of a provider confines itself, before it loads the plugin. */
#ifndef RH_PLUGIN_CONFINED_H
#define RH_PLUGIN_CONFINED_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_error;

/* Confines the calling process to a list of privileges (privileges.h), which is checked like any input.
 * `way_back` is of rh_network_leave(). On failure the process must end. */
RH_CHECKED int rh_confined_apply(const char *text, size_t n, int way_back, struct rh_error *err);

/* Confines the process that is about to execute a program of an executable provider, the first of
 * `candidates` that is there. It may execute that and the programs that the list permits, and read what is
 * installed. -1 with errno. */
RH_CHECKED int rh_confined_program(const char *text, size_t n, char *const *candidates);

/* Adds to a list the filter of system calls that belongs to it, so that the process, which is new, need not
 * make it: the host keeps it for all processes that are permitted the same. */
RH_CHECKED int rh_confined_add_filter(struct rh_buf *text, struct rh_error *err);

/* Whether the list is of an executable provider. */
bool rh_confined_is_program(const char *text, size_t n);

/* The programs that the list permits, of the same text: NULL-terminated, and NULL where all are permitted.
 * The caller's, with what it points to in the text. */
const char **rh_confined_programs(const char *text, size_t n);

#endif
