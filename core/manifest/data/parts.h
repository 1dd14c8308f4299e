/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the files of this room share. */
#ifndef RH_MANIFEST_DATA_PARTS_H
#define RH_MANIFEST_DATA_PARTS_H

#include "base/map.h"
#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_file;
struct rh_load;
struct rh_value;

/* How what several files say of one attribute becomes one value. */
enum rh_data_merge {
    RH_DATA_TABLES, /* none was named: tables merge, everything else is that of the most specific file */
    RH_DATA_FIRST,
    RH_DATA_UNIQUE,
    RH_DATA_HASH,
    RH_DATA_DEEP,
};

const char *rh_data_merge_name(enum rh_data_merge merge); /* "merge" where none was named */

struct rh_data_option {
    struct rh_value *path; /* keys */
    enum rh_data_merge merge;
    const struct rh_value *knockout; /* the prefix, or NULL */
    struct rh_place place;
};

/* An attribute, with all below it, and what the files say of it: the most specific first. It is evaluated as
 * a whole. */
struct rh_data_unit {
    struct rh_data_unit *next, *next_of_key; /* in order; of those with the same top-level key */
    struct rh_value *path;
    enum rh_data_merge merge;
    const struct rh_value *knockout;
    struct rh_value **v;
    size_t n;
    enum { RH_UNIT_WAITS, RH_UNIT_ACTIVE, RH_UNIT_DONE } state;
};

struct rh_data {
    struct rh_file **files; /* the most specific first */
    size_t n_files, cap_files;
    struct rh_data_option *options;
    size_t n_options, cap_options;
    struct rh_data_unit *first, *last;
    struct rh_map by_key;           /* those that wait, by top-level key */
    struct rh_data_unit *evaluated; /* the innermost that is being evaluated */
    unsigned depth;
};

/* files.c: finding the files. */

/* Adds those that the templates stand for. */
void rh_data_find(struct rh_load *load, struct rh_data *data, const struct rh_value *templates);

/* options.c: `attribute_options`, which each of the files may have. */

extern const char rh_data_options_key[];

/* Reads those of all files. */
void rh_data_options_read(struct rh_load *load, struct rh_data *data);
const struct rh_data_option *rh_data_option_find(const struct rh_data *data, const struct rh_value *path);
/* Whether there is one for something below the path. */
bool rh_data_option_below(const struct rh_data *data, const struct rh_value *path);

/* units.c: what the files say, divided into units. */

void rh_data_divide(struct rh_load *load, struct rh_data *data);
bool rh_data_has_expression(const struct rh_value *v);

/* lay.c: a unit's values, evaluated and merged, into the node. */

void rh_data_lay(struct rh_load *load, struct rh_data_unit *unit);
/* So many of its values count; those after them are overridden whatever they are. */
size_t rh_data_counts(const struct rh_data_unit *unit);

/* references.c: attributes that expressions plainly name: node.web.port */

/* Calls `one` with the path of each (keys) in the expressions of a value. */
void rh_data_references(struct rh_load *load, const struct rh_value *v,
                        void (*one)(void *to, const struct rh_value *path), void *to);

/* Whether one of two paths leads to the other. */
bool rh_data_overlap(const struct rh_value *a, const struct rh_value *b);

#endif
