/* SPDX-License-Identifier: Apache-2.0 */
/* environment - a virtual environment, or the prefix of a Python, and the packages in it. */
#ifndef PIP_PACKAGE_ENVIRONMENT_H
#define PIP_PACKAGE_ENVIRONMENT_H

#include "place.h"

enum { MOST_SITES = 8 };

struct environment {
    struct place place;
    int is_virtual;                    /* it has a pyvenv.cfg */
    int is_whole;                      /* it has a Python, and a directory for packages */
    int has_pip;                       /* of its own */
    const char *sites[MOST_SITES + 1]; /* directories with packages; ends with NULL */
    const char *managed;               /* the file that has its distribution manage it; NULL: there is none */
};

/* What is known of one package in an environment. */
struct installed {
    const char *version; /* NULL: it is not there */
    const char *broken;  /* why it counts as half installed, for messages; NULL: it does not */
    const char *second;  /* the metadata of another version of it; NULL: there is none */
};

/* Looks at the environment. 0; or -1 with the reason given. */
int32_t environment_open(rhost_ctx *ctx, struct environment *e, const char *path, const rhost_value *should);

/* Looks for the package whose name is in its canonical form. The same answers. */
int32_t environment_find(const struct environment *e, const char *name, struct installed *found);

/* The canonical form of a name, PEP 503: "Foo__Bar" is "foo-bar". */
const char *environment_canonical_name(rhost_ctx *ctx, const char *name, size_t len);

#endif
