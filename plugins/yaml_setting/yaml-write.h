/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-write - values as YAML, by the emitter of libyaml. */
#ifndef YAML_SETTING_YAML_WRITE_H
#define YAML_SETTING_YAML_WRITE_H

#include <rhost/provider.h>

/* A value in memory of the call, without a newline behind it. `flow`: all in one line; otherwise mappings and
 * lists that are not empty are in lines, `unit` blanks deeper each. NULL, with the reason in *why. */
const char *yaml_write(rhost_ctx *ctx, const rhost_value *value, int flow, int unit, const char **why);

/* A key. */
const char *yaml_write_key(rhost_ctx *ctx, const char *key, int flow, const char **why);

/* The lines of a text, each but the first behind so many blanks, with this newline. */
const char *yaml_indented(rhost_ctx *ctx, const char *text, size_t blanks, const char *newline);

#endif
