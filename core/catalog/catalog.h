/* SPDX-License-Identifier: Apache-2.0 */
/* catalog - what is wanted of a machine, as two things: a set of resources, unique by type and
 * name, and a list of what to do with them, in order (CHEF-3694).
 *
 * A resource is added once, with its type known and its attributes held against it. Relations are
 * noted by reference and become edges when all resources are known (order.h); order.h then
 * sorts the list. */
#ifndef RH_CATALOG_CATALOG_H
#define RH_CATALOG_CATALOG_H

#include "base/map.h"
#include "base/place.h"
#include "catalog/notification.h"
#include "schema/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_catalog;
struct rh_complaints;
struct rh_later_condition;
struct rh_conduct;
struct rh_error;
struct rh_meta;
struct rh_origin;
struct rh_reference;
struct rh_resource;
struct rh_results;
struct rh_sources;
struct rh_use;
struct rh_value;

/* "type[title]" as a manifest writes it. */
struct rh_reference {
    const char *type, *title;
    struct rh_place place;
};

/* A relation that a manifest states on a resource. */
struct rh_stated {
    struct rh_stated *next;
    enum rh_relation_kind kind;
    struct rh_reference to;
};

struct rh_resource {
    const struct rh_type *type;
    const char *title;
    const struct rh_value *name, *should; /* see schema/validate.h */
    const struct rh_value *declared;      /* what the manifest says, to be edited; or NULL */
    const struct rh_origin *origins;      /* of what its entry does not say; see catalog/origin.h */
    struct rh_stated *stated, *last_stated;
    struct rh_stated_notification *notifications, *last_notification;
    struct rh_place place;
    uint32_t index;       /* in the set */
    uint32_t first_entry; /* in the list; RH_NO_ENTRY when it is only in the set */
    uint32_t last_entry;
    struct rh_resource *container; /* the instance of a definition that it is part of, or NULL */
    struct rh_resource *members, *last_member, *next_member; /* what is part of it, in order */
    const struct rh_conduct *conduct;                        /* NULL: as usual */
    bool noop, noop_specified;
    bool added;                 /* to the set */
    bool refused;               /* something else in its entry was wrong: that is said, and no more */
    const struct rh_meta *meta; /* see catalog/meta.h; NULL: nothing was said */
    struct rh_use *uses;        /* results of others that its expressions use (catalog/later.h) */
    struct rh_later_condition *conditions; /* innermost; NULL: it is wanted */
    bool later;                            /* something of it is known only at its turn */
    bool result_used;                      /* others use its result */
    bool canonical;        /* its provider found its attributes valid and canonical, before the run; */
    bool fixed;            /* whatever happens in the run, they stay so */
    const char *undecided; /* what of it can't be known before something has run; or NULL */
    struct rh_place undecided_place; /* where that was written */
};

#define RH_NO_ENTRY UINT32_MAX

/* One line of the action list. */
struct rh_todo {
    const struct rh_reference *anchor; /* goes before the first, or after the last, entry of that */
    struct rh_resource *resource;
    const char *action; /* "converge", or an action of the type */
    uint32_t next;      /* the same resource's next entry, or RH_NO_ENTRY */
    bool anchor_after;
    uint32_t behind; /* an entry that it goes right behind, or RH_NO_ENTRY */
};

/* A before B, between resources. */
struct rh_edge {
    uint32_t from, to;
    struct rh_place place;
    uint8_t kind; /* enum rh_relation_kind as it was written */
    bool automatic;
    bool yields;  /* a type's automatic relation: what the manifest says counts more */
    bool yielded; /* it would have closed a circle, and orders nothing */
};

/* How values that are known later are evaluated (catalog/later.h); all NULL where nothing is. */
struct rh_later_values {
    void *data;
    const struct rh_value *(*resolve)(void *data, const struct rh_value *unknown,
                                      const struct rh_results *results, struct rh_error *err);
    void (*free)(void *data);
};

/* What a second declaration of a name is. */
enum rh_duplicates {
    RH_DUPLICATES_REFUSE,
    RH_DUPLICATES_CLONE, /* a copy of the first, and another resource */
    RH_DUPLICATES_AGREE, /* the same resource, where the two do not contradict each other */
};

struct rh_catalog {
    struct rh_arena *arena;
    struct rh_sources *sources; /* borrowed: what places point into */
    struct rh_resource **resources;
    size_t n_resources, cap_resources;
    struct rh_todo *list;
    size_t n_list, cap_list;
    enum rh_duplicates duplicates;
    bool unarranged; /* some entries of the list are not at their place yet */
    struct rh_edge *edges;
    size_t n_edges, cap_edges;
    struct rh_notifications notifications;
    struct rh_map by_reference; /* "type[title]", "type[name]" and "type[alias]" */
    struct rh_map spellings;    /* "type[text]" to the canonical name, see rh_catalog_add_spelling */
    struct rh_map patterned;    /* a type's name to the type, where titles have patterns */
    struct rh_map excused;      /* see rh_catalog_note_refused */
    struct rh_later_values later;
    struct rh_value
        *data_files; /* that were looked for, the most specific first: {file, found, location}; or NULL */
    struct rh_map excluded; /* "type[title]" to the struct rh_place of the 'when' */
};

