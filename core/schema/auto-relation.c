/* SPDX-License-Identifier: Apache-2.0 */
/* auto-relation - the relations that a type declares, and the titles that they name. */
#include "config.h"

#include "schema/auto-relation.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { MOST_PIECES = 32 };

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* At a '$' that begins the name of an attribute: the length of "$name" or "${name}", else 0. */
static size_t
measure_attr(const char *s, const char **name, size_t *len)
{
    bool braced = s[0] == '$' && s[1] == '{';
    size_t n = 0;

    if (s[0] != '$')
        return 0;
    *name = s + 1 + braced;
    while (is_word((*name)[n]))
        n++;
    *len = n;
    if (!n || (braced && (*name)[n] != '}'))
        return 0;
    return n + 1 + (braced ? 2 : 0);
}

static int
add_piece(struct rh_auto_relation *r, struct rh_title_piece piece, const char *whole, struct rh_error *err)
{
    if (r->n_pieces == MOST_PIECES)
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': more than %d parts", whole, MOST_PIECES);
    r->pieces[r->n_pieces++] = piece;
    return 0;
}

/* "$server:$owner": attributes, and the text between them. */
static int
read_pieces(struct rh_arena *a, const struct rh_type *t, const char *whole, struct rh_auto_relation *r,
            struct rh_error *err)
{
    const char *s = r->title, *text = s;

    r->pieces = rh_arena_alloc(a, MOST_PIECES * sizeof *r->pieces);
    for (;;) {
        const char *name = NULL;
        size_t len = 0, n = measure_attr(s, &name, &len);
        struct rh_title_piece piece = { 0 };

        if (*s && !n) {
            s++;
            continue;
        }
        if (s > text
            && add_piece(r, (struct rh_title_piece){ .text = rh_arena_strndup(a, text, (size_t)(s - text)) },
                         whole, err)
                   < 0)
            return -1;
        if (!*s)
            return 0;
        name = rh_arena_strndup(a, name, len);
        piece.attr = rh_type_attr(t, name);
        if (!piece.attr) {
            const char *best = rh_type_suggest(t, name);

            return rh_error_set(err, RH_EINPUT, "unknown attribute in the relation '%s'%s%s%s", whole,
                                best ? ": did you mean '$" : "", best ? best : "", best ? "'?" : "");
        }
        if (add_piece(r, piece, whole, err) < 0)
            return -1;
        text = s += n;
    }
}

int
rh_auto_relation_read(struct rh_arena *a, const struct rh_type *t, const char *text,
                      struct rh_auto_relation *r, struct rh_error *err)
{
    static const char *const kinds[] = { "autorequire ", "autobefore ", "autosubscribe ", "autonotify " };
    const char *subject = NULL;

    for (unsigned i = 0; text && i < 4; i++)
        if (strncmp(text, kinds[i], strlen(kinds[i])) == 0) {
            r->kind = (enum rh_relation_kind)i;
            subject = text + strlen(kinds[i]);
        }
    return rh_auto_subject_read(a, t, subject, text, r, err);
}

int
rh_auto_subject_read(struct rh_arena *a, const struct rh_type *t, const char *type, const char *text,
                     struct rh_auto_relation *r, struct rh_error *err)
{
    const char *open = type ? strchr(type, '[') : NULL;
    size_t n = type ? strlen(type) : 0;

    if (!open || type == open || type[n - 1] != ']' || open + 2 > type + n - 1)
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': expected 'autorequire type[title]'",
                            text ? text : "");
    r->type = rh_arena_strndup(a, type, (size_t)(open - type));
    r->title = rh_arena_strndup(a, open + 1, (size_t)(type + n - 1 - (open + 1)));
    if (!rh_is_type_name(r->type))
        return rh_error_set(err, RH_EINPUT, "invalid type in the relation '%s'", text);
    n = strlen(r->title);
    r->above = strchr(r->title, '$') && n > 3 && strcmp(r->title + n - 3, "/..") == 0;
    if (r->above)
        r->title = rh_arena_strndup(a, r->title, n - 3);
    if (read_pieces(a, t, text, r, err) < 0)
        return -1;
    if (r->title[0] == '$' && !r->pieces[0].attr)
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the relation '%s'%s%s%s", text, "", "", "");
    return 0;
}

struct naming {
    const struct rh_auto_relation *relation;
    const struct rh_value *name, *should;
    struct rh_buf title;
    rh_title_fn *fn;
    void *data;
};

static void add_from(struct naming *n, size_t i);

/* A number names something only as part of a title: a number alone is an ID, and groups have names. A
 * secret names nothing, since titles are shown. */
static void
add_value(struct naming *n, size_t i, const struct rh_value *v)
{
    size_t before = n->title.n;

    if (rh_value_is(v, RH_ARRAY)) {
        for (size_t k = 0; k < rh_value_count(v); k++)
            add_value(n, i, rh_value_at(v, k));
        return;
    }
    if (rh_value_is(v, RH_STRING) && !rh_value_sensitive(v))
        rh_buf_add(&n->title, v->u.string);
    else if (rh_value_is(v, RH_INTEGER) && n->relation->n_pieces > 1)
        rh_buf_addf(&n->title, "%lld", (long long)v->u.integer);
    else
        return;
    add_from(n, i + 1);
    rh_buf_truncate(&n->title, before);
}

/* The title's parts from the one at `i` on. */
static void
add_from(struct naming *n, size_t i)
{
    const struct rh_title_piece *piece = &n->relation->pieces[i];
    const struct rh_value *v;
    size_t before = n->title.n;

    if (i == n->relation->n_pieces) {
        n->fn(n->data, rh_buf_text(&n->title));
        return;
    }
    if (!piece->attr) {
        rh_buf_add(&n->title, piece->text);
        add_from(n, i + 1);
        rh_buf_truncate(&n->title, before);
        return;
    }
    v = rh_value_get(n->name, piece->attr->name); /* in its canonical form, other than what is desired */
    add_value(n, i, v ? v : rh_value_get(n->should, piece->attr->name));
}

void
rh_auto_relation_titles(const struct rh_auto_relation *r, const struct rh_value *name,
                        const struct rh_value *should, rh_title_fn *fn, void *data)
{
    struct naming n = { .relation = r, .name = name, .should = should, .fn = fn, .data = data };

    if (r->n_pieces == 1 && r->pieces[0].attr) { /* the usual one, `$path`, needs no text of its own */
        const struct rh_value *v = rh_value_get(name, r->pieces[0].attr->name);

        v = v ? v : rh_value_get(should, r->pieces[0].attr->name);
        if (!v)
            return;
        if (v->kind == RH_STRING) {
            if (!rh_value_sensitive(v))
                fn(data, v->u.string);
            return;
        }
    }
    add_from(&n, 0);
    rh_buf_clear(&n.title);
}
