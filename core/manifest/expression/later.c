/* SPDX-License-Identifier: Apache-2.0 */
/* later - expressions of which the value is known only when other resources were applied. */
#include "config.h"

#include "manifest/expression/later.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "manifest/load/load.h"

#include <ctype.h>
#include <string.h>

struct rh_use *
rh_uses_begin(struct rh_load *load)
{
    struct rh_use *outer = load->expressions.uses;

    load->expressions.uses = NULL;
    return outer;
}

void
rh_uses_end(struct rh_load *load, struct rh_use *outer)
{
    load->expressions.uses = outer;
}

static bool
is_known(const struct rh_use *use, const char *type, const char *title, const char *attribute)
{
    return strcmp(use->ref.type, type) == 0 && strcmp(use->ref.title, title) == 0
           && (!attribute || (use->attribute && strcmp(use->attribute, attribute) == 0));
}

void
rh_uses_note(struct rh_load *load, const char *type, const char *title, const char *attribute,
             struct rh_place place)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_use **last = &load->expressions.uses;

    for (; *last; last = &(*last)->next)
        if (is_known(*last, type, title, attribute))
            return;
    *last = rh_arena_alloc(a, sizeof **last);
    (*last)->ref = (struct rh_reference){ rh_arena_strdup(a, type), rh_arena_strdup(a, title), place };
    (*last)->attribute = attribute ? rh_arena_strdup(a, attribute) : NULL;
}

void
rh_uses_note_all(struct rh_load *load, const struct rh_use *uses)
{
    for (; uses; uses = uses->next)
        rh_uses_note(load, uses->ref.type, uses->ref.title, uses->attribute, uses->ref.place);
}

/* Reading a text. */

struct scan {
    const char *at, *end;
};

static void
skip_blanks(struct scan *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        s->at++;
}

static bool
take(struct scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* A text in quotes that has no escapes; NULL when there is none. */
static char *
take_quoted(struct rh_arena *a, struct scan *s)
{
    const char *from, *stop;
    char quote;

    skip_blanks(s);
    if (s->at == s->end || (*s->at != '"' && *s->at != '\''))
        return NULL;
    quote = *s->at;
    from = s->at + 1;
    stop = memchr(from, quote, (size_t)(s->end - from));
    if (!stop || memchr(from, '\\', (size_t)(stop - from)) || memchr(from, '\0', (size_t)(stop - from)))
        return NULL;
    s->at = stop + 1;
    return rh_arena_strndup(a, from, (size_t)(stop - from));
}

static bool
is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind "result": its arguments, and the attribute that is read. */
static void
scan_one(struct rh_load *load, struct scan *s, struct rh_place place)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_reference ref = { 0 };
    const char *attribute = NULL, *from;
    char *first, *second = NULL;

    if (!take(s, '(') || !(first = take_quoted(a, s)))
        return;
    if (take(s, ',') && !(second = take_quoted(a, s)))
        return;
    if (!take(s, ')'))
        return;
    if (second)
        ref = (struct rh_reference){ .type = first, .title = second };
    else if (!rh_reference_parse(a, first, &ref))
        return;
    if (take(s, '.')) {
        skip_blanks(s);
        for (from = s->at; s->at < s->end && is_name(*s->at);)
            s->at++;
        if (s->at > from)
            attribute = rh_arena_strndup(a, from, (size_t)(s->at - from));
    }
    rh_uses_note(load, ref.type, ref.title, attribute, place);
}

void
rh_uses_scan(struct rh_load *load, const char *text, size_t n, struct rh_place place)
{
    static const char word[] = "result";
    struct scan s = { text, text + n };

    while ((s.at = memmem(s.at, (size_t)(s.end - s.at), word, sizeof word - 1))) {
        bool within = s.at > text && (is_name(s.at[-1]) || s.at[-1] == '.');

        s.at += sizeof word - 1;
        if (!within)
            scan_one(load, &s, place);
    }
}

/* Keeping. */

static const char *
name_all(struct rh_arena *a, const struct rh_use *uses)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (const struct rh_use *use = uses; use; use = use->next) {
        const struct rh_use *before = uses;

        while (before != use && !is_known(before, use->ref.type, use->ref.title, NULL))
            before = before->next;
        if (before != use)
            continue;
        rh_buf_addf(&b, "%s", b.n ? ", " : "");
        rh_buf_add_safe(&b, use->ref.type, strlen(use->ref.type), false);
        rh_buf_add(&b, "[");
        rh_buf_add_safe(&b, use->ref.title, strlen(use->ref.title), false);
        rh_buf_add(&b, "]");
    }
    return rh_arena_strdup(a, rh_buf_text(&b));
}

static struct rh_later *
new_later(struct rh_load *load, enum rh_later_kind kind, const struct rh_value *source, struct rh_use *uses)
{
    struct rh_later *later = rh_arena_alloc(load->catalog->arena, sizeof *later);

    *later = (struct rh_later){
        .deferred = { .after = name_all(load->catalog->arena, uses) },
        .kind = kind,
        .source = source,
        .scope = load->context.scope,
        .secret = load->context.secret,
        .uses = uses,
    };
    load->expressions.later = true;
    return later;
}

void
rh_later_defer(struct rh_load *load, struct rh_value *v, const struct rh_value *source,
               enum rh_later_kind kind)
{
    struct rh_place place = rh_value_place(source);

    if (kind != RH_LATER_TEMPLATE && load->expressions.may_use_results)
        rh_uses_scan(load, source->u.string, source->count, place);
    if (!load->expressions.uses || load->expressions.results)
        return;
    source = rh_value_copy_sharing(load->catalog->arena, source);
    v->count = 0;
    v->u.deferred = &new_later(load, kind, source, load->expressions.uses)->deferred;
    rh_value_set_place(v, place);
}

struct rh_value *
rh_later_new(struct rh_load *load, const struct rh_value *source, enum rh_later_kind kind)
{
    struct rh_value *v = rh_value_new(load->catalog->arena, RH_UNKNOWN);

    source = rh_value_copy_sharing(load->catalog->arena, source);
    v->u.deferred = &new_later(load, kind, source, NULL)->deferred;
    rh_value_set_place(v, rh_value_place(source));
    return v;
}

static const struct rh_later *
later_of(const struct rh_value *v)
{
    return (const struct rh_later *)(const void *)rh_value_deferred(v);
}

const struct rh_value *
rh_later_parameter(struct rh_load *load, const struct rh_value *v, const struct rh_datatype *type,
                   const char *what)
{
    struct rh_value *one;
    struct rh_later *later;

    if (!rh_value_deferred(v))
        return v;
    later = new_later(load, RH_LATER_PARAMETER, v, later_of(v)->uses);
    later->type = type;
    later->what = what;
    one = rh_value_copy_sharing(load->catalog->arena, v);
    one->u.deferred = &later->deferred;
    return one;
}

bool
rh_later_note(const struct rh_load *load, struct rh_resource *r, const struct rh_value *v)
{
    bool other = false;

    if (rh_value_deferred(v))
        rh_catalog_use(load->catalog, r, later_of(v)->uses);
    else if (v->kind == RH_UNKNOWN)
        return !(v->marks & RH_INVALID);
    for (size_t i = 0; i < rh_value_count(v); i++)
        other |= rh_later_note(load, r, rh_value_part(v, i));
    return other;
}
