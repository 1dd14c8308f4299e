/* SPDX-License-Identifier: Apache-2.0 */
/* request - certificate signing requests: reading and making them. */
#ifndef X509_REQUEST_REQUEST_H
#define X509_REQUEST_REQUEST_H

#include "../x509_key/key.h"
#include "extensions.h"

/* Reads a request in PEM, whose signature must be right. 1 and *request, for X509_REQ_free(); 0: the file
 * does not exist; or -1 with the reason given. */
int request_read(rhost_ctx *ctx, const char *path, uint64_t flags, X509_REQ **request, struct stat *st);

/* Reports subject and extensions of a request as attributes. */
void request_report(rhost_ctx *ctx, X509_REQ *request, rhost_value *current);

#endif
