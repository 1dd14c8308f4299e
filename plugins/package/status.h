/* SPDX-License-Identifier: Apache-2.0 */
/* status - the database of dpkg, read as apt reads it: from its file. */
#ifndef PACKAGE_STATUS_H
#define PACKAGE_STATUS_H

#include "deb.h"

/* What the file has, in its order: what 'dpkg-query -W' would say, an order of magnitude sooner. 0 when
 * it can't be told from the file alone, and dpkg-query has to be asked: dpkg is at work and has notes
 * beside it, or there is anything in it that is not known here. */
int status_read(rhost_ctx *ctx, struct debs *debs);

/* The architecture of this machine, which is that of dpkg itself; NULL when the file does not say it. */
const char *status_native(rhost_ctx *ctx);

#endif
