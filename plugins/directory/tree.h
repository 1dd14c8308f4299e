/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what lies below a directory: looking at it, changing it, removing it.
 *
 * Everything is reached through descriptors of directories, never by a path that somebody could
 * redirect with a symbolic link meanwhile. What is mounted below, be it a bind mount of the same file system,
 * is never entered or changed, and keeps what it is in from being removed. */
#ifndef DIRECTORY_TREE_H
#define DIRECTORY_TREE_H

#include <rhost/provider.h>

#include <sys/stat.h>

/* Who owns what is below; -1: as it is. And with which mode, in octal or in symbols; NULL: as it is. */
struct tree_rule {
    int64_t uid, gid;
    const char *mode;
};

/* An entry that a purge removes. */
struct tree_entry {
    struct tree_entry *next;
    char name[];
};

/* What a purge leaves: the names in `keep`, and what the manifest names below `path` (an array of paths; may
 * be NULL). Directories are left as well, unless `force` says otherwise. */
struct tree_kept {
    const rhost_value *keep, *declared;
    const char *path;
    int force;
};

/* The mode of a directory under such a rule, which has the mode `now`: in octal, x wherever r is. -1 for
 * NULL. */
int64_t tree_directory_mode(const char *mode, mode_t now);

/* How many entries below `fd` differ, at most `enough`; the first's path goes into `first`. */
int32_t tree_check(rhost_ctx *ctx, int fd, const struct tree_rule *rule, size_t enough, size_t *differ,
                   char *first, size_t size);

int32_t tree_apply(rhost_ctx *ctx, int fd, const struct tree_rule *rule);

/* The entries of `fd` that are to be removed, and how many there are with all that is below them; counting
 * ends beyond `enough`. */
int32_t tree_list(rhost_ctx *ctx, int fd, const struct tree_kept *kept, size_t enough,
                  struct tree_entry **entries, size_t *n);

/* Whether a file below `fd`, or `fd` itself ("."), is immutable or append-only, so that not even root can
 * remove it: 1, with its path from there in `where`. What is mounted below, or too deep for the walk, is
 * passed over. */
int32_t tree_find_fixed(rhost_ctx *ctx, int fd, char *where, size_t size);

/* Whether something is mounted below `fd`, or `fd` itself is where something is mounted, so that
 * tree_remove_below() would remove nothing: -1 with the reason given. Otherwise 0. */
int32_t tree_check_removal(rhost_ctx *ctx, int fd);

/* Removes these entries of `fd`, or all of them (NULL), with what is below. Nothing is removed when something
 * is mounted among it, or when `fd` itself is where something is mounted. */
int32_t tree_remove(rhost_ctx *ctx, int fd, const struct tree_entry *entries);
int32_t tree_remove_below(rhost_ctx *ctx, int fd);

/* Removes all that is below `fd`, however deep it is: directories that are too deep for the walk are moved up
 * first. It stops at the first entry that cannot be removed, or where something is mounted, and writes the
 * reason to `why`, which names that entry by its path; `top` is that of `fd`. 0, or -1. */
int32_t tree_empty(rhost_ctx *ctx, int fd, const char *top, char *why, size_t size);

#endif
