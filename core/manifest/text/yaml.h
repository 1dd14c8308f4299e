/* SPDX-License-Identifier: Apache-2.0 */
/* yaml - text to a tree of values, each with its place.
 *
 * libyaml scans and parses (yaml-events.h); what it says becomes values here, since its own tree has no use
 * for places and marks. JSON is read by the same way: it is YAML. */
#ifndef RH_MANIFEST_TEXT_YAML_H
#define RH_MANIFEST_TEXT_YAML_H

#include "base/cleanup.h"
#include "base/text.h"

#include <stddef.h>

struct rh_arena;
struct rh_complaints;
struct rh_error;
struct rh_value;

/* The largest file, the deepest nesting, how many values may come of aliases, and how many bytes of
 * text are in these. */
#define RH_YAML_LARGEST ((size_t)256 << 20)
#define RH_YAML_DEEPEST 64U
#define RH_YAML_MOST_ALIASED 4000000U
#define RH_YAML_MOST_ALIASED_TEXT RH_YAML_LARGEST

/* Reads one document. Plain scalars are strings with the mark RH_PLAIN: the text as it was written,
 * for scalar.h to read when the type is known. Keys of hashes are shared: the same text is the same
 * pointer. Aliases become copies, which share the texts of the original
 * and keep its places. An empty file gives an
 * undef. NULL when the text can't be read as YAML; what can be read around (a duplicate key, a tag
 * nobody knows) is a complaint only. `file` is the number in complaints->sources. */
struct rh_value *rh_yaml_read(struct rh_arena *a, const char *text, size_t n, unsigned file,
                              struct rh_complaints *complaints);

/* What is kept of a text from one reading to the next: see yaml-record.h. */
struct rh_yaml_record {
    const void *known; /* of an earlier reading of this text, which may be damaged; NULL: there is none */
    size_t n_known;
    struct rh_buf made; /* of this reading, to be kept; empty when what is known was used, when there is a
                         * complaint, and when this text has no record. The caller's to clear */
};

/* The same by a record, which makes it faster, and changes nothing else. */
struct rh_value *rh_yaml_read_again(struct rh_arena *a, const char *text, size_t n, unsigned file,
                                    struct rh_complaints *complaints, struct rh_yaml_record *record);

/* yaml-value.c: the same of a text that is no file, with its scalars read by the core schema. NULL with the
 * first thing that is wrong, whose place is a line of the text. */
RH_CHECKED struct rh_value *rh_yaml_value(struct rh_arena *a, const char *text, size_t n,
                                          struct rh_error *err);

/* Refuses what is not UTF-8 text, with the place of the first byte that is at fault. */
int rh_yaml_check_text(const char *text, size_t n, unsigned file, struct rh_complaints *complaints);

#endif
