/* SPDX-License-Identifier: Apache-2.0 */
/* make - a kit of what is installed here, or of packages. */
#ifndef RH_KIT_MAKE_H
#define RH_KIT_MAKE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

struct rh_kit_request {
    const char *program, *worker; /* of this machine; NULL: of packages */
    const char *packages;         /* the directory with them; or NULL */
    const char *plugins;          /* names with commas between; NULL: all */
    const char *arch;             /* that the kit must have; NULL: any */
    const char *version;          /* of rhost; NULL: not known */
    const char *directory;        /* where it goes, named by its digest */
    const char *output;           /* a file to write instead; or NULL */
    bool json;                    /* print kit.json, and not a summary */
    const char *const *files;     /* of plugins, of this machine; after each its description as JSON, or "" */
    size_t n_files;               /* of both */
};

/* Makes it, and prints what it made. */
RH_CHECKED int rh_kit_make(const struct rh_kit_request *request, struct rh_error *err);

/* Text of the file that starts a kit. */
extern const char rh_kit_start_script[];

#endif
