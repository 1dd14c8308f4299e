/* SPDX-License-Identifier: Apache-2.0 */
/* manager - runs a manager of packages, and says why it failed. */
#ifndef PIP_PACKAGE_MANAGER_H
#define PIP_PACKAGE_MANAGER_H

#include "place.h"

#include <rhost/exec.h>

/* A list of words for a command. */
struct words {
    rhost_ctx *ctx;
    const char **all; /* ends with NULL */
    size_t n, room;
};

void words_add(struct words *w, const char *word);

/* What is known of one manager. */
struct manager {
    const char *name;            /* for messages */
    const char *const *env;      /* "NAME=value", ends with NULL */
    const char *const *prefixes; /* of lines that say what went wrong, ends with NULL */
    const char *const *idle;     /* beginnings of such lines that say nothing, ends with NULL */
    const char *cwd;             /* where it runs; NULL: in the place */
};

/* Runs the words as the user of the place. 0 whatever its status is; or -1 with the reason given. */
int32_t manager_run(const struct manager *m, const struct place *p, const struct words *w, uint64_t flags,
                    struct rhost_output *output);

/* The same, and another status than 0 fails: "cannot DO: REASON". */
int32_t manager_do(const struct manager *m, const struct place *p, const struct words *w, const char *what);

/* Why it failed, in one line, in memory of the call. */
const char *manager_complaint(const struct manager *m, rhost_ctx *ctx, const struct rhost_output *output);

/* Whether a URL has a user or a password in it, which a command line would show. */
int manager_url_has_credentials(const char *url);

#endif
