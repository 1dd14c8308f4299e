/* SPDX-License-Identifier: Apache-2.0 */
/* apt-repair - what dpkg --configure -a cannot repair: packages whose dependencies are missing. */
#ifndef PACKAGE_APT_REPAIR_H
#define PACKAGE_APT_REPAIR_H

#include "deb.h"

/* After deb_repair(): where packages are still incomplete, apt-get -f install installs what they depend on,
 * and `debs` is read again. It removes nothing that no job wants to be gone: then it is not run, and a
 * warning says what it would remove. Under noop nothing is done, and `would` has the packages that a run
 * would install. What apt-get printed is added to *printed. -1 after fail(). */
int32_t apt_repair(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, struct words *would,
                   const char **printed);

#endif
