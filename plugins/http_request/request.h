/* SPDX-License-Identifier: Apache-2.0 */
/* request - sends the request of a resource, or the one that checks whether it is needed. */
#ifndef HTTP_REQUEST_REQUEST_H
#define HTTP_REQUEST_REQUEST_H

#include "transfer.h"

/* The URL that the request of a resource goes to. */
const rhost_value *request_url(const rhost_value *should);

/* Whether the method changes nothing, as HTTP defines it, and no check or path decides: it is sent while
 * reading. */
int request_only_reads(const rhost_value *should);

/* Sends the request. 0: the answer, which is in `t`, is as expected; -1 after fail(). */
int request_send(rhost_ctx *ctx, const rhost_value *should, struct transfer *t);

/* Sends the check of a resource. 1: the request is needed; 0: it is not; -1 after fail(). */
int request_check(rhost_ctx *ctx, const rhost_value *should);

#endif
