/* SPDX-License-Identifier: Apache-2.0 */
/* requirement - versions of crates, and requirements of them, as 'cargo install --version' reads them. */
#ifndef CARGO_PACKAGE_REQUIREMENT_H
#define CARGO_PACKAGE_REQUIREMENT_H

#include <rhost/provider.h>

/* What cargo accepts as `text`, as a range of npm, whose rules are the same: "^1.2, <1.9" is "^1.2 <1.9". In
 * memory of the call; NULL: cargo refuses the text, which is neither a whole version nor begins with an
 * operator. */
const char *requirement_range(rhost_ctx *ctx, const char *text);

/* Whether the version is what the text asks for. */
int requirement_accepts(rhost_ctx *ctx, const char *text, const char *version);

#endif
