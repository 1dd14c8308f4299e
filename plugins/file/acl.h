/* SPDX-License-Identifier: Apache-2.0 */
/* acl - POSIX ACLs of files and directories: a list of entries for users and groups beside those of `mode`.
 */
#ifndef FILE_ACL_H
#define FILE_ACL_H

#include <rhost/provider.h>

#include <sys/stat.h>

#define ACL_TYPE                                                                                             \
    "Optional[Array[Pattern[/\\A(d:|default:)?(u|user|g|group|o|other):[^:\\s]*:[rwxX-]{1,3}\\z/]]]"

/* Brings `acl` into its canonical form: "u:NAME:r-x", and "d:" in front of what new entries of a directory
 * get. 0, or -1 after the reason was given. */
int acl_tidy(rhost_ctx *ctx, rhost_value *resource, int is_directory);

/* Corrects the bits of the group in st->st_mode: with an ACL, stat(2) has there what its entries may have at
 * most. 0, or -1 with errno. */
int acl_own_mode(int fd, struct stat *st);

/* Reports `acl`: as it is wanted where it is so for the permission bits `mode`, else as it is. Nothing where
 * there is none and none is wanted. 0, or -1 after the reason was given. */
int acl_report(rhost_ctx *ctx, int fd, int is_directory, int64_t mode, const rhost_value *should,
               rhost_value *current);

/* Gives what is open the ACL that is wanted, and these permission bits. What was read, changed and set before
 * does not count any more: the last step. 0, or -1 after the reason was given. */
int acl_set(rhost_ctx *ctx, int fd, int is_directory, int64_t mode, const rhost_value *should);

#endif
