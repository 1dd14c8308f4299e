/* SPDX-License-Identifier: Apache-2.0 */
/* folder - the directory that machines send their reports to: HOST/RUN.json below it. A web server lets each
 * machine write into its own directory only, so the directory says whose report it is.
 *
 * Everything is reached by descriptors of directories, and no symbolic link below the folder is followed. */
#ifndef RH_COLLECT_FOLDER_H
#define RH_COLLECT_FOLDER_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct rh_arena;
struct rh_error;
struct rh_record;

struct rh_folder {
    char *path; /* absolute, for messages */
    int fd, quarantine;
};

/* A report in the folder. Texts are in the arena that it was read with. */
struct rh_item {
    const char *host, *name;
    struct stat st; /* of the file that was read */
    struct rh_record *record;
    const char *refused; /* why the database does not take it; or NULL */
    bool done;           /* it was stored */
};

enum rh_take {
    RH_TAKE_OK,
    RH_TAKE_GONE,  /* another program has taken it, or it is none */
    RH_TAKE_LATER, /* it may still grow, or cannot be read at the moment */
    RH_TAKE_BAD,   /* it is for the quarantine */
};

/* Opens it, and makes the quarantine: `.quarantine` in it, or another directory of the same file system. */
RH_CHECKED int rh_folder_open(struct rh_folder *f, const char *path, const char *quarantine,
                              struct rh_error *err);
void rh_folder_close(struct rh_folder *f);

/* The directory of a host, for reading; -1 with errno. Not through a symbolic link. */
RH_CHECKED int rh_folder_host(const struct rh_folder *f, const char *host);

/* Whether a file of this name may be a report: a web server writes to other names first. */
bool rh_folder_is_report(const char *name);

/* Reads a report of the host, whose directory is `fd`. The reason of a refusal is in `err`. */
RH_CHECKED enum rh_take rh_folder_take(struct rh_arena *a, int fd, const char *host, const char *name,
                                       struct rh_item *item, struct rh_error *err);

/* Removes what was stored, by its exact name, and only while it is the file that was read. -1 when one or
 * more could not be removed. */
RH_CHECKED int rh_folder_remove(const struct rh_folder *f, const struct rh_item *items, size_t n,
                                struct rh_error *err);

/* Moves it to the quarantine, with the reason beside it, while it is the file that was read: 1. 0 when it is
 * gone, or another file has its name. An error leaves it where it is. */
RH_CHECKED int rh_folder_quarantine(const struct rh_folder *f, const struct rh_item *item, const char *reason,
                                    struct rh_error *err);

#endif
