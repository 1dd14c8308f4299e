/* SPDX-License-Identifier: Apache-2.0 */
/* installation - the directory that flatpak keeps applications, runtimes and remotes in.
 *
 * One of root is used as the installation of the system, and one of another user as that user's own. Reading
 * never starts flatpak, which makes an installation where there is none. */
#ifndef FLATPAK_INSTALLATION_H
#define FLATPAK_INSTALLATION_H

#include "../pip_package/manager.h"

/* For the attributes and needs of both types. */
#define INSTALLATION_PATH_ATTR                                                                               \
    {                                                                                                        \
        .name = "path", .type = RHOST_TYPE_PATH, .behaviour = RHOST_NAMEVAR,                                 \
        .default_value = "\"/var/lib/flatpak\"",                                                             \
        .desc = "The directory of the installation: of the system, or of a user."                            \
    }
#define INSTALLATION_NEEDS                                                                                   \
    "user[$owner]", "write[$path/../.]", "read[$path]", "run[flatpak]", PLACE_CAPABILITIES

/* Adds "flatpak", the verb, and the installation to the words. */
void installation_begin(const struct place *p, struct words *w, const char *verb);

/* Makes the directory where there is none, and runs flatpak. 0; or -1 with "cannot DO: REASON" given. */
int32_t installation_run(struct place *p, const struct words *w, const char *what);

#endif
