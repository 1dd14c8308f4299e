/* SPDX-License-Identifier: Apache-2.0 */
/* contents - the files of a kit, in memory. */
#ifndef RH_KIT_CONTENTS_H
#define RH_KIT_CONTENTS_H

#include "base/cleanup.h"
#include "kit/elf.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

struct rh_content {
    char *path; /* in the kit: "lib/libyaml-0.so.2" */
    char *from; /* where it was read, in the root; NULL: it was made here */
    char *bytes;
    size_t n;
    bool program;
    const char *described; /* of a plugin, as JSON; NULL: its file is all that is known */
    char sum[65];          /* SHA-256 */
    struct rh_elf elf;
};

struct rh_contents {
    struct rh_content *v;
    size_t n, cap;
    int root;         /* a descriptor of the directory that paths are in; -1: that of this machine */
    const char *arch; /* of the first program; NULL before */
};

/* The file of this name in the kit, or NULL. */
struct rh_content *rh_contents_get(struct rh_contents *c, const char *path);

/* Adds a file with these bytes, which become its own. */
struct rh_content *rh_contents_add(struct rh_contents *c, const char *path, char *bytes, size_t n,
                                   bool program);

/* Reads a program or library of the root into the kit. 1: it is for another architecture, and not added. */
RH_CHECKED int rh_contents_read(struct rh_contents *c, const char *path, const char *from,
                                struct rh_error *err);

/* libraries.c: adds the libraries that the files need, and those that they need; the C library with its
 * loader below libc/, all others below lib/. */
RH_CHECKED int rh_contents_add_libraries(struct rh_contents *c, struct rh_error *err);

/* Opens a file of the root, in which links lead. */
RH_CHECKED int rh_contents_open(const struct rh_contents *c, const char *path, int flags);

/* Reads a file of the root as it is; NULL with an error. The caller's. */
RH_CHECKED char *rh_contents_text(const struct rh_contents *c, const char *path, size_t *n,
                                  struct rh_error *err);

void rh_contents_sort(struct rh_contents *c);
void rh_contents_clear(struct rh_contents *c);

#endif
