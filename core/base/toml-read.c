/* SPDX-License-Identifier: Apache-2.0 */
/* toml-read - the tables of TOML, and what may add to which. */
#include "config.h"

#include "base/toml-parts.h"
#include "base/value-toml.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { DEEPEST = 64, MOST_PARTS = 64 };

/* How a table came to be, which decides what may add to it. */
enum origin {
    IMPLIED, /* by a header of a table in it */
    HEADER,  /* by its own header */
    DOTTED,  /* by a key with dots; the same section may add to it */
    INLINE,  /* in braces: nothing may */
};

struct table {
    struct rh_value *hash;
    size_t number, depth; /* the number is its own */
    enum origin origin;
    size_t section; /* of DOTTED */
};

/* What a key of a table has. */
struct slot {
    struct table *table;   /* of a table, and of a list of tables the last one; else NULL */
    struct rh_value *list; /* of tables; else NULL */
};

struct reader {
    struct rh_toml_text t;
    struct rh_arena *scratch; /* what goes when all is read */
    struct rh_map slots;      /* by the number of a table and a key */
    size_t n_tables, section;
};

/* The parts of a key: their texts. */
struct key {
    const char *parts[MOST_PARTS];
    size_t n;
};

static const char *
slot_name(struct reader *r, const struct table *in, const char *key)
{
    return rh_arena_printf(r->scratch, "%zu %s", in->number, key);
}

static struct slot *
find_slot(struct reader *r, const struct table *in, const char *key)
{
    return rh_map_get(&r->slots, slot_name(r, in, key));
}

/* A new key. The value becomes part of the table. */
static struct slot *
add_slot(struct reader *r, struct table *in, const char *key, const struct rh_value *v)
{
    struct slot *slot = rh_arena_alloc(r->scratch, sizeof *slot);

    (void)rh_map_put(&r->slots, slot_name(r, in, key), slot);
    rh_value_add_ref(in->hash, key, v);
    return slot;
}

static struct table *
new_table(struct reader *r, enum origin origin, size_t depth)
{
    struct table *table = rh_arena_alloc(r->scratch, sizeof *table);

    if (depth > DEEPEST) {
        rh_error_set(r->t.err, RH_EINPUT, "tables are nested too deeply: more than %d levels", DEEPEST);
        return NULL;
    }
    table->hash = rh_value_new(r->t.arena, RH_HASH);
    table->number = ++r->n_tables;
    table->depth = depth;
    table->origin = origin;
    table->section = r->section;
    return table;
}

static struct table *
add_table(struct reader *r, struct table *in, const char *key, enum origin origin)
{
    struct table *table = new_table(r, origin, in->depth + 1);

    if (table)
        add_slot(r, in, key, table->hash)->table = table;
    return table;
}

static bool
is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static const char *
read_part(struct reader *r)
{
    struct rh_toml_text *t = &r->t;
    const char *from = t->at;

    if (rh_toml_next(t) == '"' || rh_toml_next(t) == '\'') {
        const struct rh_value *v = rh_toml_read_text(t, false);

        if (!v)
            return NULL;
        if (strlen(v->u.string) == v->count)
            return v->u.string;
        rh_error_set(t->err, RH_EINPUT, "a key must not contain a NUL character");
        return NULL;
    }
    while (is_bare(rh_toml_next(t)))
        t->at++;
    if (t->at > from)
        return rh_arena_strndup(t->arena, from, (size_t)(t->at - from));
    rh_error_set(t->err, RH_EINPUT, "expected a key: letters, digits, '_' and '-', or a text in quotes");
    return NULL;
}

static int
read_key(struct reader *r, struct key *key)
{
    key->n = 0;
    for (;;) {
        if (key->n == MOST_PARTS)
            return rh_error_set(r->t.err, RH_EINPUT, "a key has at most %d parts", MOST_PARTS);
        rh_toml_skip_blanks(&r->t);
        key->parts[key->n] = read_part(r);
        if (!key->parts[key->n++])
            return -1;
        rh_toml_skip_blanks(&r->t);
        if (rh_toml_next(&r->t) != '.')
            return 0;
        r->t.at++;
    }
}

static int
duplicate(struct reader *r, const char *key)
{
    return rh_error_set(r->t.err, RH_EINPUT, "duplicate key '%s'", key);
}

