/* SPDX-License-Identifier: Apache-2.0 */
/* json - values as JSON, in both directions. What JSON can't say is a hash with a tag:
 *
 *     {"__ptype": "Sensitive", "__pvalue": "secret"}
 *     {"__ptype": "Binary", "__pvalue": "AAEC"}
 *
 * Sensitive (any value), Binary (base64), Float (text: "NaN", "Infinity", "-Infinity"), and hash (a
 * list of key, value, key, value...), for a hash that has itself a key "__ptype". Timestamp, Timespan,
 * SemVer, SemVerRange, URI and Regexp may be given so, too: they are their text. */
#ifndef BRIDGE_JSON_H
#define BRIDGE_JSON_H

#include "text.h"

#include <rhost/abi.h>

void json_write(struct text *t, const rhost_value *v);
void json_string(struct text *t, const char *s, size_t n);

/* Reads one value out of a line into `in`, as `key`. -1 with `why`, which never has anything of the
 * line in it but names of tags, since that may be secret. */
int json_read(rhost_ctx *ctx, rhost_value *in, const char *key, const char *line, size_t n, struct text *why);

#endif
