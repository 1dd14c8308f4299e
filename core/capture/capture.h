/* SPDX-License-Identifier: Apache-2.0 */
/* capture - what somebody has made of this machine, as resources: all that neither the distribution nor its
 * packages brought along.
 *
 * Providers read what they can list; files that say what is whose (the database of dpkg, the presets of
 * systemd, login.defs) are read here. Nothing is run but providers, and nothing is changed. */
#ifndef RH_CAPTURE_CAPTURE_H
#define RH_CAPTURE_CAPTURE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* One resource. */
struct rh_captured {
    struct rh_value *item;  /* a hash of attributes */
    const char *secret;     /* why all of it is one, or NULL: "not everybody may read it" */
    const char *impossible; /* why it can only be a comment, or NULL */
};

/* Resources of one type under one heading. */
struct rh_capture_part {
    const char *heading, *type;
    struct rh_captured *v;
    size_t n, cap;
    const char **notes; /* comments below the heading */
    size_t n_notes, cap_notes;
};

struct rh_capture_options {
    struct rh_arena *arena; /* of all that is found */
    bool versions;          /* of packages */
    bool secrets;           /* what is said of one is said as well */
    const char *const *files;
    size_t n_files; /* further files, and directories whose files no package has */
    void *data;
    /* Whether resources of this type are wanted and can be had: what is not is not looked for. */
    bool (*wants)(void *data, const char *type);
    /* Reads all of a type, or those with these names (NULL: all), into an array. -1: a message was
     * given. */
    int (*read)(void *data, const char *type, const struct rh_value *names, struct rh_value *items);
};

struct rh_capture {
    const struct rh_capture_options *options;
    struct rh_arena *arena;
    struct rh_capture_part *parts; /* in the order in which they are to be applied */
    size_t n_parts;
};

/* The types that are captured: the place of one in the order of `types`; -1: it is none of them. */
int rh_capture_type(const char *type);
extern const char *const rh_capture_types[]; /* NULL-terminated */

/* Looks at the machine. -1 when a file of `options->files` cannot be read, or a provider could not. */
RH_CHECKED int rh_capture_machine(struct rh_capture *c, const struct rh_capture_options *options,
                                  struct rh_error *err);

void rh_capture_clear(struct rh_capture *c);

#endif
