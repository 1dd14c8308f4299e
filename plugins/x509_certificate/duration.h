/* SPDX-License-Identifier: Apache-2.0 */
/* duration - "30 days", "12 hours", "2 weeks". */
#ifndef X509_CERTIFICATE_DURATION_H
#define X509_CERTIFICATE_DURATION_H

#include <rhost/provider.h>

#define DURATION_TYPE "Pattern[/\\A[1-9][0-9]{0,5} (hour|day|week)s?\\z/]"

/* Brings an attribute into canonical form: days, or hours where it is no whole number of days. */
void duration_canonicalize(rhost_value *resource, const char *attribute);

/* In seconds. */
int64_t duration_seconds(const char *text);

#endif
