/* SPDX-License-Identifier: Apache-2.0 */
/* records - the records of a reply as texts. */
#ifndef DNS_RECORDS_H
#define DNS_RECORDS_H

#include "ask.h"

/* A type of records, and how the reply is read. */
struct records_type {
    const char *name;
    int number;
    /* Adds the texts of a reply to an array: a status of c-ares. */
    int (*read)(rhost_ctx *ctx, const struct ask_reply *reply, const char ***texts, size_t *n);
};

/* One of A, AAAA, CAA, MX, NS, PTR, SRV and TXT. */
const struct records_type *records_type(const char *name);

/* The name under which the PTR record of an address is, in memory of the call; NULL: it is no address. */
const char *records_reverse(rhost_ctx *ctx, const char *address);

/* Puts the records into the answer, sorted; RHOST_ABSENT: there are none; -1 after the reason was given. */
int32_t records_put(rhost_ctx *ctx, const struct records_type *type, const struct ask_reply *reply,
                    rhost_value *answer);

#endif
