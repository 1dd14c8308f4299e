/* SPDX-License-Identifier: Apache-2.0 */
/* outgoing - the way out of a runtime: outcomes, log records, items and errors leave it only through this,
 * without the secrets that the runtime knows. For this room, and for the worker around it (plugin/server.h).
 *
 * Texts and values that are cut, or put into another text, are redacted before that: of a secret that was
 * cut, less is recognized later. So a plugin's words pass rh_outgoing_text as they come, and a value is put
 * into a message by rh_outgoing_show only. */
#ifndef RH_PROVIDER_OUTGOING_H
#define RH_PROVIDER_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_log_record;
struct rh_outcome;
struct rh_runtime;
struct rh_value;

/* To the sink. */
void rh_outgoing_outcome(struct rh_runtime *rt, const struct rh_outcome *outcome);
void rh_outgoing_log(struct rh_runtime *rt, const struct rh_log_record *record);
void rh_outgoing_item(struct rh_runtime *rt, struct rh_value *item); /* may be changed */

/* To the caller of the runtime; does nothing where `err` has no message. */
void rh_outgoing_error(struct rh_runtime *rt, struct rh_error *err);

/* Words of a plugin: without secrets, fit to be shown, and cut after `longest` bytes. With `lines`, line ends
 * and tabs stay. In `a`. */
char *rh_outgoing_text(struct rh_runtime *rt, struct rh_arena *a, const char *text, size_t longest,
                       bool lines);

/* A value that is reported: itself where it has no secret in it. */
const struct rh_value *rh_outgoing_value(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v);

/* Appends a value as rh_value_show does. */
void rh_outgoing_show(struct rh_runtime *rt, struct rh_buf *b, const struct rh_value *v, size_t limit);

#endif
