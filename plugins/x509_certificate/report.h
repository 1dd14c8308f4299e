/* SPDX-License-Identifier: Apache-2.0 */
/* report - what a certificate is, as attributes. */
#ifndef X509_CERTIFICATE_REPORT_H
#define X509_CERTIFICATE_REPORT_H

#include "chain.h"

/* Reports subject, extensions, issuer, times, serial number and fingerprint. -1 with the reason given. */
int32_t report_certificate(rhost_ctx *ctx, X509 *x, rhost_value *current);

/* Seconds until it expires; negative: it has. */
int64_t report_remaining(const X509 *x);

#endif
