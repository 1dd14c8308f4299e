/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the kinds of entries share while one is read. */
#ifndef RH_MANIFEST_ENTRY_PARTS_H
#define RH_MANIFEST_ENTRY_PARTS_H

#include "base/place.h"
#include "manifest/keyword/keyword.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_attr;
struct rh_load;
struct rh_origin;
struct rh_reading;
struct rh_resource;
struct rh_taken_default;
struct rh_type;
struct rh_value;

struct rh_reading {
    struct rh_load *load;
    struct rh_value *entry; /* its attributes, and the words beside them */
    struct rh_value *words; /* the words, where they are apart from the attributes (long-form.h) */
    const struct rh_type *type;
    struct rh_keyword_values keywords;
    struct rh_place place;           /* of the entry */
    struct rh_taken_default *taken;  /* of the defaults, the last first */
    const struct rh_origin *origins; /* of what was taken */
    bool failed;                     /* something was wrong with the attributes or keywords */
};

/* key.c: the keys of an entry that are not its type: attributes and keywords. */

/* Leaves the attributes in the entry, by the type's own names and read by their types, and notes
 * what keywords say. `at` is the key that is neither. */
void rh_entry_read_keys(struct rh_reading *r, size_t at);

/* The same where the attributes (r->entry) and the words (r->words) stand apart. */
void rh_entry_read_apart(struct rh_reading *r);

/* Complains of this key of a hash, which is neither an attribute of the type nor a keyword. */
void rh_entry_refuse_key(struct rh_load *load, const struct rh_type *t, struct rh_value *hash,
                         const char *key);

/* source.c: paths that are relative to the file which says them. */

/* Where `attr` is the attribute `source` of a type that takes absolute paths only, makes the relative path
 * `v` absolute. -1 after a complaint. */
int rh_entry_locate_source(struct rh_load *load, const struct rh_attr *attr, struct rh_value *v);

/* title.c: the titles of an entry, each of which declares a resource. */

/* Resources of `r->type` with these titles (a text, or a list of texts with places), whose attributes
 * are those that the entry has left. What is wrong with these is said with the first title; the others
 * then are held without them, to hear about the titles. */
int rh_entry_read_titles(struct rh_reading *r, struct rh_value *titles, struct rh_place key);

/* agree.c: takes what a second declaration says into the first resource, where the two do not contradict each
 * other. -1 after a complaint. */
int rh_entry_agree(struct rh_reading *r, struct rh_resource *first, const struct rh_resource *again);

/* Notes what of it can only be known after something has run: a run that is no trial can't do it then.
 * -1 after a complaint: its name has to be known. */
int rh_entry_note_undecided(const struct rh_load *load, struct rh_resource *r);

/* title-text.c: the text of titles. */

/* An expression may give one title or several. */
void rh_entry_substitute_titles(struct rh_load *load, struct rh_value *titles);

/* The text of one title of a resource of type `t`; NULL after a complaint. `key` is where the type
 * stands, when the title stands beside it. */
const char *rh_entry_title_text(struct rh_load *load, const struct rh_type *t, struct rh_value *v,
                                struct rh_place key);

/* type.c: which key of an entry names the type.
 *
 * A word can be a type and an attribute of another: `user` of a cron job. The first key that is no
 * keyword is the type where all the others are attributes of it, and nothing else is looked up. */

/* The type, by the provider that the entry asks for, and the number of its key. NULL after a
 * complaint; what the entry would have declared is then excused (catalog/catalog.h). */
const struct rh_type *rh_entry_type(struct rh_load *load, const struct rh_value *entry, size_t *at);

/* The same for the type that a text names. */
const struct rh_type *rh_entry_type_named(struct rh_load *load, const struct rh_value *entry,
                                          struct rh_value *name, const struct rh_value *titles);

/* Relations that name what an entry would have declared are no second error. */
void rh_entry_note_refused(struct rh_load *load, const char *type, const struct rh_value *titles);

/* trace.c: what was written, before its expressions are evaluated, for origins. */

struct rh_key_trace {
    const struct rh_value *written; /* or NULL */
    struct rh_value *reads;
};

/* Begins to note what the expressions in `v` read; does nothing unless somebody wants to know. */
void rh_trace_begin(struct rh_load *load, const struct rh_value *v, bool secret, struct rh_key_trace *t);
void rh_trace_end(struct rh_load *load, struct rh_key_trace *t);

/* secret.c: what the entry itself calls sensitive. */

/* The attributes with these names (a text, or a list of texts) are secrets, before anything else can go wrong
 * with them. */
void rh_entry_keep_secrets(struct rh_load *load, struct rh_value *attributes, const struct rh_value *names);

/* group.c: entries that share a condition, a loop, defaults or other words:
 *
 *   - for_each: ${node.sites}
 *     defaults: {file: {owner: www-data}}
 *     resources:
 *       - directory: /srv/${each.key}
 *       - for_each: ${each.value.pages}
 *         file: /srv/${each.outer.key}/${each.value} */

/* The keys of its lists of entries, in their order: `resources`, `on_failure`, `always`. */
enum { RH_GROUP_LISTS = 3 };
extern const char *const rh_group_lists[RH_GROUP_LISTS];

bool rh_is_group(struct rh_load *load, const struct rh_value *entry);

/* Reads the entries of the group with `one`, where its condition holds, or for one element of its loop. -1
 * after a complaint. */
int rh_group_read(struct rh_load *load, struct rh_value *entry,
                  int (*one)(struct rh_load *load, struct rh_value *entry));

/* for-each.c: an entry that is read once for each element of a list or hash, as `each`. */

/* Reads the entry, which has `for_each`, with `one` for each element: each time a copy of its own,
 * without `for_each`. -1 after a complaint. */
int rh_for_each(struct rh_load *load, struct rh_value *entry,
                int (*one)(struct rh_load *load, struct rh_value *entry));

/* when.c: whether an entry is there at all: `when: node.os.family == "debian"`. */

enum rh_when { RH_WHEN_REFUSED = -1, RH_WHEN_NO, RH_WHEN_YES, RH_WHEN_UNKNOWN };

/* Evaluates the entry's `when`, takes it out, and notes what is left out by it. Without one, yes. */
enum rh_when rh_when(struct rh_load *load, struct rh_value *entry);

#endif
