/* SPDX-License-Identifier: Apache-2.0 */
/* inventory - the targets that are known: those of a file, of a program's answer, and of the command line.
 *
 *     targets:
 *       web1: ssh://admin@web1.example.com
 *       image: {connect: chroot:/srv/image, attributes: {web: {port: 8080}}}
 *     groups:
 *       web: {targets: [web1, image], attributes: {role: web}, become: sudo}
 *
 * All that it points to is its arena's. */
#ifndef RH_REACH_INVENTORY_H
#define RH_REACH_INVENTORY_H

#include "base/map.h"
#include "reach/endpoint.h"

#include <stdbool.h>

struct rh_arena;
struct rh_complaints;
struct rh_value;

enum rh_become { RH_BECOME_NONE, RH_BECOME_SUDO, RH_BECOME_DOAS };

/* Settings that a target has itself, or from its groups: the nearest one counts. */
struct rh_target_settings {
    bool has_become;
    enum rh_become become;
    const char *become_user;    /* NULL: root */
    const char *rhost;          /* the program on the target; NULL: none was named */
    const char *const *options; /* of the connector's program, NULL-terminated; NULL: none */
};

/* What a group, or the target itself, says of the node. */
struct rh_target_attributes {
    const char *from;             /* the group, or the target */
    const struct rh_value *table; /* with the places of the file */
};

struct rh_push_target {
    const char *name;
    struct rh_endpoint at;
    struct rh_target_settings settings;
    const char **groups; /* all that it is in, the outermost first */
    size_t n_groups;
    struct rh_target_attributes *attributes; /* those of groups first; a later one counts more */
    size_t n_attributes;
    bool selected;
};

struct rh_target_group;

struct rh_inventory {
    struct rh_arena *arena;           /* borrowed */
    struct rh_complaints *complaints; /* borrowed; its sources get the files */
    struct rh_push_target **targets;  /* in the order of the file */
    size_t n_targets, cap_targets;
    struct rh_target_group **groups;
    size_t n_groups, cap_groups;
    struct rh_map by_name, groups_by_name;
    bool passive;   /* no program is run: reading one fails */
    bool from_file; /* a file or program was read: names are looked up */
};

void rh_inventory_clear(struct rh_inventory *inv);

/* Reads a file of targets: YAML or JSON, or what `ansible-inventory --list` prints; an executable file
 * that begins with "#!", or is an ELF file, is run, and what it prints is read. -1 after a complaint. Further
 * files add to what is there. */
RH_CHECKED int rh_inventory_read(struct rh_inventory *inv, const char *path);

/* To be called when all files have been read: who is in which group, and what follows from that. -1 after a
 * complaint. */
RH_CHECKED int rh_inventory_resolve(struct rh_inventory *inv);

/* Names each target with its URI, each group, and "all". */
void rh_inventory_each_name(const struct rh_inventory *inv,
                            void (*take)(void *data, const char *name, const char *what), void *data);

/* Adds a target of the command line: a URI, or a host; the one that is there where it was added before. NULL
 * with an error. */
RH_CHECKED struct rh_push_target *rh_inventory_add(struct rh_inventory *inv, const char *text,
                                                   struct rh_error *err);

/* selection.c: which targets a word of the command line means.
 *
 *     web1   'web*'   web (a group)   web.port=80   all   'web&!web3'   web1,db1
 *
 * A comma adds, '&' keeps what both sides have, '!' takes what is not meant. */

/* Marks them as selected; -1 with an error when the word is none, or means no target. */
RH_CHECKED int rh_inventory_select(struct rh_inventory *inv, const char *word, struct rh_error *err);

/* For selection.c: the group of this name, "all" included; NULL: none. */
const struct rh_target_group *rh_inventory_group(const struct rh_inventory *inv, const char *name);
bool rh_push_target_is_in(const struct rh_push_target *t, const char *group);

#endif
