/* SPDX-License-Identifier: Apache-2.0 */
/* modules - what npm has put below a prefix, or into a project. */
#ifndef NPM_PACKAGE_MODULES_H
#define NPM_PACKAGE_MODULES_H

#include "../pip_package/place.h"

struct modules {
    struct place place;
    int is_project;
    const char *directory; /* its node_modules */
};

struct module {
    int listed;          /* in the package.json of the project; of a prefix, always */
    const char *version; /* NULL: it is not there */
    const char *broken;  /* why it counts as half installed, for messages; NULL: it does not */
};

/* 0; or -1 with the reason given. */
int32_t modules_open(rhost_ctx *ctx, struct modules *m, const char *path, const rhost_value *should);

/* Looks for a package, without starting npm. The same answers. */
int32_t modules_find(const struct modules *m, const char *name, struct module *found);

#endif
