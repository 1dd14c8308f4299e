/* SPDX-License-Identifier: Apache-2.0 */
/* place - the new file beside the path, and how it takes its place.
 *
 * It has no name until it is complete, so a run that is killed leaves nothing. Where the file system has no
 * such files, and for the moment before it replaces another one, it has a name that is kept in the state
 * directory: the next run removes what is left. */
#ifndef REMOTE_FILE_PLACE_H
#define REMOTE_FILE_PLACE_H

#include <rhost/provider.h>

#include <limits.h>
#include <sys/stat.h>

struct place {
    const rhost_value *name;   /* of the resource */
    const char *key;           /* under which its name is kept */
    const char *path;          /* as it was given, for messages */
    int dir;                   /* the directory that it is in, or that a symbolic link leads to */
    const char *base;          /* its name there */
    int is_there;              /* whether a file is replaced */
    struct stat old;           /* that one */
    int fd;                    /* the new file, of mode 0600 */
    char beside[NAME_MAX + 1]; /* the name of the new file, empty while it has none */
};

/* Opens the new file, and removes what a run that was killed has left. 0; or -1 with the reason given. */
int32_t place_open(rhost_ctx *ctx, const rhost_value *name, const char *path, struct place *p);

/* Opens another file there, which never takes the place; after place_open(). 0; or -1 with the reason given.
 */
int32_t place_open_other(rhost_ctx *ctx, const rhost_value *name, const char *path, struct place *p);

/* Gives the new file owner (-1: that of the former one, or ours) and mode, and those attributes of the former
 * one that its content has nothing to do with, brings it to disk, and puts it in its place. `is_new`: where
 * nothing is, else it fails with EEXIST. 0; or -1 with the reason given: what was there is whole. */
int32_t place_commit(rhost_ctx *ctx, struct place *p, int64_t uid, int64_t gid, mode_t mode, int is_new);

/* Gives the new file up where it has not taken its place. */
void place_close(rhost_ctx *ctx, struct place *p);

/* Whether a run that was killed has left a new file beside the path. */
int place_is_left(rhost_ctx *ctx, const rhost_value *name, const char *path);

/* Removes that. 0; or -1 with the reason given. */
int32_t place_clean_up(rhost_ctx *ctx, const rhost_value *name, const char *path);

#endif
