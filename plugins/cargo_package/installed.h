/* SPDX-License-Identifier: Apache-2.0 */
/* installed - what cargo has noted of the crates that it has installed below a directory.
 *
 * .crates.toml has the crates and their programs, and .crates2.json the features they were built with. Where
 * they differ cargo believes .crates.toml, which it writes first. */
#ifndef CARGO_PACKAGE_INSTALLED_H
#define CARGO_PACKAGE_INSTALLED_H

#include "../pip_package/manager.h"

struct crate {
    const char *version;   /* NULL: it is not installed */
    const char *broken;    /* a program of it that does not exist; NULL: there is none */
    struct words missing;  /* all of those, as paths */
    struct words features; /* that it was built with, beside the default ones */
    int all_features;      /* it was built with all, whichever these are */
    int without_default;   /* it was built without the default features */
};

/* Looks for a crate, without starting cargo. Where several versions are noted, one that `wanted` (NULL: any)
 * accepts counts. 0; or -1 with the reason given. */
int32_t installed_find(const struct place *p, const char *name, const char *wanted, struct crate *found);

#endif
