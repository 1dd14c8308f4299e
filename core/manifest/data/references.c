/* SPDX-License-Identifier: Apache-2.0 */
/* references - attributes that expressions plainly name: node.web.port, node["web"].port.
 *
 * What an expression makes up as it goes along is not seen here; it is evaluated when it is read. */
#include "config.h"

#include "manifest/data/parts.h"

#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/load.h"
#include "script/script.h"

#include <ctype.h>
#include <string.h>

static bool
is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *
skip_blanks(const char *s, const char *end)
{
    while (s < end && isspace((unsigned char)*s))
        s++;
    return s;
}

/* One more key of the path, if one stands here: where it ends; NULL when there is none. */
static const char *
take_key(struct rh_value *path, const char *s, const char *end)
{
    struct rh_arena *a = rh_value_arena(path);
    const char *from;

    s = skip_blanks(s, end);
    if (s < end && *s == '.') {
        s = from = skip_blanks(s + 1, end);
        while (s < end && is_name(*s))
            s++;
    } else if (s < end && *s == '[') {
        char quote;

        s = skip_blanks(s + 1, end);
        quote = s < end ? *s : '\0';
        if (quote != '"' && quote != '\'')
            return NULL;
        from = ++s;
        while (s < end && *s != quote && *s != '\\')
            s++;
        if (s == end || *s != quote)
            return NULL;
        rh_value_append(path, rh_value_stringn(a, from, (size_t)(s - from)));
        s = skip_blanks(s + 1, end);
        return s < end && *s == ']' ? s + 1 : NULL;
    } else {
        return NULL;
    }
    if (s == from)
        return NULL;
    rh_value_append(path, rh_value_stringn(a, from, (size_t)(s - from)));
    return s;
}

static void
in_expression(struct rh_load *load, const char *s, size_t n,
              void (*one)(void *to, const struct rh_value *path), void *to)
{
    const char *start = s, *end = s + n, *at;

    while ((at = memmem(s, (size_t)(end - s), "node", 4))) {
        struct rh_value *path;

        s = at + 4;
        if ((at > start && (is_name(at[-1]) || at[-1] == '.')) || (s < end && is_name(*s)))
            continue;
        path = rh_value_new(load->catalog->arena, RH_ARRAY);
        for (at = s; (at = take_key(path, at, end));)
            s = at;
        if (path->count)
            one(to, path);
    }
}

void
rh_data_references(struct rh_load *load, const struct rh_value *v,
                   void (*one)(void *to, const struct rh_value *path), void *to)
{
    const char *s, *end, *from;

    for (size_t i = 0; v->kind != RH_STRING && i < rh_value_count(v); i++)
        rh_data_references(load, rh_value_part(v, i), one, to);
    if (v->kind != RH_STRING)
        return;
    s = v->u.string;
    end = s + v->count;
    while ((from = memmem(s, (size_t)(end - s), "${", 2))) {
        size_t n = rh_script_expression_end(from + 2, (size_t)(end - from) - 2);

        if (n == SIZE_MAX)
            return;
        if (from == v->u.string || from[-1] != '$')
            in_expression(load, from + 2, n, one, to);
        s = from + 2 + n;
    }
}

bool
rh_data_overlap(const struct rh_value *a, const struct rh_value *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!rh_value_equal(rh_value_at(a, i), rh_value_at(b, i)))
            return false;
    return true;
}
