/* SPDX-License-Identifier: Apache-2.0 */
/* zones - the time zones that a directory of tzdata has. */
#ifndef TIMEZONE_ZONES_H
#define TIMEZONE_ZONES_H

#include <rhost/provider.h>

/* 1: the directory has a file of rules for the zone; 0: it has none; -1 after the reason was given. */
int zones_have(rhost_ctx *ctx, const char *folder, const char *zone);

/* The zones whose names are nearest to this one, as "; similar: 'Europe/Berlin'", in memory of the call; ""
 * where none is near. */
const char *zones_hint(rhost_ctx *ctx, const char *folder, const char *zone);

#endif
