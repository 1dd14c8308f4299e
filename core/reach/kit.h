/* SPDX-License-Identifier: Apache-2.0 */
/* kit - rhost for a machine that does not have it: one archive with the programs, plugins and libraries.
 *
 * A kit is named by its digest: the SHA-256 of its file SHA256SUMS, which has the SHA-256 of every other
 * file. The digest does not depend on how the archive is compressed. `rhost kit make` makes kits.
 *
 * How a kit gets to a target, as core/reach/bootstrap.h describes: */
#ifndef RH_REACH_KIT_H
#define RH_REACH_KIT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct rh_error;

enum { RH_KIT_DIGEST = 64 }; /* hexadecimal digits */

struct rh_kit {
    char *path;                     /* of the archive */
    char *arch;                     /* "x86_64": one of rh_kit_arch() */
    char digest[RH_KIT_DIGEST + 1]; /* names the kit */
    time_t made;
    uint64_t unpacked;                /* bytes of the archive when it is decompressed */
    int fd;                           /* the bytes to send, from offset 0 on; see rh_kit_load() */
    uint64_t size;                    /* of these bytes */
    char checksum[RH_KIT_DIGEST + 1]; /* their SHA-256 */
    bool plain;                       /* they are a tar file that is not compressed */
};

#define RH_KIT_INIT ((struct rh_kit){ .fd = -1 })
void rh_kit_clear(struct rh_kit *kit);
#define rh_autokit __attribute__((cleanup(rh_kit_clear)))

/* The name that kits have for an architecture: of `uname -m` and of Debian, as x86_64 for amd64, aarch64 for
 * arm64, i386 for i686. The text is static, or `name` itself where nothing else is known. */
const char *rh_kit_arch(const char *name);

/* The architecture of this program. */
const char *rh_kit_own_arch(void);

/* Describes the kit of this file, which is named "rhost-kit-ARCH-DIGEST.tar.gz". The name is believed: the
 * target checks it before it runs anything. -1 with an error when it has another name or is no regular file.
 */
RH_CHECKED int rh_kit_describe(struct rh_kit *kit, const char *path, struct rh_error *err);

/* The newest kit for this architecture in the directory (NULL: the usual one, rh_kit_store()). 0 when there
 * is one, 1 when there is none, -1 with an error. */
RH_CHECKED int rh_kit_find(struct rh_kit *kit, const char *arch, const char *dir, struct rh_error *err);

/* All kits in the directory (NULL: the usual one), sorted by name; the list and each kit are the caller's
 * (rh_kit_clear() each, then free()). A directory that does not exist has none. */
RH_CHECKED int rh_kit_list(struct rh_kit **kits, size_t *n, const char *dir, struct rh_error *err);

/* Where `rhost kit make` writes kits, and rh_kit_find() looks for them: /var/cache/rhost/kit-archives for
 * root,
 * ${XDG_CACHE_HOME:-~/.cache}/rhost/kit-archives for others. The text is the caller's; NULL without a home.
 */
char *rh_kit_store(void);

/* Opens the archive for sending: sets fd, size and checksum. With `plain` it is decompressed first, for a
 * target without gzip. Call it once for a kit. */
RH_CHECKED int rh_kit_load(struct rh_kit *kit, bool plain, struct rh_error *err);

#endif
