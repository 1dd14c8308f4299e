/* SPDX-License-Identifier: Apache-2.0 */
/* alias-file - data types with names of their own, as a file declares them. */
#include "config.h"

#include "datatype/alias.h"

#include "datatype/parse.h"
#include "datatype/tree.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { LARGEST_FILE = 1 << 20 };

struct reader {
    struct rh_aliases *set;
    struct rh_arena *arena;
    const char *file, *text;
    size_t n, pos;
    struct rh_error *err;
};

static int
fail_at(struct reader *r, size_t at)
{
    unsigned line, column;

    rh_alias_place(r->text, at, &line, &column);
    return rh_error_prefix(r->err, "%s:%u:%u", r->file, line, column);
}

static void
skip_blank(struct reader *r)
{
    while (r->pos < r->n) {
        if (r->text[r->pos] == '#')
            r->pos += strcspn(r->text + r->pos, "\n");
        else if (strchr(" \t\r\n", r->text[r->pos]))
            r->pos++;
        else
            return;
    }
}

static size_t
word_length(const struct reader *r)
{
    size_t n = 0;

    while (r->pos + n < r->n && !strchr(" \t\r\n=#[", r->text[r->pos + n]))
        n++;
    return n;
}

/* From the body's start to behind it: one type, with its brackets. */
static int
skip_body(struct reader *r)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_lexer l = { .arena = r->arena, .text = r->text, .n = r->n, .pos = r->pos, .err = &why };
    struct rh_token t;
    size_t depth = 0;

    do {
        if (rh_lexer_next(&l, &t) < 0) {
            size_t at = why.at;

            rh_error_move(r->err, &why);
            return fail_at(r, at);
        }
        if (t.kind == RH_TOK_END)
            break;
        if (t.kind == RH_TOK_CHAR && strchr("[{(", (int)t.integer))
            depth++;
        else if (t.kind == RH_TOK_CHAR && strchr("]})", (int)t.integer) && depth)
            depth--;
        r->pos = t.end;
        if (!depth) {
            struct reader ahead = *r;

            skip_blank(&ahead);
            if (t.kind != RH_TOK_TYPE || ahead.pos >= r->n || r->text[ahead.pos] != '[')
                break;
        }
    } while (true);
    return 0;
}

static int
read_one(struct reader *r)
{
    size_t start = r->pos, body;
    const char *name, *text;

    if (word_length(r) != 4 || strncmp(r->text + r->pos, "type", 4) != 0) {
        rh_error_set(r->err, RH_EINPUT, "expected 'type Name = ...'");
        return fail_at(r, start);
    }
    r->pos += 4;
    skip_blank(r);
    start = r->pos;
    name = rh_arena_strndup(r->arena, r->text + r->pos, word_length(r));
    r->pos += strlen(name);
    skip_blank(r);
    if (!*name) {
        rh_error_set(r->err, RH_EINPUT, "expected a name after 'type'");
        return fail_at(r, start);
    }
    if (r->pos >= r->n || r->text[r->pos] != '=') {
        rh_error_set(r->err, RH_EINPUT, "expected '=' after the name '%.80s'", name);
        return fail_at(r, r->pos);
    }
    r->pos++;
    skip_blank(r);
    body = r->pos;
    if (body >= r->n) {
        rh_error_set(r->err, RH_EINPUT, "expected a data type after '='");
        return fail_at(r, body);
    }
    if (skip_body(r) < 0)
        return -1;
    text = rh_arena_strndup(r->arena, r->text + body, r->pos - body);
    if (rh_aliases_declare(r->set, name, text, r->err) < 0)
        return fail_at(r, start);
    rh_aliases_set_origin(r->set, name, r->file, r->text, body);
    return 0;
}

int
rh_aliases_read(struct rh_aliases *s, const char *file, const char *text, size_t n, struct rh_error *err)
{
    struct rh_arena *a = rh_aliases_arena(s);
    rh_autofree char *safe = rh_safe_text(file);
    struct reader r = { .set = s, .arena = a, .file = rh_arena_strdup(a, safe), .n = n, .err = err };

    if (strlen(text) != n || !rh_utf8_valid(text, n))
        return rh_error_set(err, RH_EINPUT, "%s: the file is not UTF-8", safe);
    r.text = rh_arena_strndup(a, text, n);
    for (skip_blank(&r); r.pos < n; skip_blank(&r))
        if (read_one(&r) < 0)
            return -1;
    return 0;
}

struct rh_aliases *
rh_aliases_load(struct rh_arena *a, const char *path, struct rh_error *err)
{
    struct rh_aliases *s = rh_aliases_new(a);
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST_FILE, &n, err);

    if (!text || rh_aliases_read(s, path, text, n, err) < 0 || rh_aliases_resolve(s, err) < 0)
        return NULL;
    return s;
}

struct rh_value *
rh_aliases_to_value(struct rh_arena *a, const struct rh_aliases *s)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);
    const struct rh_alias *alias;

    for (size_t i = 0; (alias = rh_aliases_at(s, i)); i++) {
        rh_autobuf struct rh_buf text = { 0 };

        rh_datatype_print(alias->target, &text);
        rh_value_put(v, alias->name, rh_value_stringn(a, rh_buf_text(&text), text.n));
    }
    return v;
}

struct rh_aliases *
rh_aliases_from_value(struct rh_arena *a, const struct rh_value *v, struct rh_error *err)
{
    struct rh_aliases *s = rh_aliases_new(a);

    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (!e || !rh_value_is(e->value, RH_STRING)) {
            rh_error_set(err, RH_EINPUT, "'data_types' must be a hash of strings");
            return NULL;
        }
        if (rh_aliases_declare(s, e->key, e->value->u.string, err) < 0)
            return NULL;
    }
    return rh_aliases_resolve(s, err) < 0 ? NULL : s;
}
