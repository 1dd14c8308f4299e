/* SPDX-License-Identifier: Apache-2.0 */
/* pin - what apt permits in a pin, and its one form. */
#ifndef APT_PIN_PIN_H
#define APT_PIN_PIN_H

#include <rhost/provider.h>

/* The line behind "Pin:" in one form, "release a=stable, l=Debian" with the keys in order; NULL with *why
 * where apt does not take it. Both live as long as the call. */
const char *pin_canonical(rhost_ctx *ctx, const char *text, const char **why);

/* Why apt does not take a word of "Package:"; NULL: it does. */
const char *pin_package_trouble(rhost_ctx *ctx, const char *word);

#endif
