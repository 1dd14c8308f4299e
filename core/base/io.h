/* SPDX-License-Identifier: Apache-2.0 */
/* io - whole files and whole writes. */
#ifndef RH_BASE_IO_H
#define RH_BASE_IO_H

#include "base/cleanup.h"

#include <stddef.h>
#include <sys/types.h>

struct rh_error;

/* The file's bytes with a NUL behind them, the caller's to free; NULL on error. `-` is standard
 * input. More than `limit` bytes (0: no limit) is an error. */
RH_CHECKED char *rh_read_file(const char *path, size_t limit, size_t *len, struct rh_error *err);

/* The same of a regular file only, and not through a symbolic link at its end: what is kept for
 * ourselves. Nothing that may wait, or do something, is opened. */
RH_CHECKED char *rh_read_kept_file(const char *path, size_t limit, size_t *len, struct rh_error *err);

/* The same from a descriptor, which stays open; `path` is for messages. */
RH_CHECKED char *rh_read_descriptor(int fd, const char *path, size_t limit, size_t *len,
                                    struct rh_error *err);

/* All of it, whatever signals and short writes come between; -1 with errno set. */
RH_CHECKED int rh_write_all(int fd, const void *p, size_t n);

/* The same at a place of the file: when only a part could be written, trying again writes over it. */
RH_CHECKED int rh_write_all_at(int fd, const void *p, size_t n, off_t at);

/* Replaces `path` by these bytes, atomically and on disk when it returns. What is there and is not a
 * regular file, such as a device or a symbolic link, stays as it is: that is an error. */
RH_CHECKED int rh_replace_file(const char *path, const void *p, size_t n, unsigned mode,
                               struct rh_error *err);

/* The directory and its parents, 0755 each where missing; the last with `mode`. The names of those that
 * it creates are on disk when it returns. */
RH_CHECKED int rh_make_directory(const char *path, unsigned mode, struct rh_error *err);

/* Brings to disk which names the directory has. */
RH_CHECKED int rh_sync_directory(const char *path, struct rh_error *err);

/* Removes what is there, a directory with all that is in it. What is mounted below is not entered, and what
 * cannot be removed stays. By path: for what no other user can exchange meanwhile, such as a directory with
 * mode 0700. */
void rh_remove_tree(const char *path);

/* The same of all that is in a directory. -1 with errno where something stays. */
RH_CHECKED int rh_empty_directory(const char *path);

/* Closes all descriptors from this one on. */
void rh_close_from(int first);

#endif
