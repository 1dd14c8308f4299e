/* SPDX-License-Identifier: Apache-2.0 */
/* unit - the settings in the lines of a file such as eth0.network, and how to change them there and nothing
 * else.
 *
 * The same section and the same setting can occur several times. A line that ends with a backslash goes on in
 * the next one. Comments and what is not known stay. Texts are in memory of the call; line numbers hold until
 * the lines are edited. */
#ifndef NETWORK_INTERFACE_UNIT_H
#define NETWORK_INTERFACE_UNIT_H

#include <rhost/lines.h>

struct unit_entry {
    size_t section;     /* index in `sections` */
    size_t line, lines; /* where it begins, and how many it has */
    const char *key, *value;
};

struct unit_section {
    const char *name;
    size_t line; /* of its header */
};

struct unit {
    struct unit_entry *entries;
    struct unit_section *sections;
    size_t n_entries, n_sections;
};

struct unit unit_parse(rhost_ctx *ctx, const struct rhost_lines *l);

/* The number of entries of this key in this one section; `last` (or NULL) is the last of them. */
size_t unit_count(const struct unit *u, size_t section, const char *key, const struct unit_entry **last);

/* The value that counts of a setting that has one, in all sections of the name; NULL: none. */
const char *unit_last(const struct unit *u, const char *section, const char *key);

/* Visits the values of a setting that can have several; an empty one takes back those before it. Returns an
 * array value of the texts, split at blanks. */
rhost_value *unit_words(rhost_ctx *ctx, const struct unit *u, const char *section, const char *key);

/* Gives the setting this one value (NULL: it goes), in all sections of the name. */
void unit_put(rhost_ctx *ctx, struct rhost_lines *l, const char *section, const char *key, const char *value);

/* A new line of this setting, below the last of its kind, or at the end of the last section of the name,
 * which is made where there is none. */
void unit_add(rhost_ctx *ctx, struct rhost_lines *l, const char *section, const char *key, const char *value);

/* A new section at the end with these lines, which end with a NULL. */
void unit_add_section(rhost_ctx *ctx, struct rhost_lines *l, const char *section, const char *const *lines);

/* Removes one entry, or a section with all of its entries. */
void unit_remove(struct rhost_lines *l, const struct unit_entry *e);
void unit_remove_section(struct rhost_lines *l, const struct unit *u, size_t section);

#endif
