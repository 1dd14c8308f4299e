/* SPDX-License-Identifier: Apache-2.0 */
/* xattrs - extended attributes of files and directories that users and programs set, "user.NAME".
 *
 * Those of other name spaces belong to the kernel, to other attributes of the types, or take CAP_SYS_ADMIN.
 */
#ifndef FILE_XATTRS_H
#define FILE_XATTRS_H

#include <rhost/provider.h>

#define XATTRS_TYPE "Optional[Hash[Pattern[/\\A[^\\x00]{1,255}\\z/], Optional[Variant[String, Binary]]]]"

/* Refuses names that cannot be managed. 0, or -1 after the reason was given. */
int xattrs_validate(rhost_ctx *ctx, const rhost_value *resource);

/* Reports `xattrs`: of what is wanted, each with the value that it has, or undef where it does not exist;
 * where nothing is wanted, all "user." that there are, and nothing where there are none. 0, or -1 after the
 * reason was given. */
int xattrs_report(rhost_ctx *ctx, int fd, const rhost_value *should, rhost_value *current);

/* Gives what is open those that are wanted, and removes those that are wanted as undef. 0, or -1 after the
 * reason was given. */
int xattrs_set(rhost_ctx *ctx, int fd, const rhost_value *should);

#endif
