/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - states to try a provider with, from a file, and the throw-away directory for them.
 *
 *     type: file                    which type, where the plugin has several; also provider:
 *     files: {"${dir}/x": text}     what is there before each check
 *     absent: ${dir}/nothing        a title of what is not there
 *     states:
 *       - title: ${dir}/a
 *         state: {content: x}       what is made of it
 *         updates: {content: y}     each is then tried alone
 *         refused: {mode: 99}       each must fail, with a message that names it
 *         replaced: {kind: x}       each is set by removing it and creating it again
 *     changes: false                making the states is no change, as with what has no state
 *     private: [/etc, network]      folders of the machine to write to, without touching them
 *     touched: [/var/lib/x/lock]    what is written to by looking alone, and below it
 *     programs: [useradd]           what must be installed
 *     prepare: [[mkdir, "${dir}/d"]]  commands to run before each check
 *     serve: [[python3, "${here}/server.py", "${dir}/s"]]  commands that run during each check
 *     target: {http_api: test, socket: "${dir}/s"}  a device, as in a file of targets
 *     system_files: [/etc/passwd-]  what tools of the system write in their own way
 *     aborts: true              a library of the plugin calls abort() or exit() when memory runs out;
 *                               crashes: or uses what it did not get, which is a warning
 *     list: false               only resources with known names can be read
 *
 *     undeclared: the reason    why it needs more than it declares
 *     recovers: false           what was cut off may need a person, as a message says
 *     bystanders: false         what is listed beyond the states may change with them
 *     questions: [{lookup: vault, parameters: {path: db}}]  what lookups and facts are asked: see question.h
 *
 * ${dir} is the throw-away directory, ${here} the one of the fixture. */
#ifndef RH_CHECK_FIXTURE_H
#define RH_CHECK_FIXTURE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_complaints;
struct rh_error;
struct rh_type;
struct rh_value;

struct rh_fixture_state {
    const char *title;
    struct rh_value *given;   /* read by the type, with the namevars that the title says */
    struct rh_value *updates; /* likewise; hashes, maybe empty */
    struct rh_value *refused;
    struct rh_value *replaced;
};

struct rh_fixture {
    const char *type, *provider; /* NULL: the only one */
    const char *absent;          /* or NULL */
    const char *undeclared;      /* why it needs more than it declares; or NULL */
    const struct rh_value *files;
    const struct rh_value *list;     /* as it was written */
    struct rh_fixture_state *states; /* once it was fitted */
    size_t n;
    bool changes;
    bool network;                                                  /* one of its own */
    const struct rh_value *private, *touched, *programs, *prepare; /* lists, or NULL */
    int state;                           /* what stands for a state directory; 0: none */
    const struct rh_value *system_files; /* likewise */
    const struct rh_value *serve;        /* likewise */
    bool aborts;                         /* it may, without memory */
    bool crashes;                        /* and crash */
    bool unlisted;                       /* get() is not asked for all resources */
    bool stuck;                          /* what was cut off may need a person */
    bool coupled;                        /* other resources may change with the states */
    const struct rh_value *questions;    /* as they were written, or NULL */
    const struct rh_value *target;       /* as it was written, or NULL */
    const struct rh_type *transport;     /* once it was fitted */
    struct rh_value *info;               /* how the target is reached */
    char *base;                          /* a directory for this run */
    char *dir;                           /* in it; what ${dir} stands for */
};

/* Reads the file, and makes directories for it. -1 with the reason, or after complaining. */
RH_CHECKED int rh_fixture_open(struct rh_fixture *f, struct rh_arena *a, const char *path,
                               struct rh_complaints *complaints, struct rh_error *err);
void rh_fixture_close(struct rh_fixture *f); /* the directories go */

/* Whether it names no provider and no states: it is for lookups and facts. */
bool rh_fixture_only_asks(const struct rh_fixture *f);

/* Whether it is for this type as this provider serves it. */
bool rh_fixture_is_for(const struct rh_fixture *f, const struct rh_type *t);

/* Reads the values of the states by this type; -1 after complaining. */
int rh_fixture_fit(struct rh_fixture *f, struct rh_arena *a, const struct rh_type *t,
                   struct rh_complaints *complaints);

/* Reads the values of a hash, from its `first` entry on, by the types of their attributes. */
struct rh_value *rh_fixture_values(struct rh_arena *a, const struct rh_type *t, const struct rh_value *v,
                                   size_t first, struct rh_complaints *complaints);

/* fixture-target.c: reads the target by the transport that it names, one of the plugin that is described;
 * -1 after complaining. */
int rh_fixture_fit_target(struct rh_fixture *f, struct rh_arena *a, const struct rh_value *plugin,
                          struct rh_complaints *complaints);

/* Empties the directory, and writes the files that belong there. */
RH_CHECKED int rh_fixture_reset(const struct rh_fixture *f, struct rh_error *err);

/* Writes the files below ${dir}, or those that are elsewhere. */
RH_CHECKED int rh_fixture_write(const struct rh_fixture *f, bool elsewhere, struct rh_error *err);

#endif
