/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/lines.h - text files as lines: read once, edited, and written once for a whole batch.
 *
 * For providers whose resource is a part of a file that others write to as well. What is not edited
 * stays byte for byte: comments, order, line endings (also mixed), a missing newline at the end, and
 * bytes that are no text. A new line ends as the others of the file do, and gives a newline to a last
 * line that lacked one. Owner, mode and attributes of the file are kept by <rhost/file.h>.
 *
 *   load:  const struct rhost_lines *l = rhost_lines_of(ctx, path);    NULL: the reason was given
 *   set:   return rhost_lines_set(ctx, changes, n, &how);       one rewrite of each file
 *          return rhost_lines_set_kept(ctx, changes, n, &keeper);   of lines that lie elsewhere
 *
 * A file is kept from call to call for as long as it does not change on disk, so that a thousand
 * resources in it cost one reading (rhost/keep.h: the provider's state word stays its own). Paths are walked as
 * <rhost/path.h> does it: root follows no link that an ordinary user could have made. What others wrote
 * between reading and writing is not lost: the file is read again then, and edited again. Needs POSIX.1-2008. */
#ifndef RHOST_LINES_H
#define RHOST_LINES_H

#include <rhost/lines-batch.h> /* which includes what it stands on: kept, edit, read */

#endif