void rh_catalog_init(struct rh_catalog *c, struct rh_arena *arena, struct rh_sources *sources);
void rh_catalog_clear(struct rh_catalog *c); /* not the arena */

/* Adds to the set; `r` is the arena's. A second one with this name, title or alias is refused with
 * both places, and the proposal what to do instead. */
int rh_catalog_declare(struct rh_catalog *c, struct rh_resource *r, struct rh_complaints *complaints);

/* The aliases of a resource in the set name it too; refused where another one has that name. */
int rh_catalog_add_aliases(struct rh_catalog *c, struct rh_resource *r, struct rh_complaints *complaints);

/* `r` is part of `container`, an instance of a definition. */
void rh_catalog_contain(struct rh_resource *container, struct rh_resource *r);

/* The resource that is declared already under the title or the name of this one, which is not; or NULL. */
struct rh_resource *rh_catalog_declared(struct rh_catalog *c, const struct rh_resource *r);

/* Gives a resource its canonical name, by which it is then found too; refused like a duplicate when
 * another one has it. */
void rh_catalog_rename(struct rh_catalog *c, struct rh_resource *r, struct rh_value *name,
                       struct rh_complaints *complaints);

/* Appends to the list. */
void rh_catalog_trigger(struct rh_catalog *c, struct rh_resource *r, const char *action);

/* The same with another place in the list, which is looked for when everything is read. */
void rh_catalog_trigger_at(struct rh_catalog *c, struct rh_resource *r, const char *action,
                           const struct rh_reference *anchor, bool after);

/* `title` is another spelling of the name `name`, in its canonical form: "/a//b" of "/a/b". */
void rh_catalog_add_spelling(struct rh_catalog *c, const char *type, const char *title, const char *name);
const char *rh_catalog_spelling(const struct rh_catalog *c, const char *type,
                                const char *title); /* or NULL */

/* By title, name or alias, also by another spelling of the name, or a title that says its name in the way
 * of the type's title patterns; NULL when it is not in the set. */
struct rh_resource *rh_catalog_find(const struct rh_catalog *c, const char *type, const char *title);

/* By the text of its name (rh_type_name_text), also in another spelling; title patterns do not apply. */
struct rh_resource *rh_catalog_find_name(const struct rh_catalog *c, const char *type, const char *name);

/* Something with this title (NULL: any of the type; type NULL: anything, as after a file that can't
 * be read) was refused when it was read, and that was said: that relations name it is no second
 * error. */
void rh_catalog_note_refused(struct rh_catalog *c, const char *type, const char *title);
bool rh_catalog_is_refused(const struct rh_catalog *c, const struct rh_reference *ref);

/* The manifest has type[title] under a condition (at `when`) that does not hold. That others name it
 * is no mistake, but for those that need it. */
void rh_catalog_leave_out(struct rh_catalog *c, const char *type, const char *title, struct rh_place when);

/* Where the condition is; line 0 when it was not left out. */
struct rh_place rh_catalog_excluded(const struct rh_catalog *c, const struct rh_reference *ref);

/* Notes a relation on `r`; the reference's texts must live as long as the arena. */
void rh_catalog_state(struct rh_catalog *c, struct rh_resource *r, enum rh_relation_kind kind,
                      const struct rh_reference *to);

/* "type[title]" with what came from outside escaped; the caller's. */
char *rh_resource_text(const struct rh_resource *r);

/* Reads "type[title]"; false when it is not of that form. Both texts are the arena's. */
bool rh_reference_parse(struct rh_arena *a, const char *text, struct rh_reference *ref);

/* arrange.c: the action list with every entry at its place. */

/* These actions, from the place of the first on, instead of those that were triggered. */
void rh_catalog_retrigger(struct rh_catalog *c, struct rh_resource *r, const char *const *actions, size_t n);

/* All entries of the resource go before or after those of another one, in the order that they have. A
 * complaint when it has none. */
int rh_catalog_move(struct rh_catalog *c, const struct rh_resource *r, const struct rh_reference *anchor,
                    bool after, struct rh_complaints *complaints);

/* Puts entries that were inserted before or after those of another resource there, in the order in
 * which they were written, and leaves out what was taken back. What they name and is not in the
 * list is a complaint. */
void rh_catalog_arrange(struct rh_catalog *c, struct rh_complaints *complaints);

#endif
