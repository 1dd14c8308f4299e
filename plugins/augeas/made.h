/* SPDX-License-Identifier: Apache-2.0 */
/* made - what changes have made of a text, kept from call to call: a run asks several times, and a lens takes
 * its time. */
#ifndef RH_AUGEAS_MADE_H
#define RH_AUGEAS_MADE_H

#include <rhost/provider.h>

/* 1 with what `wanted` made of this text, `text` itself or in memory of the call; 0: it is not known. */
int made_find(rhost_ctx *ctx, const rhost_value *wanted, const char *text, const char **result);

/* Keeps that `wanted` makes this result of a text: the same pointer where nothing is changed. */
void made_keep(rhost_ctx *ctx, const rhost_value *wanted, const char *text, const char *result);

#endif
