/* SPDX-License-Identifier: Apache-2.0 */
/* value - one datum: the tree that manifests, catalogs, frames and providers are made of.
 *
 * A value lives in an arena. Whoever builds it has it as `struct rh_value *`; for everybody else, and
 * for its containers, it is const. The few rooms that change a tree after it was built include draft.h.
 * The mark `sensitive` follows it wherever it goes: every function here that prints knows it, not its
 * callers. What is only known after something else has run has the kind RH_UNKNOWN. The place says
 * where it was written. */
#ifndef RH_BASE_VALUE_H
#define RH_BASE_VALUE_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_buf;

/* The first nine are those of the ABI, in its order (a test holds them together). */
enum rh_kind {
    RH_UNDEF,
    RH_BOOLEAN,
    RH_INTEGER,
    RH_FLOAT,
    RH_STRING,
    RH_BINARY,
    RH_ARRAY,
    RH_HASH,
    RH_UNKNOWN,
    /* Rich scalars, which only the data types know. All but two keep their text in `string`. */
    RH_DEFAULT,
    RH_REGEXP,
    RH_SEMVER,
    RH_SEMVER_RANGE,
    RH_TIMESTAMP,
    RH_TIMESPAN,
    RH_URI,
    RH_TYPE,
    RH_WRAPPED, /* Sensitive[...] as a datum: `items` has the one value inside */
    RH_MAP,     /* a hash with keys that are not strings: `items` has key, value, key, value... */
};

enum rh_mark {
    RH_SENSITIVE = 1,
    RH_PLAIN = 2,    /* a scalar as it was written, not yet read by its attribute's type */
    RH_APPEND = 4,   /* !append: must be in the value that is there */
    RH_REMOVE = 8,   /* !remove: must not be in it */
    RH_INVALID = 16, /* an RH_UNKNOWN in the place of what was complained about */
    RH_TYPED = 64,   /* an RH_UNKNOWN: its text is the data type of what is to come, and whose it is */
    RH_LITERAL = 32, /* a text of a recipe: what looks like an expression in it is none */
};

struct rh_entry {
    const char *key; /* NUL-terminated UTF-8, lives as long as the value */
    const struct rh_value *value;
};

struct rh_parts;

/* How an RH_UNKNOWN gets known in a run: the rest of it belongs to who made it (manifest/expression/later.h).
 */
struct rh_deferred {
    const char *after; /* "exec[generate key]": what has to be applied before */
};

struct rh_value {
    const void *host; /* a plugin reaches us through this: see arena.h */
    uint8_t kind, marks;
    uint16_t file;
    uint32_t count; /* bytes of a text, elements, entries */
    union {
        int64_t integer;
        double real;
        const char *string;                  /* with a NUL behind its last byte */
        const struct rh_value *const *items; /* `count` of them */
        const struct rh_entry *entries;
        const struct rh_deferred *deferred; /* of an RH_UNKNOWN, or NULL */
        struct rh_parts *parts; /* items or entries, for value.c, which has room for more behind them */
    } u;
    uint32_t line;
    uint16_t column;
};

static inline bool
rh_value_is(const struct rh_value *v, enum rh_kind kind) /* false for NULL */
{
    return v && v->kind == kind;
}

static inline bool
rh_kind_has_items(unsigned kind)
{
    return kind == RH_ARRAY || kind == RH_WRAPPED || kind == RH_MAP;
}

static inline bool
rh_kind_has_text(unsigned kind)
{
    return kind == RH_STRING || kind == RH_BINARY || (kind >= RH_REGEXP && kind <= RH_TYPE);
}

/* Of an RH_UNKNOWN that gets known in this run; else NULL. */
static inline const struct rh_deferred *
rh_value_deferred(const struct rh_value *v)
{
    return v->kind == RH_UNKNOWN && !(v->marks & (RH_TYPED | RH_INVALID)) ? v->u.deferred : NULL;
}

/* The value of entry i, or element i: of a container that has as many. */
static inline const struct rh_value *
rh_value_part(const struct rh_value *v, size_t i)
{
    return v->kind == RH_HASH ? v->u.entries[i].value : v->u.items[i];
}

