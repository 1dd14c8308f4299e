/* SPDX-License-Identifier: Apache-2.0 */
/* repository - what is at a path: a repository, an empty directory, or something else. */
#ifndef GIT_REPOSITORY_H
#define GIT_REPOSITORY_H

#include "command.h"

#include <sys/stat.h>

enum repository_kind { REPOSITORY_EMPTY, REPOSITORY_BARE, REPOSITORY_TREE };

struct repository {
    enum repository_kind kind;
    const char *commit; /* that is checked out; NULL: none */
    const char *branch; /* that is checked out; NULL: none */
    const char *url;    /* of the remote; NULL: it has no such remote */
};

/* Which kind of directory `path` is; -1 with the reason given when it holds something that is no repository.
 */
int32_t repository_find(rhost_ctx *ctx, const char *path, struct repository *r);

/* As root, git is run as root only where no other user can change what it works on. */
int32_t repository_check_trust(const struct git *g, const struct repository *r);

/* Asks git for the rest. */
int32_t repository_read(const struct git *g, struct repository *r);

#endif
