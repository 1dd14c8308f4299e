/* SPDX-License-Identifier: Apache-2.0 */
/* revoked - the hosts whose certificates were revoked: a file with a name in each line, as `rhost fleet
 * revoke` writes it. */
#ifndef RH_COLLECT_REVOKED_H
#define RH_COLLECT_REVOKED_H

#include "base/cleanup.h"
#include "base/map.h"

#include <stdbool.h>
#include <sys/stat.h>

struct rh_error;

struct rh_revoked {
    char *text;
    struct rh_map names; /* in the text */
    struct stat st;      /* of the file that was read */
};

/* Reads the file, unless it is the one that was read; -1 with an error, and what was read before stays. */
RH_CHECKED int rh_revoked_read(struct rh_revoked *r, const char *path, struct rh_error *err);

bool rh_revoked_has(const struct rh_revoked *r, const char *host);
void rh_revoked_clear(struct rh_revoked *r);

#endif
