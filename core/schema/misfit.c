/* SPDX-License-Identifier: Apache-2.0 */
/* misfit - which part of a value does not fit its type, and what was probably meant.
 *
 * The guesses work by trying: a value that the writer may have meant is made and held against the
 * type. So they need no knowledge of the types, and never propose what would be refused. */
#include "config.h"

#include "schema/validate.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { DEEPEST = 64, LONGEST_TRIED = 1024 };

static const struct rh_datatype *
unwrap(const struct rh_datatype *t)
{
    for (int i = 0; t && i < DEEPEST; i++) {
        enum rh_datatype_kind kind = rh_datatype_kind(t);

        if (kind != RH_T_OPTIONAL && kind != RH_T_NOT_UNDEF && kind != RH_T_SENSITIVE && kind != RH_T_ALIAS)
            return t;
        t = rh_datatype_inner(t, 0);
    }
    return NULL;
}

/* The one member of a Variant that is a container of the value's kind. */
static const struct rh_datatype *
only_member(const struct rh_datatype *t, const struct rh_value *v)
{
    const struct rh_datatype *only = NULL;

    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *member = unwrap(rh_datatype_inner(t, i));
        enum rh_datatype_kind kind = member ? rh_datatype_kind(member) : RH_T_ANY;
        bool fits = v->kind == RH_ARRAY ? kind == RH_T_ARRAY || kind == RH_T_TUPLE
                                        : kind == RH_T_HASH || kind == RH_T_STRUCT;

        if (fits && only)
            return NULL;
        if (fits)
            only = member;
    }
    return only;
}

struct rh_misfit
rh_misfit_find(const struct rh_datatype *t, const struct rh_value *v)
{
    struct rh_misfit m = { t, v };

    for (int depth = 0; depth < DEEPEST; depth++) {
        const struct rh_datatype *at = unwrap(m.type);
        struct rh_misfit deeper = m;

        if (at && rh_datatype_kind(at) == RH_T_VARIANT && rh_value_count(m.part))
            at = only_member(at, m.part);
        for (uint32_t i = 0; at && i < rh_value_count(m.part); i++) {
            const struct rh_value *part = rh_value_part(m.part, i);
            const struct rh_datatype *type = rh_datatype_within(at, m.part, i);

            if (type && !rh_datatype_match(type, part)) {
                deeper = (struct rh_misfit){ type, part };
                break;
            }
        }
        if (deeper.part == m.part)
            break;
        m = deeper;
    }
    return m;
}

/* Guesses. */

static bool
accepts_text(const struct rh_misfit *m, const char *text)
{
    struct rh_value v = *m->part;

    v.kind = RH_STRING;
    v.u.string = text;
    v.count = (uint32_t)strlen(text);
    return rh_datatype_match(m->type, &v);
}

static bool
accepts_integer(const struct rh_misfit *m, enum rh_kind kind, int64_t i)
{
    struct rh_value v = *m->part;

    v.kind = (uint8_t)kind;
    v.count = 0;
    if (kind == RH_FLOAT)
        v.u.real = (double)i;
    else
        v.u.integer = i;
    return rh_datatype_match(m->type, &v);
}

static char *
guess_boolean(const struct rh_misfit *m, const char *s)
{
    static const char *const words[] = { "no", "off", "n", "false", "0", "yes", "on", "y", "true", "1" };

    for (int i = 0; i < 10; i++)
        if (strcasecmp(s, words[i]) == 0 && accepts_integer(m, RH_BOOLEAN, i >= 5))
            return rh_printf("write %s (without quotes)", i >= 5 ? "true" : "false");
    return NULL;
}

static char *
guess_number(const struct rh_misfit *m, const char *s)
{
    size_t sign = *s == '-' || *s == '+', n = strspn(s + sign, "0123456789");

    if (!n || s[sign + n] || !accepts_integer(m, RH_INTEGER, 1))
        return NULL;
    if (n > 18)
        return rh_printf("it is out of range: integers have 64 bits");
    return rh_printf("write the number without quotes");
}

static void
suggest_words(const struct rh_datatype *t, struct rh_suggest *near, int depth)
{
    t = unwrap(t);
    if (!t || depth > DEEPEST)
        return;
    if (rh_datatype_kind(t) == RH_T_ENUM)
        for (size_t i = 0; i < rh_datatype_count(t); i++)
            rh_suggest_try(near, rh_datatype_key(t, i, NULL));
    else if (rh_datatype_kind(t) == RH_T_VARIANT)
        for (size_t i = 0; i < rh_datatype_count(t); i++)
            suggest_words(rh_datatype_inner(t, i), near, depth + 1);
}

/* A list where an element of it would do. */
static char *
guess_element(const struct rh_misfit *m)
{
    for (size_t i = 0; i < rh_value_count(m->part); i++)
        if (!rh_datatype_match(m->type, rh_value_at(m->part, i)))
            return NULL;
    return rh_value_count(m->part)
               ? rh_printf("each element of this list is valid alone: remove one level of brackets")
               : NULL;
}

