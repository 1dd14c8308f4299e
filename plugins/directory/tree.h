/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what lies below a directory: looking at it, changing it, removing it.
 *
 * Everything is reached through descriptors of directories, never by a path that somebody could
 * redirect with a symbolic link meanwhile. Other file systems mounted below are left alone. */
#ifndef DIRECTORY_TREE_H
#define DIRECTORY_TREE_H

#include <rhost/provider.h>

#include <sys/stat.h>

/* Who owns what is below, and with which mode; -1: as it is. */
struct tree_rule {
    int64_t uid, gid, mode;
};

struct tree_entry {
    struct tree_entry *next;
    int is_directory;
    char name[];
};

/* The mode of a directory under such a rule: x wherever r is. */
int64_t tree_directory_mode(int64_t mode);

/* How many entries below `fd` differ, at most `enough`; the first's path goes into `first`. */
int32_t tree_check(rhost_ctx *ctx, int fd, const struct tree_rule *rule, size_t enough,
                   size_t *differ, char *first, size_t size);

int32_t tree_apply(rhost_ctx *ctx, int fd, const struct tree_rule *rule);

/* The entries of `fd` that are not named in `keep`; directories only when `force` says so. */
int32_t tree_list(rhost_ctx *ctx, int fd, const rhost_value *keep, int force,
                  struct tree_entry **entries, size_t *n);

int32_t tree_remove_entry(rhost_ctx *ctx, int fd, const struct tree_entry *entry);
int32_t tree_remove_below(rhost_ctx *ctx, int fd);

#endif
