/* SPDX-License-Identifier: Apache-2.0 */
/* home - cargo's own directory: its configuration, and what it has downloaded. */
#ifndef CARGO_PACKAGE_HOME_H
#define CARGO_PACKAGE_HOME_H

#include "../pip_package/manager.h"

/* The attribute `cargo_home`, or the .cargo of the user that cargo runs as; NULL with the reason given: that
 * user has no home directory. */
const char *home_find(const struct place *p);

/* Adds what cargo obeys, besides what is in the place, to `all`, for place_check_trust(). */
void home_add_trusted(struct words *all, const char *home);

/* cargo reads the configuration in the .cargo of each directory above its home. Where it runs as another user
 * than root: whether a third one can put such a configuration there. 0; or -1 with the reason given. */
int32_t home_check_above(const struct place *p, const char *home);

#endif