/* The words of a text as a list of YAML. What a plain word cannot begin with is quoted. */
static char *
list_of_words(const char *s)
{
    const char *between = "";
    struct rh_buf b = { 0 };

    rh_buf_add(&b, "write a list: [");
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        size_t length = strcspn(s, " ");
        const char *quote = strchr("%@`&*!|>?-", *s) && (*s != '-' || length == 1) ? "\"" : "";

        rh_buf_addf(&b, "%s%s%.*s%s", between, quote, (int)length, s, quote);
        between = ", ";
        s += length;
    }
    rh_buf_addc(&b, ']');
    return rh_buf_take(&b);
}

/* A text where a list of texts would do. */
static char *
guess_list(const struct rh_misfit *m)
{
    const char *s = m->part->u.string;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    rh_value_append(list, rh_value_string(a, "word"));
    if (!rh_datatype_match(m->type, list))
        return NULL;
    if (s[strcspn(s, "[]{}\"':#$\\\t\n")] || !*s)
        return rh_printf("write a list: [a, b]");
    if (strchr(s, ','))
        return rh_printf("write a list: [%s]", s);
    return list_of_words(s);
}

static char *
guess_text(const struct rh_misfit *m)
{
    const char *s = m->part->u.string;
    char *hint = guess_boolean(m, s);
    struct rh_suggest near;

    if (!hint)
        hint = guess_number(m, s);
    if (hint)
        return hint;
    if (strstr(s, "{{") && strstr(s, "}}"))
        return rh_printf("an expression is written ${...}, not {{...}}");
    rh_suggest_init(&near, s);
    suggest_words(m->type, &near, 0);
    return near.best ? rh_did_you_mean(near.best, NULL) : guess_list(m);
}

/* "too short: 3 of at least 16 characters" */
static char *
length_text(const char *what, const char *least, size_t has, size_t limit, bool secret)
{
    const char *characters = limit == 1 ? "character" : "characters";

    return secret ? rh_printf("%s: %s %zu %s", what, least, limit, characters)
                  : rh_printf("%s: %zu of %s %zu %s", what, has, least, limit, characters);
}

char *
rh_misfit_length(const struct rh_misfit *m, bool secret)
{
    const struct rh_datatype *t = m->part && m->part->kind == RH_STRING ? unwrap(m->type) : NULL;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf tried = { 0 };
    size_t n, has, least = SIZE_MAX;

    if (!t || rh_datatype_kind(t) != RH_T_STRING)
        return NULL;
    has = rh_utf8_count(m->part->u.string, m->part->count);
    for (n = 0; n <= LONGEST_TRIED; n++) {
        if (rh_datatype_match(t, rh_value_string(a, rh_buf_text(&tried))))
            least = least == SIZE_MAX ? n : least;
        else if (least != SIZE_MAX)
            break;
        if (least != SIZE_MAX && least > has)
            break;
        rh_buf_addc(&tried, 'x');
    }
    if (least == SIZE_MAX || n > LONGEST_TRIED)
        return NULL;
    if (least > has)
        return length_text("too short", "at least", has, least, secret);
    return length_text("too long", "at most", has, n - 1, secret);
}

char *
rh_misfit_text(const struct rh_misfit *m)
{
    rh_autobuf struct rh_buf text = { 0 };

    if (!m->part || rh_value_sensitive(m->part)
        || (m->part->kind != RH_INTEGER && m->part->kind != RH_FLOAT && m->part->kind != RH_BOOLEAN))
        return NULL;
    rh_value_show(&text, m->part, 0);
    return accepts_text(m, rh_buf_text(&text)) ? rh_buf_take(&text) : NULL;
}

char *
rh_misfit_hint(const struct rh_misfit *m)
{
    if (!m->part || rh_value_sensitive(m->part))
        return NULL;
    switch (m->part->kind) {
    case RH_STRING:
        return guess_text(m);
    case RH_INTEGER:
        if (accepts_integer(m, RH_FLOAT, m->part->u.integer))
            return rh_printf("write it with a point: %lld.0", (long long)m->part->u.integer);
        return guess_boolean(m, m->part->u.integer == 0 ? "0" : m->part->u.integer == 1 ? "1" : "");
    case RH_BOOLEAN:
        if (accepts_text(m, m->part->u.integer ? "yes" : "no"))
            return rh_printf("write '%s'", m->part->u.integer ? "yes" : "no");
        return NULL;
    case RH_UNDEF:
        if (accepts_text(m, "null"))
            return rh_printf("remove the line, or quote it as text: \"\", \"null\"");
        return rh_printf("remove the line to leave the attribute unset");
    case RH_ARRAY:
        return guess_element(m);
    default:
        return NULL;
    }
}
