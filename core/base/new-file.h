/* SPDX-License-Identifier: Apache-2.0 */
/* new-file - a file that takes the place of the one with its name when it is complete.
 *
 * Whatever replaces a file does it through here (tests/tree/tree.bats): a device, a FIFO, a socket, a
 * directory or a symbolic link is never replaced, a process that is killed leaves nothing behind
 * (base/beside.h), and a name may be as long as the file system has them. */
#ifndef RH_BASE_NEW_FILE_H
#define RH_BASE_NEW_FILE_H

#include "base/cleanup.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct rh_error;

struct rh_new_file {
    int fd;                    /* of what is written; -1: there is none */
    int dir;                   /* the directory that it comes into */
    char name[NAME_MAX + 1];   /* its name there */
    char beside[NAME_MAX + 1]; /* its name until then; empty while it has none */
};

#define RH_NEW_FILE_NONE                                                                                     \
    {                                                                                                        \
        .fd = -1, .dir = -1, .name = "", .beside = ""                                                        \
    }

/* Makes it, empty and with mode 0600. As root the directory is reached through no link that a lesser user
 * could have made, and it stays open: the name is given in it. With `follow` a link at the end of the path is
 * followed to where it leads, also when nothing is there. */
RH_CHECKED int rh_new_file_open(struct rh_new_file *f, const char *path, bool follow, struct rh_error *err);

/* Brings its content to disk, and gives it its mode and its name. What is written afterwards is in the file
 * with that name. -1 with errno; EEXIST where something else than a regular file has the name. */
RH_CHECKED int rh_new_file_place(struct rh_new_file *f, mode_t mode);

/* Closes it, and forgets one that did not get its name. */
void rh_new_file_clear(struct rh_new_file *f);
#define rh_autonewfile __attribute__((cleanup(rh_new_file_clear)))

/* Whether a new file may take this name: 0, or -1 with an error. */
RH_CHECKED int rh_replaceable(const char *path, struct rh_error *err);

/* Gives a complete file another name, by path: in a directory that is ours alone, or over which we have a
 * lock. */
RH_CHECKED int rh_rename_file(const char *from, const char *to, struct rh_error *err);

#endif
