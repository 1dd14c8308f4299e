/* SPDX-License-Identifier: Apache-2.0 */
/* record - a line of known_hosts: marker, names of the host, type and key. */
#ifndef KNOWN_HOST_RECORD_H
#define KNOWN_HOST_RECORD_H

#include "../ssh_authorized_key/keys.h"

struct record {
    struct key_part marker, hosts; /* the marker without '@', perhaps empty; the names, with ',' between */
    struct key k;
    const char *rest; /* what follows the names, from the blank on */
};

/* Takes a line apart. 0: it is none. */
int record_parse(const char *line, size_t len, struct record *r);

/* Whether it is about this host (also hashed), with this marker. */
int record_is_for(const struct record *r, const char *marker, const char *host);

/* Puts "TYPE KEY" of each key that the host has into the array, each once; how many. */
size_t record_keys(rhost_ctx *ctx, const struct rhost_lines *l, const char *marker, const char *host,
                   rhost_value *into);

/* Has the host have these keys and no others; none for NULL. New lines have its name, or that hashed. The
 * reason why not, as rhost_lines_how.edit. */
const char *record_edit(rhost_ctx *ctx, struct rhost_lines *l, const char *marker, const char *host,
                        const rhost_value *keys, int hash);

#endif