/* The table of all parts of a dotted key but the last. */
static struct table *
enter_dotted(struct reader *r, struct table *in, const struct key *key)
{
    for (size_t i = 0; in && i + 1 < key->n; i++) {
        struct slot *slot = find_slot(r, in, key->parts[i]);

        if (!slot) {
            in = add_table(r, in, key->parts[i], DOTTED);
        } else if (!slot->table || slot->list || slot->table->origin == HEADER
                   || slot->table->origin == INLINE
                   || (slot->table->origin == DOTTED && slot->table->section != r->section)) {
            rh_error_set(r->t.err, RH_EINPUT, "'%s' is defined already, and a key with dots cannot add to it",
                         key->parts[i]);
            return NULL;
        } else {
            in = slot->table;
            in->origin = DOTTED;
            in->section = r->section;
        }
    }
    return in;
}

static const struct rh_value *read_value(struct reader *r, size_t depth, struct table **inline_table);

/* KEY = VALUE */
static int
read_pair(struct reader *r, struct table *in)
{
    struct key key;
    const struct rh_value *v;
    struct table *inline_table = NULL;
    const char *last;

    if (read_key(r, &key) < 0)
        return -1;
    if (rh_toml_next(&r->t) != '=')
        return rh_error_set(r->t.err, RH_EINPUT, "expected '=' after the key '%s'", key.parts[key.n - 1]);
    r->t.at++;
    in = enter_dotted(r, in, &key);
    if (!in)
        return -1;
    last = key.parts[key.n - 1];
    if (find_slot(r, in, last))
        return duplicate(r, last);
    rh_toml_skip_blanks(&r->t);
    v = read_value(r, in->depth + 1, &inline_table);
    if (!v)
        return -1;
    add_slot(r, in, last, v)->table = inline_table;
    return 0;
}

/* Blanks, comments and ends of lines, as they stand in lists. */
static int
skip_space(struct reader *r)
{
    int rc;

    do {
        rh_toml_skip_blanks(&r->t);
        rc = rh_toml_skip_line_end(&r->t);
    } while (rc > 0);
    return rc;
}

static const struct rh_value *
read_list(struct reader *r, size_t depth)
{
    struct rh_value *list = rh_value_new(r->t.arena, RH_ARRAY);

    for (r->t.at++;;) {
        const struct rh_value *v;

        if (skip_space(r) < 0)
            return NULL;
        if (rh_toml_next(&r->t) == ']')
            break;
        v = read_value(r, depth + 1, NULL);
        if (!v || skip_space(r) < 0)
            return NULL;
        rh_value_append(list, v);
        if (rh_toml_next(&r->t) == ']')
            break;
        if (rh_toml_next(&r->t) != ',') {
            rh_error_set(r->t.err, RH_EINPUT, "expected ',' or ']' in a list");
            return NULL;
        }
        r->t.at++;
    }
    r->t.at++;
    return list;
}

/* { KEY = VALUE, ... } on one line, without a comma at its end. */
static struct table *
read_inline(struct reader *r, size_t depth)
{
    size_t outer = r->section;
    struct table *table;

    r->section = ++r->n_tables;
    table = new_table(r, INLINE, depth);
    if (!table)
        return NULL;
    r->t.at++;
    rh_toml_skip_blanks(&r->t);
    while (rh_toml_next(&r->t) != '}') {
        if (read_pair(r, table) < 0)
            return NULL;
        rh_toml_skip_blanks(&r->t);
        if (rh_toml_next(&r->t) == '}')
            break;
        if (rh_toml_next(&r->t) != ',') {
            rh_error_set(r->t.err, RH_EINPUT, "expected ',' or '}' in a table of one line");
            return NULL;
        }
        r->t.at++;
        rh_toml_skip_blanks(&r->t);
        if (rh_toml_next(&r->t) == '}') {
            rh_error_set(r->t.err, RH_EINPUT, "a table of one line must not end with a comma");
            return NULL;
        }
    }
    r->t.at++;
    r->section = outer;
    return table;
}

static const struct rh_value *
read_value(struct reader *r, size_t depth, struct table **inline_table)
{
    struct table *table;

    if (depth > DEEPEST) {
        rh_error_set(r->t.err, RH_EINPUT, "values are nested too deeply: more than %d levels", DEEPEST);
        return NULL;
    }
    switch (rh_toml_next(&r->t)) {
    case '"':
    case '\'':
        return rh_toml_read_text(&r->t, true);
    case '[':
        return read_list(r, depth);
    case '{':
        table = read_inline(r, depth);
        if (inline_table)
            *inline_table = table;
        return table ? table->hash : NULL;
    default:
        return rh_toml_read_word(&r->t);
    }
}

