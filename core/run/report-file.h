/* SPDX-License-Identifier: Apache-2.0 */
/* report-file - where a report is written: a new file that replaces an old one when it is whole, or what
 * the name already stands for. */
#ifndef RH_RUN_REPORT_FILE_H
#define RH_RUN_REPORT_FILE_H

#include <stdbool.h>

struct rh_error;

struct rh_report_file {
    int fd;
    char *path, *beside; /* beside: the new file, NULL when `fd` is what `path` names */
};

/* A regular file is replaced at the end, and so is nothing. A device, a FIFO or a symbolic link stays,
 * and is written to. */
int rh_report_file_open(struct rh_report_file *f, const char *path, struct rh_error *err);

/* Keeps what was written, or (`keep` false) leaves what was there before. -1 with errno set. */
int rh_report_file_close(struct rh_report_file *f, bool keep);

#endif
