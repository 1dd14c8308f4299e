/* SPDX-License-Identifier: Apache-2.0 */
/* file-copy - bytes, and what hangs on a file beside them, from one descriptor to another. */
#ifndef RH_PROVIDER_FILE_COPY_H
#define RH_PROVIDER_FILE_COPY_H

/* From where `from` stands to its end; -1 with errno. */
int rh_copy_bytes(int from, int to);

/* Extended attributes, with ACLs and the security label among them. What the file system can't
 * hold is left out, and so is what speaks of the old content (IMA, EVM); an ACL that `to`
 * inherited from its directory and `from` has not goes. -1 with errno. */
int rh_copy_xattrs(int from, int to);

#endif
