/* SPDX-License-Identifier: Apache-2.0 */
/* tree - a parsed data type, for the files of this room.
 *
 * A node is built by the parser (or by normalize and infer, in an arena of their own) and is only
 * read afterwards. Which member of the union counts follows from `kind`; so do the meanings of
 * `count` and `range`. */
#ifndef RH_DATATYPE_TREE_H
#define RH_DATATYPE_TREE_H

#include "base/map.h"
#include "datatype/datatype.h"
#include "datatype/semver.h"
#include "datatype/timestamp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_regex;

/* Inclusive. The ends of the type stand for "no bound" (sizes have 0 for no lower bound). */
struct rh_range {
    int64_t min, max;
};

struct rh_word {
    const char *s; /* with a NUL behind its last byte */
    size_t n;
};

/* Whether a key may be missing. Plain: when its type accepts undef, which may not be known yet
 * while the aliases it uses are being read. */
enum rh_presence { RH_KEY_PLAIN, RH_KEY_OPTIONAL, RH_KEY_REQUIRED };

struct rh_member {
    struct rh_word key;
    const struct rh_datatype *type;
    enum rh_presence presence;
};

struct rh_uri_part {
    uint8_t part;                   /* enum rh_uri_component */
    const struct rh_regex *regex;   /* one of these three says what it must be */
    const struct rh_datatype *type; /* held against the part as text */
    struct rh_word word;
};

/* Aliases that may use each other (alias.h). */
struct rh_aliases {
    struct rh_arena *arena;
    struct rh_map by_name;
    struct rh_alias **v;
    size_t n, cap;
};

struct rh_alias {
    const char *name;
    const char *text;                 /* as declared */
    const struct rh_datatype *target; /* NULL until the set is resolved */
    size_t index;                     /* in its set, in order of declaration */
    bool builtin;                     /* Data, RichData, RichDataKey: never expanded in print */
    const char *file, *whole;         /* where `text` was written; NULL: nowhere */
    size_t at;                        /* its first byte in `whole` */
};

struct rh_datatype {
    uint8_t kind; /* enum rh_datatype_kind */
    bool fold;    /* Enum: ASCII letters match in either case */
    bool known;   /* Boolean: only u.truth */
    uint32_t count;
    struct rh_range range; /* Integer: values; String, Array, Hash, Tuple, Collection: sizes */
    union {
        bool truth;
        struct rh_word literal; /* String that is exactly this: Optional['x'] */
        struct {
            double min, max;
        } real;
        struct {
            struct rh_instant min, max;
        } time;
        /* Optional, NotUndef, Sensitive, Type, Iterable, Array: [0]; Hash: key and value. NULL is
         * "anything", save for Optional, where it is "nothing". */
        const struct rh_datatype *inner[2];
        const struct rh_datatype *const *members; /* Variant, Tuple */
        const struct rh_word *words;              /* Enum: sorted, each once */
        const struct rh_regex *const *regexes;    /* Pattern; Regexp: none or one */
        const struct rh_member *keys;             /* Struct */
        const struct rh_semver_range *versions;   /* SemVer */
        const struct rh_uri_part *parts;          /* URI */
        struct {
            const char *name;
            const char *params; /* canonical text of what is in the brackets; NULL: none */
        } named;
        const struct rh_alias *alias; /* Alias, Data, RichData */
    } u;
};

/* The types without parameters, one node for all who need them. */
extern const struct rh_datatype rh_type_any, rh_type_undef, rh_type_string, rh_type_data, rh_type_rich_data,
    rh_type_rich_data_key, rh_type_numeric, rh_type_scalar_data, rh_type_scalar, rh_type_unit;

/* A node with nothing in it; for Float and times the bounds are still to be set. */
struct rh_datatype *rh_type_new(struct rh_arena *a, enum rh_datatype_kind kind);
struct rh_datatype *rh_type_copy(struct rh_arena *a,
                                 const struct rh_datatype *t);         /* what is in it is shared */
const struct rh_datatype **rh_type_room(struct rh_arena *a, size_t n); /* for so many members */

struct rh_datatype *rh_type_bare(struct rh_arena *a, enum rh_datatype_kind kind); /* ready to use */

/* The bare type of a kind as `String`, `Enum`: "String" for RH_T_STRING. */
const char *rh_type_name(const struct rh_datatype *t);

/* Whether the parser knows it without any alias; ASCII case doesn't matter. */
bool rh_type_is_builtin(const char *name);

/* Whether undef is a value of it. It must be resolved. */
bool rh_type_takes_undef(const struct rh_datatype *t);

/* Whether the key may be missing. */
bool rh_member_optional(const struct rh_member *k);

/* For qsort(): the order of their bytes. */
int rh_word_compare(const void *a, const void *b);

/* Makes an Enum of the words: sorts them in place and drops doubles. */
void rh_type_set_words(struct rh_datatype *t, struct rh_word *words, size_t n);

bool rh_type_is_alias(const struct rh_datatype *t);                      /* Alias, Data, RichData */
const struct rh_datatype *rh_type_resolved(const struct rh_datatype *t); /* through aliases */
bool rh_type_same(const struct rh_datatype *a, const struct rh_datatype *b);

static inline bool
rh_range_open(struct rh_range r)
{
    return r.min == INT64_MIN && r.max == INT64_MAX;
}

static inline bool
rh_range_has(struct rh_range r, int64_t n)
{
    return n >= r.min && n <= r.max;
}

/* How many elements a Tuple has. */
struct rh_range rh_tuple_size(const struct rh_datatype *t);

/* A size as it was given: an open lower end is 0. */
static inline struct rh_range
rh_size(struct rh_range r)
{
    if (r.min < 0)
        r.min = 0;
    return r;
}

#endif
