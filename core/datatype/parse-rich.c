/* SPDX-License-Identifier: Apache-2.0 */
/* parse-rich - what stands in the brackets behind patterns, times, versions, URIs, and types that
 * are known by name only. */
#include "config.h"

#include "datatype/parse.h"

#include "datatype/print.h"
#include "datatype/regex.h"
#include "datatype/uri.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* Where within the type text byte `at` of a pattern stands is only known to the byte when nothing
 * was escaped before it; good enough to point at. */
static const struct rh_regex *
compile(const struct rh_type_call *c, const struct rh_param *v)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_regex *r = rh_regex_new(rh_call_arena(c), v->text.s, v->text.n, &err);

    if (!r && rh_lexer_fail(&c->p->lexer, v->at + 1 + err.at, "%s", err.message) < 0 && c->p->lexer.err)
        c->p->lexer.err->code = rh_error_code(&err);
    return r;
}

int
rh_fill_regexes(struct rh_type_call *c)
{
    const struct rh_regex **r = rh_arena_alloc(rh_call_arena(c), rh_xmul(c->n, sizeof(void *)));

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].kind == RH_P_TYPE && c->t->kind == RH_T_PATTERN
            && (c->v[i].type->kind == RH_T_REGEXP || c->v[i].type->kind == RH_T_PATTERN)
            && c->v[i].type->count == 1) {
            r[i] = c->v[i].type->u.regexes[0];
            continue;
        }
        if (c->v[i].kind != RH_P_REGEX && c->v[i].kind != RH_P_STRING)
            return rh_call_refuse(c, &c->v[i], "a pattern, like /^[a-z]+$/,");
        r[i] = compile(c, &c->v[i]);
        if (!r[i])
            return -1;
    }
    c->t->count = (uint32_t)c->n;
    c->t->u.regexes = r;
    return 0;
}

static int
instant(const struct rh_type_call *c, const struct rh_param *v, struct rh_instant *t)
{
    bool span = c->t->kind == RH_T_TIMESPAN;

    if (v->kind == RH_P_DEFAULT)
        return 0;
    if (v->kind == RH_P_INTEGER) {
        *t = (struct rh_instant){ v->integer, 0 };
        return 0;
    }
    if (v->kind == RH_P_FLOAT && rh_instant_from_seconds(v->real, t))
        return 0;
    if (v->kind == RH_P_STRING && (span ? rh_timespan_parse : rh_timestamp_parse)(v->text.s, v->text.n, t))
        return 0;
    return rh_call_refuse(c, v,
                          span ? "a time span, like '1-02:03:04' or seconds,"
                               : "a point in time, like '2020-01-02 03:04:05',");
}

int
rh_fill_time(struct rh_type_call *c)
{
    struct rh_instant bound[2] = { { INT64_MIN, 0 }, { INT64_MAX, 0 } };

    for (size_t i = 0; i < c->n; i++)
        if (instant(c, &c->v[i], &bound[i]) < 0)
            return -1;
    if (rh_instant_compare(bound[0], bound[1]) > 0)
        return rh_call_refuse_bounds(c, c->v);
    c->t->u.time.min = bound[0];
    c->t->u.time.max = bound[1];
    return 0;
}

int
rh_fill_semver(struct rh_type_call *c)
{
    struct rh_semver_range *r = rh_arena_alloc(rh_call_arena(c), rh_xmul(c->n, sizeof *r));

    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].kind != RH_P_STRING || !rh_semver_range_parse(rh_call_arena(c), c->v[i].text.s, &r[i]))
            return rh_call_refuse(c, &c->v[i], "a version range, like '>=1.2.0 <2.0.0' or '1.x',");
    c->t->count = (uint32_t)c->n;
    c->t->u.versions = r;
    return 0;
}

static int
uri_part(const struct rh_type_call *c, const struct rh_param *key, const struct rh_param *v,
         struct rh_uri_part *part)
{
    int number = key->kind == RH_P_STRING ? rh_uri_component(key->text.s) : -1;

    if (number < 0)
        return rh_call_refuse(c, key, "scheme, userinfo, host, port, path, query, fragment or opaque");
    part->part = (uint8_t)number;
    if (v->kind == RH_P_REGEX) {
        part->regex = compile(c, v);
        return part->regex ? 0 : -1;
    }
    if (v->kind == RH_P_TYPE) {
        part->type = v->type;
        return 0;
    }
    if (v->kind == RH_P_INTEGER && v->integer >= 0) {
        part->word.s = rh_arena_printf(rh_call_arena(c), "%lld", (long long)v->integer);
        part->word.n = strlen(part->word.s);
        return 0;
    }
    if (v->kind != RH_P_STRING)
        return rh_call_refuse(c, v, "a string, a pattern or a data type");
    part->word = v->text;
    return 0;
}

int
rh_fill_uri(struct rh_type_call *c)
{
    const struct rh_param *v = &c->v[0];
    struct rh_uri_part *parts = rh_arena_alloc(rh_call_arena(c), RH_URI_PARTS * sizeof *parts);

    if (v->kind == RH_P_STRING) {
        struct rh_uri uri;

        if (!rh_uri_parse(v->text.s, v->text.n, &uri))
            return rh_call_refuse(c, v, "a URI, like 'https://example.com/',");
        c->t->count = (uint32_t)rh_uri_to_parts(rh_call_arena(c), &uri, parts);
    } else if (v->kind == RH_P_HASH && v->count / 2 <= RH_URI_PARTS) {
        for (size_t i = 0; i < v->count / 2; i++)
            if (uri_part(c, &v->items[2 * i], &v->items[2 * i + 1], &parts[i]) < 0)
                return -1;
        c->t->count = (uint32_t)(v->count / 2);
    } else {
        return rh_call_refuse(c, v, "a URI or its parts in braces");
    }
    c->t->u.parts = parts;
    return 0;
}

static void
add_param(struct rh_buf *b, const struct rh_param *v)
{
    switch (v->kind) {
    case RH_P_TYPE:
        rh_datatype_print(v->type, b);
        return;
    case RH_P_STRING:
        rh_print_word(b, v->text);
        return;
    case RH_P_REGEX:
        rh_print_regex(b, v->text.s, v->text.n);
        return;
    case RH_P_INTEGER:
        rh_buf_addf(b, "%lld", (long long)v->integer);
        return;
    case RH_P_FLOAT:
        rh_print_float(b, v->real);
        return;
    case RH_P_BOOLEAN:
        rh_buf_add(b, v->integer ? "true" : "false");
        return;
    case RH_P_DEFAULT:
        rh_buf_add(b, "default");
        return;
    case RH_P_UNDEF:
        rh_buf_add(b, "undef");
        return;
    case RH_P_HASH:
    case RH_P_LIST:
        rh_buf_addc(b, v->kind == RH_P_HASH ? '{' : '[');
        for (size_t i = 0; i < v->count; i++) {
            if (i)
                rh_buf_add(b, v->kind == RH_P_HASH && i % 2 ? " => " : ", ");
            add_param(b, &v->items[i]);
        }
        rh_buf_addc(b, v->kind == RH_P_HASH ? '}' : ']');
        return;
    }
}

/* Types that we know by name only keep their parameters as text. */
int
rh_fill_named(struct rh_type_call *c)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (size_t i = 0; i < c->n; i++) {
        if (i)
            rh_buf_add(&b, ", ");
        add_param(&b, &c->v[i]);
    }
    c->t->u.named.params = rh_arena_strndup(rh_call_arena(c), rh_buf_text(&b), b.n);
    return 0;
}
