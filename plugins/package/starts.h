/* SPDX-License-Identifier: Apache-2.0 */
/* starts - in an image, packages of Debian start none of their services while they are installed. */
#ifndef PACKAGE_STARTS_H
#define PACKAGE_STARTS_H

#include <rhost/provider.h>

/* Holds starts back until starts_release(); both do nothing but in an image. -1 after fail(). */
int32_t starts_prevent(rhost_ctx *ctx);
void starts_release(rhost_ctx *ctx);

#endif
