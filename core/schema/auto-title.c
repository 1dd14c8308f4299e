/* SPDX-License-Identifier: Apache-2.0 */
/* auto-title - the titles and names of resources that a type's relation names. */
#include "config.h"

#include "schema/auto-relation.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct naming {
    const struct rh_title_piece *pieces;
    size_t n_pieces;
    bool numbers; /* also where the number is all of the text */
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
    else if (rh_value_is(v, RH_INTEGER) && !rh_value_sensitive(v) && (n->numbers || n->n_pieces > 1))
        rh_buf_addf(&n->title, "%lld", (long long)v->u.integer);
    else
        return;
    add_from(n, i + 1);
    rh_buf_truncate(&n->title, before);
}

/* The name is in its canonical form, other than what is desired. */
static const struct rh_value *
value_of(const struct rh_attr *attr, const struct rh_value *name, const struct rh_value *should)
{
    const struct rh_value *v = attr->behaviour & RH_NAMEVAR ? rh_value_get(name, attr->name) : NULL;

    return v ? v : rh_value_get(should, attr->name);
}

/* The title's parts from the one at `i` on. */
static void
add_from(struct naming *n, size_t i)
{
    const struct rh_title_piece *piece = &n->pieces[i];
    size_t before = n->title.n;

    if (i == n->n_pieces) {
        n->fn(n->data, rh_buf_text(&n->title));
        return;
    }
    if (piece->attr) {
        add_value(n, i, value_of(piece->attr, n->name, n->should));
        return;
    }
    rh_buf_add(&n->title, piece->text);
    add_from(n, i + 1);
    rh_buf_truncate(&n->title, before);
}

void
rh_auto_relation_titles(const struct rh_auto_relation *r, const struct rh_value *name,
                        const struct rh_value *should, rh_title_fn *fn, void *data)
{
    const struct rh_attr *only = r->n_pieces == 1 ? r->pieces[0].attr : NULL;
    const struct rh_value *v = only ? value_of(only, name, should) : NULL;
    struct naming n;

    if (only && (!v || v->kind == RH_STRING)) { /* the usual one, `$path`, needs no text of its own */
        if (v && !rh_value_sensitive(v))
            fn(data, v->u.string);
        return;
    }
    n = (struct naming){
        .pieces = r->pieces, .n_pieces = r->n_pieces, .name = name, .should = should, .fn = fn, .data = data
    };
    add_from(&n, 0);
    rh_buf_clear(&n.title);
}

/* A name that grows, part by part. */
struct composing {
    const struct rh_auto_relation *relation;
    const struct rh_type *target;
    const struct rh_value *name, *should; /* of the resource that has the relation */
    struct rh_value *composed;
    size_t part; /* that is being added */
    rh_name_fn *fn;
    void *data;
};

static bool
read_integer(const char *text, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(text, &end, 10);
    return (isdigit((unsigned char)*text) || *text == '-') && !*end && !errno;
}

/* As the namevar's type has it: the port 5432 may be a number there, and text here. */
static struct rh_value *
fit(struct rh_arena *a, const struct rh_attr *namevar, const char *text)
{
    struct rh_value *v = rh_value_string(a, text);
    int64_t number;

    if (rh_datatype_match(namevar->type, v) || !read_integer(text, &number))
        return v;
    return rh_value_integer(a, number);
}

static void add_part(void *data, const char *text);

/* The parts from the next one on. */
static void
compose(struct composing *c)
{
    struct naming n = { .numbers = true, .name = c->name, .should = c->should, .fn = add_part, .data = c };

    if (c->part == c->relation->n_parts) {
        c->fn(c->data, c->composed);
        return;
    }
    n.pieces = c->relation->parts[c->part].pieces;
    n.n_pieces = c->relation->parts[c->part].n_pieces;
    add_from(&n, 0);
    rh_buf_clear(&n.title);
}

static void
add_part(void *data, const char *text)
{
    struct composing *c = data;
    const char *namevar = c->relation->parts[c->part].namevar;

    rh_value_put_ref(c->composed, namevar,
                     fit(rh_value_arena(c->composed), rh_type_attr(c->target, namevar), text));
    c->part++;
    compose(c);
    c->part--;
}

static bool
is_namevar(const struct rh_attr *attr)
{
    return attr && attr->behaviour & RH_NAMEVAR;
}

int
rh_auto_relation_fits(const struct rh_auto_relation *r, const struct rh_type *target, struct rh_error *err)
{
    for (size_t i = 0; i < r->n_parts; i++)
        if (!is_namevar(rh_type_attr(target, r->parts[i].namevar)))
            return rh_error_set(err, RH_EINPUT, "'%s' is not a namevar of '%s'", r->parts[i].namevar,
                                target->type);
    for (size_t i = 0; i < target->n_namevars; i++)
        if (!rh_auto_relation_has_part(r, target->namevars[i]->name) && !target->namevars[i]->default_value)
            return rh_error_set(err, RH_EINPUT, "the namevar '%s' of '%s' is missing",
                                target->namevars[i]->name, target->type);
    return 0;
}

void
rh_auto_relation_names(const struct rh_auto_relation *r, const struct rh_type *target,
                       const struct rh_value *name, const struct rh_value *should, rh_name_fn *fn, void *data)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct composing c = { .relation = r,
                           .target = target,
                           .name = name,
                           .should = should,
                           .composed = rh_value_hash(a, target->n_namevars),
                           .fn = fn,
                           .data = data };

    for (size_t i = 0; i < target->n_namevars; i++)
        if (!rh_auto_relation_has_part(r, target->namevars[i]->name))
            rh_value_put_ref(c.composed, target->namevars[i]->name,
                             rh_value_copy(a, target->namevars[i]->default_value));
    compose(&c);
}