/* The table of all parts of a header but the last. */
static struct table *
enter_header(struct reader *r, struct table *in, const struct key *key)
{
    for (size_t i = 0; in && i + 1 < key->n; i++) {
        struct slot *slot = find_slot(r, in, key->parts[i]);

        if (!slot) {
            in = add_table(r, in, key->parts[i], IMPLIED);
        } else if (!slot->table || slot->table->origin == INLINE) {
            rh_error_set(r->t.err, RH_EINPUT,
                         "'%s' is defined already, and is not a table that can be added to", key->parts[i]);
            return NULL;
        } else {
            in = slot->table;
        }
    }
    return in;
}

/* The table that a header of `[x]` begins. */
static struct table *
open_table(struct reader *r, struct table *in, const char *name)
{
    struct slot *slot = find_slot(r, in, name);

    if (!slot)
        return add_table(r, in, name, HEADER);
    if (!slot->table || slot->list || slot->table->origin != IMPLIED) {
        rh_error_set(r->t.err, RH_EINPUT, "duplicate table '%s'", name);
        return NULL;
    }
    slot->table->origin = HEADER;
    return slot->table;
}

/* The table that a header of `[[x]]` begins. */
static struct table *
open_element(struct reader *r, struct table *in, const char *name)
{
    struct slot *slot = find_slot(r, in, name);
    struct table *table = new_table(r, HEADER, in->depth + 2);

    if (!table)
        return NULL;
    if (!slot) {
        struct rh_value *list = rh_value_new(r->t.arena, RH_ARRAY);

        slot = add_slot(r, in, name, list);
        slot->list = list;
    } else if (!slot->list) {
        rh_error_set(r->t.err, RH_EINPUT, "'%s' is defined already, and is not a list of tables", name);
        return NULL;
    }
    rh_value_append(slot->list, table->hash);
    slot->table = table;
    return table;
}

static struct table *
read_header(struct reader *r, struct table *root)
{
    bool element = r->t.end - r->t.at > 1 && r->t.at[1] == '[';
    const char *close = element ? "]]" : "]";
    struct table *in;
    struct key key;

    r->t.at += element ? 2 : 1;
    r->section = ++r->n_tables;
    if (read_key(r, &key) < 0)
        return NULL;
    if ((size_t)(r->t.end - r->t.at) < strlen(close) || strncmp(r->t.at, close, strlen(close)) != 0) {
        rh_error_set(r->t.err, RH_EINPUT, "expected '%s' after the name of a table", close);
        return NULL;
    }
    r->t.at += strlen(close);
    in = enter_header(r, root, &key);
    if (!in)
        return NULL;
    return element ? open_element(r, in, key.parts[key.n - 1]) : open_table(r, in, key.parts[key.n - 1]);
}

static struct rh_value *
read_document(struct reader *r)
{
    struct table *root = new_table(r, HEADER, 0), *in = root;
    int rc;

    while (r->t.at < r->t.end) {
        rh_toml_skip_blanks(&r->t);
        rc = rh_toml_skip_line_end(&r->t);
        if (rc < 0)
            return NULL;
        if (rc > 0 || r->t.at == r->t.end)
            continue;
        if (*r->t.at == '[') {
            in = read_header(r, root);
            if (!in)
                return NULL;
        } else if (read_pair(r, in) < 0) {
            return NULL;
        }
        rh_toml_skip_blanks(&r->t);
        rc = rh_toml_skip_line_end(&r->t);
        if (rc < 0)
            return NULL;
        if (rc == 0 && r->t.at < r->t.end) {
            rh_error_set(r->t.err, RH_EINPUT, "more text on the line after the value");
            return NULL;
        }
    }
    return root->hash;
}

struct rh_value *
rh_value_from_toml(struct rh_arena *a, const char *text, size_t n, struct rh_error *err)
{
    rh_autoarena struct rh_arena *scratch = rh_arena_new(NULL);
    struct reader r = { .t = { .arena = a, .at = text, .end = text + n, .err = err }, .scratch = scratch };
    struct rh_value *v;

    if (!rh_utf8_valid(text, n)) {
        rh_error_set(err, RH_EINPUT, "not UTF-8");
        return NULL;
    }
    v = read_document(&r);
    rh_map_clear(&r.slots);
    if (v || !err)
        return v;
    err->place.line = 1;
    for (const char *at = text; at < r.t.at; at++)
        err->place.line += *at == '\n';
    return NULL;
}
