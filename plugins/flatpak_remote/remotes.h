/* SPDX-License-Identifier: Apache-2.0 */
/* remotes - the remotes of an installation of flatpak, read from repo/config. */
#ifndef FLATPAK_REMOTE_REMOTES_H
#define FLATPAK_REMOTE_REMOTES_H

#include "../flatpak/installation.h"

struct remote {
    int exists;
    const char *url, *title; /* NULL: it has none */
    int gpg_verify, enabled;
};

/* Looks for a remote. 0; or -1 with the reason given. */
int32_t remotes_find(const struct place *p, const char *name, struct remote *found);

#endif
