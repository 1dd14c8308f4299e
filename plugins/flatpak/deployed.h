/* SPDX-License-Identifier: Apache-2.0 */
/* deployed - what flatpak has installed, read from the directories of an installation. */
#ifndef FLATPAK_DEPLOYED_H
#define FLATPAK_DEPLOYED_H

#include "installation.h"

struct deployed {
    struct words refs;  /* "app/ID/ARCH/BRANCH" and "runtime/ID/ARCH/BRANCH" */
    const char *remote; /* that the last of them came from; NULL: none is installed */
    const char *broken; /* why one counts as half installed, for messages; NULL: none does */
    struct words stale; /* links to what is half installed: flatpak takes them for installed, or crashes */
};

/* Looks for an application or a runtime; `branch` is "" for any. 0; or -1 with the reason given. */
int32_t deployed_find(const struct place *p, const char *id, const char *branch, struct deployed *found);

#endif
