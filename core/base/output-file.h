/* SPDX-License-Identifier: Apache-2.0 */
/* output-file - a file that somebody named to have something written to it: a new file that replaces an old
 * one when it is complete, or what the name already stands for.
 *
 * A regular file is replaced at the end, and so is nothing. A device, a FIFO or a symbolic link stays, and is
 * written to, or what it leads to. */
#ifndef RH_BASE_OUTPUT_FILE_H
#define RH_BASE_OUTPUT_FILE_H

#include "base/cleanup.h"
#include "base/new-file.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

struct rh_output_file {
    int fd;
    mode_t mode;
    bool fresh;             /* live: the file is new, and has only what is written here */
    bool standard;          /* it is what standard output is */
    char *path;             /* as it was given; NULL: it is closed */
    struct rh_new_file new; /* none where `fd` is what `path` names */
};

/* The mode is that of a new file. */
RH_CHECKED int rh_output_file_open(struct rh_output_file *f, const char *path, unsigned mode,
                                   struct rh_error *err);

/* The same for what is read while it is written: a regular file is replaced at once. A FIFO does not
 * block. */
RH_CHECKED int rh_output_file_open_live(struct rh_output_file *f, const char *path, unsigned mode,
                                        struct rh_error *err);

/* Keeps what was written, or (`keep` false) leaves what was there before. -1 with errno set. */
int rh_output_file_close(struct rh_output_file *f, bool keep);

/* All of it at once. */
RH_CHECKED int rh_write_output(const char *path, const void *p, size_t n, unsigned mode,
                               struct rh_error *err);

#endif
