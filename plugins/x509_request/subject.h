/* SPDX-License-Identifier: Apache-2.0 */
/* subject - distinguished names, as a hash: {C: CH, O: Example, CN: www.example.org}. */
#ifndef X509_REQUEST_SUBJECT_H
#define X509_REQUEST_SUBJECT_H

#include <rhost/provider.h>

#include <openssl/x509.h>

#define SUBJECT_TYPE                                                                                         \
    "Hash[Pattern[/\\A[A-Za-z][A-Za-z0-9]*\\z/], Variant[String[1, 1000], Array[String[1, 1000], 1]], 1]"

/* Brings the attribute `subject` into canonical form: short names, and no list where there is one value. -1
 * with the reason given. */
int32_t subject_canonicalize(rhost_ctx *ctx, rhost_value *resource);

/* The name for a hash, in its order; NULL with the reason given. An empty name for NULL. */
X509_NAME *subject_make(rhost_ctx *ctx, const rhost_value *subject);

/* Reports a name as the attribute `subject`, which has to be free of anything that text can't be made of. */
void subject_report(rhost_ctx *ctx, const X509_NAME *name, rhost_value *current);

/* As one line for people, in memory of the call: "C=CH, CN=www.example.org". */
const char *subject_line(rhost_ctx *ctx, const X509_NAME *name);

#endif
