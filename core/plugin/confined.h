/* SPDX-License-Identifier: Apache-2.0 */
/* confined - the process of a provider confines itself, before it loads the plugin. */
#ifndef RH_PLUGIN_CONFINED_H
#define RH_PLUGIN_CONFINED_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_error;

/* Confines the calling process to a list of privileges (privileges.h), which is checked like any input.
 * `state` is the state directory, or -1: what is kept for resources is in it. On failure the process must
 * end. */
RH_CHECKED int rh_confined_apply(const char *text, size_t n, int state, struct rh_error *err);

/* The programs that the list permits, of the same text: NULL-terminated, and NULL where all are permitted.
 * The caller's, with what it points to in the text. */
const char **rh_confined_programs(const char *text, size_t n);

#endif
