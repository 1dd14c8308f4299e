/* SPDX-License-Identifier: Apache-2.0 */
/* listing - reads .crates.toml: of TOML, what cargo writes into it. */
#ifndef CARGO_PACKAGE_LISTING_H
#define CARGO_PACKAGE_LISTING_H

#include <rhost/provider.h>

struct listed {
    const char *id;              /* "NAME VERSION (SOURCE)" */
    const char *name, *version;  /* the first two words of it */
    const char *const *programs; /* ends with NULL */
};

struct listing {
    struct listed *all;
    size_t n;
};

/* Reads the text into memory of the call. NULL, or what is wrong with it, with the line. */
const char *listing_read(rhost_ctx *ctx, const char *text, struct listing *to);

#endif
