/* SPDX-License-Identifier: Apache-2.0 */
/* stage - the directory beside the path in which a tree comes to be, and how it takes its place. */
#ifndef ARCHIVE_STAGE_H
#define ARCHIVE_STAGE_H

#include "record.h"

struct stage {
    const rhost_value *name; /* of the resource */
    const char *path;        /* where the tree belongs */
    const char *base;        /* its name in the directory `parent` */
    int parent;              /* good for calls that take a directory alone */
    int fd;                  /* the directory under work; -1: there is none */
    struct record_work work;
};

/* Removes what a run that was killed has left beside the path, and makes the directory, which only we can
 * enter. 0; or -1 with the reason given, and nothing to close. */
int32_t stage_open(rhost_ctx *ctx, const rhost_value *name, const char *path, struct stage *s);

/* Removes the directory, unless it has taken its place, and closes the rest. */
void stage_close(rhost_ctx *ctx, struct stage *s);

/* Puts the tree into its place, in one step, where nothing is: EEXIST fails. */
int32_t stage_place(rhost_ctx *ctx, struct stage *s);

/* The same in the place of the directory `former`, which must be what is there and is removed then. */
int32_t stage_replace(rhost_ctx *ctx, struct stage *s, int former);

/* What is done with the directory at the path of a resource, which is open as `fd`. 0; or -1 with the reason
 * given. */
typedef int32_t stage_fn(rhost_ctx *ctx, const struct rhost_change *change, int fd);

/* Opens that directory for `fn`, and closes it. The same answers. */
int32_t stage_with(rhost_ctx *ctx, const struct rhost_change *change, stage_fn *fn);

/* Removes it, in one step, if `may_go` answers 0 and nothing in it is mounted or immutable; and what a run
 * that was killed has left beside it. */
int32_t stage_remove(rhost_ctx *ctx, const struct rhost_change *change, stage_fn *may_go);

/* Whether a run that was killed has left something beside the path. */
int stage_is_left(rhost_ctx *ctx, const rhost_value *name, const char *path);

/* Why the tree `fd` could not be removed: something is mounted in it, or is immutable. -1 with the reason
 * given. */
int32_t stage_check_removable(rhost_ctx *ctx, int fd, const char *path);

#endif
