/* SPDX-License-Identifier: Apache-2.0 */
/* archive - kits as files: written the same for the same contents, and checked when they are read. */
#ifndef RH_KIT_ARCHIVE_H
#define RH_KIT_ARCHIVE_H

#include "base/cleanup.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct rh_contents;
struct rh_error;

/* The text of SHA256SUMS: what sha256sum prints of the files, sorted by name. Its own digest names the kit.
 */
void rh_archive_sums(struct rh_buf *b, struct rh_contents *c);

/* Writes the contents, which are sorted, as a compressed tar file; `size` gets its bytes. */
RH_CHECKED int rh_archive_write(const struct rh_contents *c, int fd, uint64_t *size, struct rh_error *err);

/* Reads a kit into `c`, and checks that its files are those of SHA256SUMS, and that this has the digest
 * (NULL: any). `found` gets the digest. */
RH_CHECKED int rh_archive_check(const char *path, const char *digest, char found[65], struct rh_contents *c,
                                struct rh_error *err);

/* packages.c: unpacks what kits can need of Debian and RPM packages, the files of a directory with such
 * names, below the working directory. Nothing of them runs. Adds one JSON object for each to the list `b`. -1
 * with an error; an error too when there is none. */
RH_CHECKED int rh_packages_unpack(const char *directory, struct rh_buf *b, struct rh_error *err);

#endif
