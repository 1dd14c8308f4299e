/* SPDX-License-Identifier: Apache-2.0 */
/* names - alternative names of a subject, as text: "DNS:www.example.org", "IP:192.0.2.1". */
#ifndef X509_REQUEST_NAMES_H
#define X509_REQUEST_NAMES_H

#include <rhost/provider.h>

#include <openssl/x509v3.h>

/* Brings the attribute `subject_alt_names` into canonical form, with the kind in front of each. -1 with the
 * reason given. */
int32_t names_canonicalize(rhost_ctx *ctx, rhost_value *resource);

/* NULL with the reason given. */
GENERAL_NAMES *names_make(rhost_ctx *ctx, const rhost_value *list);

/* Reports them as `subject_alt_names` (NULL: there are none), unless there are others than the four kinds. */
void names_report(rhost_ctx *ctx, const GENERAL_NAMES *names, rhost_value *current);

#endif