/* Building. Text is copied, save by the _ref form. */
struct rh_value *rh_value_new(struct rh_arena *a, enum rh_kind kind);
struct rh_value *rh_value_boolean(struct rh_arena *a, bool b);
struct rh_value *rh_value_integer(struct rh_arena *a, int64_t i);
struct rh_value *rh_value_float(struct rh_arena *a, double d);
struct rh_value *rh_value_string(struct rh_arena *a, const char *s);
struct rh_value *rh_value_stringn(struct rh_arena *a, const char *s, size_t n);
struct rh_value *rh_value_string_ref(struct rh_arena *a, const char *s, size_t n);
struct rh_value *rh_value_text(struct rh_arena *a, enum rh_kind kind, const char *s, size_t n);
struct rh_value *rh_value_binary(struct rh_arena *a, const void *p, size_t n);

/* The same at once, from what was collected elsewhere: exactly as large as needed. The entries' keys
 * are not copied and must differ; `places` (may be NULL) has the place of each key. */
struct rh_value *rh_value_array_of(struct rh_arena *a, const struct rh_value *const *items, size_t n);
struct rh_value *rh_value_hash_of(struct rh_arena *a, const struct rh_entry *entries,
                                  const struct rh_place *places, size_t n);

/* An empty hash with room for `n` entries. */
struct rh_value *rh_value_hash(struct rh_arena *a, size_t n);

/* Growing an array or hash; the value put becomes part of it, and is not copied. `put` replaces what the key
 * had. `key` is copied, save by the _ref form. */
void rh_value_append(struct rh_value *array, const struct rh_value *v);
void rh_value_put(struct rh_value *hash, const char *key, const struct rh_value *v);
void rh_value_put_ref(struct rh_value *hash, const char *key, const struct rh_value *v);
void rh_value_add_ref(struct rh_value *hash, const char *key, const struct rh_value *v); /* a new key */
void rh_value_drop(struct rh_value *hash, const char *key);
struct rh_arena *rh_value_arena(const struct rh_value *container);

/* Deep, with marks and places. */
struct rh_value *rh_value_copy(struct rh_arena *a, const struct rh_value *v);

/* The same within one arena: texts and keys are shared, and the places of keys are kept. */
struct rh_value *rh_value_copy_sharing(struct rh_arena *a, const struct rh_value *v);

/* The same value with these marks as well; a copy that shares all within unless it has them. */
const struct rh_value *rh_value_marked(struct rh_arena *a, const struct rh_value *v, unsigned marks);

/* A hash of its own with the same values in it: what is put into one is not put into the other. */
struct rh_value *rh_value_copy_top(struct rh_arena *a, const struct rh_value *hash);

/* Reading. A missing key, an index past the end and NULL all give NULL. */
const struct rh_value *rh_value_get(const struct rh_value *hash, const char *key);
const struct rh_value *rh_value_at(const struct rh_value *array, size_t i);
static inline const struct rh_entry *
rh_value_entry(const struct rh_value *hash, size_t i)
{
    return rh_value_is(hash, RH_HASH) && i < hash->count ? &hash->u.entries[i] : NULL;
}

static inline size_t
rh_value_count(const struct rh_value *v) /* elements or entries */
{
    return v && (v->kind == RH_HASH || rh_kind_has_items(v->kind)) ? v->count : 0;
}

const char *rh_value_str(const struct rh_value *v, const char *fallback);
const char *rh_value_get_str(const struct rh_value *hash, const char *key, const char *fallback);
bool rh_value_sensitive(const struct rh_value *v); /* it, or anything within */
bool rh_value_unknown(const struct rh_value *v);   /* it, or anything within */

/* Equal by content: 1 equals 1.0, never "1"; order matters in arrays, not in hashes. */
bool rh_value_equal(const struct rh_value *a, const struct rh_value *b);
bool rh_value_equal_unordered(const struct rh_value *a, const struct rh_value *b); /* as sets */

struct rh_place rh_value_place(const struct rh_value *v);

/* Where entry i's key was written; the place of its value when that is not known. */
struct rh_place rh_value_key_place(const struct rh_value *hash, size_t i);
void rh_value_set_place(struct rh_value *v, struct rh_place place);

/* For people: strings quoted and escaped, `[redacted]` for what is sensitive, cut after `limit`
 * bytes (0: no limit). NULL shows as undef. */
void rh_value_show(struct rh_buf *b, const struct rh_value *v, size_t limit);

const char *rh_kind_name(enum rh_kind kind);

#endif
