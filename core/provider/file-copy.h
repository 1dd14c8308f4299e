/* SPDX-License-Identifier: Apache-2.0 */
/* file-copy - bytes, and what hangs on a file beside them, from one descriptor to another. */
#ifndef RH_PROVIDER_FILE_COPY_H
#define RH_PROVIDER_FILE_COPY_H

#include <stdbool.h>

/* All of `from`, a regular file that stands at its beginning, into the empty `to`; holes stay holes where both
 * file systems know them. -1 with errno. */
int rh_copy_bytes(int from, int to);

/* Extended attributes, with the security label and, with `acl`, the access ACL among them. What the file system
 * can't hold is left out, and so is what was said of the old content (IMA, EVM) or granted to it (capabilities);
 * an ACL that `to` inherited from its directory and `from` has not goes. -1 with errno. */
int rh_copy_xattrs(int from, int to, bool acl);

#endif
