/* SPDX-License-Identifier: Apache-2.0 */
/* scratch-site - where a target keeps a site while it is used: a directory in memory (tmpfs), for its owner
 * only, so that no secret of a site reaches a disk. */
#ifndef RH_REACH_SCRATCH_SITE_H
#define RH_REACH_SCRATCH_SITE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_error;

struct rh_scratch_site {
    char *top;        /* has the lock, and the site in `path`; NULL: none */
    char *path;       /* NULL: none */
    int dir, lock;    /* descriptors: of the site, and of the lock */
    int file;         /* the file that is written; -1: none */
    uint64_t missing; /* bytes of it that are to come */
    size_t n_files;
    uint64_t n_bytes;
};

#define RH_SCRATCH_SITE_INIT ((struct rh_scratch_site){ .dir = -1, .lock = -1, .file = -1 })

/* Creates it, and removes what killed receivers left. -1 when no file system in memory can be written to, or
 * has less room than `bytes`. `top` is the one that a plan was made in, and is used again: NULL, a new one.
 */
RH_CHECKED int rh_scratch_site_open(struct rh_scratch_site *s, const char *top, uint64_t bytes,
                                    struct rh_error *err);

/* Removes it with all that is in it. */
void rh_scratch_site_close(struct rh_scratch_site *s);

/* Begins a file; the path was checked by rh_wire_is_path(). */
RH_CHECKED int rh_scratch_site_file(struct rh_scratch_site *s, const char *path, uint64_t size,
                                    bool executable, struct rh_error *err);

/* Adds to it. It is complete when nothing is missing. */
RH_CHECKED int rh_scratch_site_data(struct rh_scratch_site *s, const void *p, size_t n, struct rh_error *err);

#endif
