/* SPDX-License-Identifier: Apache-2.0 */
/* parse-params - what may stand in the brackets behind each type, and what it means. */
#include "config.h"

#include "datatype/parse.h"

#include "datatype/alias.h"
#include "datatype/normalize.h"
#include "datatype/print.h"
#include "datatype/regex.h"
#include "datatype/uri.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct call {
    struct rh_parser *p;
    const char *name;
    size_t at; /* of the name */
    const struct rh_param *v;
    size_t n;
    struct rh_datatype *t; /* to be filled */
};

struct rule {
    const char *name;
    enum rh_datatype_kind kind;
    unsigned least, most; /* parameters in brackets; most 0: takes none */
    int (*fill)(struct call *c);
};

enum { MANY = 1 << 20 };

static int
refuse(const struct call *c, const struct rh_param *v, const char *wanted)
{
    return rh_lexer_fail(&c->p->lexer, v->at, "%s takes %s here, not %s", c->name, wanted, v->name);
}

static struct rh_arena *
arena(const struct call *c)
{
    return c->p->lexer.arena;
}

static int
need_type(const struct call *c, size_t i)
{
    return c->v[i].kind == RH_P_TYPE ? 0 : refuse(c, &c->v[i], "a data type");
}

static bool
is_bound(const struct rh_param *v)
{
    return v->kind == RH_P_INTEGER || v->kind == RH_P_DEFAULT
           || (v->kind == RH_P_STRING && strcmp(v->text.s, "default") == 0);
}

static bool
is_integer_type(const struct rh_param *v)
{
    return v->kind == RH_P_TYPE && v->type->kind == RH_T_INTEGER;
}

static int
ordered(const struct call *c, size_t from)
{
    if (c->t->range.min <= c->t->range.max)
        return 0;
    return rh_lexer_fail(&c->p->lexer, c->v[from].at,
                         "%s has its lower bound %s above its upper bound %s", c->name,
                         c->v[from].name, c->v[from + 1].name);
}

/* The bounds from parameter `from` on, as whole numbers; sizes have 0 where values have no end. */
static int
fill_range(struct call *c, size_t from, bool size)
{
    size_t n = c->n - from;

    if (size && n == 1 && is_integer_type(&c->v[from])) {
        c->t->range = rh_size(c->v[from].type->range);
        if (c->t->range.max < 0)
            return refuse(c, &c->v[from], "a size");
        return 0;
    }
    if (n > 2)
        return refuse(c, &c->v[from + 2], "no more than two bounds");
    for (size_t i = from; i < c->n; i++)
        if (!is_bound(&c->v[i]))
            return refuse(c, &c->v[i], size ? "a size" : "a whole number or default");
    if (n && c->v[from].kind == RH_P_INTEGER)
        c->t->range.min = c->v[from].integer;
    if (n == 2 && c->v[from + 1].kind == RH_P_INTEGER)
        c->t->range.max = c->v[from + 1].integer;
    if (size)
        c->t->range = rh_size(c->t->range);
    return n == 2 ? ordered(c, from) : 0;
}

/* The size of an Array or Hash. Of an empty one the elements say nothing. */
static int
fill_elements_size(struct call *c, size_t from)
{
    if (fill_range(c, from, true) < 0)
        return -1;
    if (c->t->range.max == 0) {
        c->t->count = 0;
        c->t->u.inner[0] = c->t->u.inner[1] = NULL;
    }
    return 0;
}

static int
fill_size(struct call *c)
{
    return fill_range(c, 0, true);
}

static int
fill_integer(struct call *c)
{
    return fill_range(c, 0, false);
}

static int
fill_float(struct call *c)
{
    double bound[2] = { -DBL_MAX, DBL_MAX };

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].kind == RH_P_INTEGER)
            bound[i] = (double)c->v[i].integer;
        else if (c->v[i].kind == RH_P_FLOAT)
            bound[i] = c->v[i].real;
        else if (!is_bound(&c->v[i]))
            return refuse(c, &c->v[i], "a number or default");
    }
    if (bound[0] > bound[1])
        return rh_lexer_fail(&c->p->lexer, c->v[0].at,
                             "%s has its lower bound %s above its upper bound %s", c->name,
                             c->v[0].name, c->v[1].name);
    c->t->u.real.min = bound[0];
    c->t->u.real.max = bound[1];
    return 0;
}

static int
fill_boolean(struct call *c)
{
    if (c->v[0].kind != RH_P_BOOLEAN)
        return refuse(c, &c->v[0], "true or false");
    c->t->known = true;
    c->t->u.truth = c->v[0].integer != 0;
    return 0;
}

/* Optional, NotUndef, Sensitive, Type, Iterable. */
static int
fill_inner(struct call *c)
{
    if (need_type(c, 0) < 0)
        return -1;
    c->t->count = 1;
    c->t->u.inner[0] = c->v[0].type;
    return 0;
}

/* The same with a string allowed in place of the type: Optional['x'] is undef or exactly 'x'. */
static int
fill_inner_or_word(struct call *c)
{
    struct rh_datatype *literal;

    if (c->v[0].kind != RH_P_STRING)
        return fill_inner(c);
    literal = rh_type_new(arena(c), RH_T_STRING);
    literal->u.literal = c->v[0].text;
    c->t->count = 1;
    c->t->u.inner[0] = literal;
    return 0;
}

static int
fill_array(struct call *c)
{
    bool typed = c->v[0].kind == RH_P_TYPE;

    if (!typed && !is_bound(&c->v[0]))
        return need_type(c, 0);
    if (typed) {
        c->t->count = 1;
        c->t->u.inner[0] = c->v[0].type;
    }
    if (!typed && c->n > 2)
        return refuse(c, &c->v[0], "a data type");
    return c->n > typed ? fill_elements_size(c, typed) : 0;
}

static int
fill_hash(struct call *c)
{
    if (c->n <= 2 && is_bound(&c->v[0]))
        return fill_elements_size(c, 0);
    if (need_type(c, 0) < 0)
        return -1;
    if (c->n < 2)
        return rh_lexer_fail(&c->p->lexer, c->at,
                             "Hash takes a type for its keys and another one "
                             "for its values");
    if (need_type(c, 1) < 0)
        return -1;
    c->t->count = 2;
    c->t->u.inner[0] = c->v[0].type;
    c->t->u.inner[1] = c->v[1].type;
    return c->n > 2 ? fill_elements_size(c, 2) : 0;
}

static int
fill_members(struct call *c, size_t n)
{
    const struct rh_datatype **m = rh_arena_alloc(arena(c), rh_xmul(n + 1, sizeof(void *)));

    for (size_t i = 0; i < n; i++) {
        if (need_type(c, i) < 0)
            return -1;
        m[i] = c->v[i].type;
    }
    c->t->count = (uint32_t)n;
    c->t->u.members = m;
    return 0;
}

/* One that holds others is as good as all of them side by side. */
static int
fill_variant(struct call *c)
{
    if (fill_members(c, c->n) < 0)
        return -1;
    *c->t = *rh_variant_of(arena(c), c->t->u.members, c->n);
    return 0;
}

static int
fill_tuple(struct call *c)
{
    size_t bounds = 0;

    while (bounds < 2 && bounds < c->n && is_bound(&c->v[c->n - 1 - bounds]))
        bounds++;
    if (fill_members(c, c->n - bounds) < 0)
        return -1;
    return bounds ? fill_range(c, c->n - bounds, true) : 0;
}

static int
by_word(const void *a, const void *b)
{
    const struct rh_word *x = a, *y = b;
    int order = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);

    return order ? order : (x->n > y->n) - (x->n < y->n);
}

void
rh_type_set_words(struct rh_datatype *t, struct rh_word *words, size_t n)
{
    size_t kept = 0;

    if (n)
        qsort(words, n, sizeof *words, by_word);
    for (size_t i = 0; i < n; i++)
        if (!kept || by_word(&words[kept - 1], &words[i]) != 0)
            words[kept++] = words[i];
    t->count = (uint32_t)kept;
    t->u.words = words;
}

static int
fill_enum(struct call *c)
{
    size_t n = c->n;
    struct rh_word *words;

    if (c->v[n - 1].kind == RH_P_BOOLEAN) {
        c->t->fold = c->v[--n].integer != 0;
        if (!n)
            return refuse(c, &c->v[0], "a word");
    }
    words = rh_arena_alloc(arena(c), rh_xmul(n, sizeof *words));
    for (size_t i = 0; i < n; i++) {
        if (c->v[i].kind != RH_P_STRING)
            return refuse(c, &c->v[i], "a word or a quoted string");
        words[i] = c->v[i].text;
    }
    rh_type_set_words(c->t, words, n);
    return 0;
}

/* Where within the type text byte `at` of a pattern stands is only known to the byte when nothing
 * was escaped before it; good enough to point at. */
static const struct rh_regex *
compile(const struct call *c, const struct rh_param *v)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_regex *r = rh_regex_new(arena(c), v->text.s, v->text.n, &err);

    if (!r)
        (void)rh_lexer_fail(&c->p->lexer, v->at + 1 + err.at, "%s", err.message);
    return r;
}

static int
fill_regexes(struct call *c)
{
    const struct rh_regex **r = rh_arena_alloc(arena(c), rh_xmul(c->n, sizeof(void *)));

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].kind == RH_P_TYPE && c->t->kind == RH_T_PATTERN
            && (c->v[i].type->kind == RH_T_REGEXP || c->v[i].type->kind == RH_T_PATTERN)
            && c->v[i].type->count == 1) {
            r[i] = c->v[i].type->u.regexes[0];
            continue;
        }
        if (c->v[i].kind != RH_P_REGEX && c->v[i].kind != RH_P_STRING)
            return refuse(c, &c->v[i], "a pattern, like /^[a-z]+$/,");
        r[i] = compile(c, &c->v[i]);
        if (!r[i])
            return -1;
    }
    c->t->count = (uint32_t)c->n;
    c->t->u.regexes = r;
    return 0;
}

/* 'name', Optional['name'] or NotUndef['name']. */
static int
struct_key(const struct call *c, const struct rh_param *v, struct rh_member *m)
{
    m->presence = RH_KEY_PLAIN;
    if (v->kind == RH_P_STRING) {
        m->key = v->text;
    } else if (v->kind == RH_P_TYPE
               && (v->type->kind == RH_T_OPTIONAL || v->type->kind == RH_T_NOT_UNDEF)
               && v->type->u.inner[0] && v->type->u.inner[0]->kind == RH_T_STRING
               && v->type->u.inner[0]->u.literal.s) {
        m->key = v->type->u.inner[0]->u.literal;
        m->presence = v->type->kind == RH_T_OPTIONAL ? RH_KEY_OPTIONAL : RH_KEY_REQUIRED;
    } else {
        return refuse(c, v, "a key as 'name', Optional['name'] or NotUndef['name']");
    }
    if (!m->key.n)
        return rh_lexer_fail(&c->p->lexer, v->at, "a key of a Struct can't be empty");
    return 0;
}

static int
fill_struct(struct call *c)
{
    const struct rh_param *h = &c->v[0];
    struct rh_member *keys;

    if (h->kind != RH_P_HASH)
        return refuse(c, h, "keys with their types in braces");
    keys = rh_arena_alloc(arena(c), rh_xmul(h->count / 2 + 1, sizeof *keys));
    for (size_t i = 0; i < h->count / 2; i++) {
        const struct rh_param *type = &h->items[2 * i + 1];

        if (struct_key(c, &h->items[2 * i], &keys[i]) < 0)
            return -1;
        if (type->kind != RH_P_TYPE)
            return refuse(c, type, "a data type");
        keys[i].type = type->type;
        for (size_t j = 0; j < i; j++)
            if (by_word(&keys[i].key, &keys[j].key) == 0)
                return rh_lexer_fail(&c->p->lexer, h->items[2 * i].at, "key '%s' is given twice",
                                     keys[i].key.s);
    }
    c->t->count = (uint32_t)(h->count / 2);
    c->t->u.keys = keys;
    return 0;
}

static int
instant(const struct call *c, const struct rh_param *v, struct rh_instant *t)
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
    if (v->kind == RH_P_STRING
        && (span ? rh_timespan_parse : rh_timestamp_parse)(v->text.s, v->text.n, t))
        return 0;
    return refuse(c, v,
                  span ? "a time span, like '1-02:03:04' or seconds,"
                       : "a point in time, like '2020-01-02 03:04:05',");
}

static int
fill_time(struct call *c)
{
    struct rh_instant bound[2] = { { INT64_MIN, 0 }, { INT64_MAX, 0 } };

    for (size_t i = 0; i < c->n; i++)
        if (instant(c, &c->v[i], &bound[i]) < 0)
            return -1;
    if (rh_instant_compare(bound[0], bound[1]) > 0)
        return rh_lexer_fail(&c->p->lexer, c->v[0].at,
                             "%s has its lower bound %s above its upper bound %s", c->name,
                             c->v[0].name, c->v[1].name);
    c->t->u.time.min = bound[0];
    c->t->u.time.max = bound[1];
    return 0;
}

static int
fill_semver(struct call *c)
{
    struct rh_semver_range *r = rh_arena_alloc(arena(c), rh_xmul(c->n, sizeof *r));

    for (size_t i = 0; i < c->n; i++)
        if (c->v[i].kind != RH_P_STRING || !rh_semver_range_parse(arena(c), c->v[i].text.s, &r[i]))
            return refuse(c, &c->v[i], "a version range, like '>=1.2.0 <2.0.0' or '1.x',");
    c->t->count = (uint32_t)c->n;
    c->t->u.versions = r;
    return 0;
}

static int
uri_part(const struct call *c, const struct rh_param *key, const struct rh_param *v,
         struct rh_uri_part *part)
{
    int number = key->kind == RH_P_STRING ? rh_uri_component(key->text.s) : -1;

    if (number < 0)
        return refuse(c, key, "scheme, userinfo, host, port, path, query, fragment or opaque");
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
        part->word.s = rh_arena_printf(arena(c), "%lld", (long long)v->integer);
        part->word.n = strlen(part->word.s);
        return 0;
    }
    if (v->kind != RH_P_STRING || !v->text.n)
        return refuse(c, v, "a string, a pattern or a data type");
    part->word = v->text;
    return 0;
}

static int
fill_uri(struct call *c)
{
    const struct rh_param *v = &c->v[0];
    struct rh_uri_part *parts = rh_arena_alloc(arena(c), RH_URI_PARTS * sizeof *parts);

    if (v->kind == RH_P_STRING) {
        struct rh_uri uri;

        if (!rh_uri_parse(v->text.s, v->text.n, &uri))
            return refuse(c, v, "a URI, like 'https://example.com/',");
        c->t->count = (uint32_t)rh_uri_to_parts(arena(c), &uri, parts);
    } else if (v->kind == RH_P_HASH && v->count / 2 <= RH_URI_PARTS) {
        for (size_t i = 0; i < v->count / 2; i++)
            if (uri_part(c, &v->items[2 * i], &v->items[2 * i + 1], &parts[i]) < 0)
                return -1;
        c->t->count = (uint32_t)(v->count / 2);
    } else {
        return refuse(c, v, "a URI or its parts in braces");
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
static int
fill_named(struct call *c)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (size_t i = 0; i < c->n; i++) {
        if (i)
            rh_buf_add(&b, ", ");
        add_param(&b, &c->v[i]);
    }
    c->t->u.named.params = rh_arena_strndup(arena(c), rh_buf_text(&b), b.n);
    return 0;
}

static const struct rule rules[] = {
    { "Any", RH_T_ANY, 0, 0, NULL },
    { "Array", RH_T_ARRAY, 1, 3, fill_array },
    { "Binary", RH_T_BINARY, 0, 0, NULL },
    { "Boolean", RH_T_BOOLEAN, 1, 1, fill_boolean },
    { "Collection", RH_T_COLLECTION, 1, 2, fill_size },
    { "Data", RH_T_DATA, 0, 0, NULL },
    { "Default", RH_T_DEFAULT, 0, 0, NULL },
    { "Enum", RH_T_ENUM, 1, MANY, fill_enum },
    { "Float", RH_T_FLOAT, 1, 2, fill_float },
    { "Hash", RH_T_HASH, 1, 4, fill_hash },
    { "Integer", RH_T_INTEGER, 1, 2, fill_integer },
    { "Iterable", RH_T_ITERABLE, 1, 1, fill_inner },
    { "NotUndef", RH_T_NOT_UNDEF, 1, 1, fill_inner_or_word },
    { "Numeric", RH_T_NUMERIC, 0, 0, NULL },
    { "Optional", RH_T_OPTIONAL, 1, 1, fill_inner_or_word },
    { "Pattern", RH_T_PATTERN, 1, MANY, fill_regexes },
    { "Regexp", RH_T_REGEXP, 1, 1, fill_regexes },
    { "RichData", RH_T_RICH_DATA, 0, 0, NULL },
    { "RichDataKey", RH_T_ALIAS, 0, 0, NULL },
    { "Scalar", RH_T_SCALAR, 0, 0, NULL },
    { "ScalarData", RH_T_SCALAR_DATA, 0, 0, NULL },
    { "SemVer", RH_T_SEMVER, 1, MANY, fill_semver },
    { "SemVerRange", RH_T_SEMVER_RANGE, 0, 0, NULL },
    { "Sensitive", RH_T_SENSITIVE, 1, 1, fill_inner },
    { "String", RH_T_STRING, 1, 2, fill_size },
    { "Struct", RH_T_STRUCT, 1, 1, fill_struct },
    { "Timespan", RH_T_TIMESPAN, 1, 2, fill_time },
    { "Timestamp", RH_T_TIMESTAMP, 1, 2, fill_time },
    { "Tuple", RH_T_TUPLE, 1, MANY, fill_tuple },
    { "Type", RH_T_TYPE, 1, 1, fill_inner },
    { "URI", RH_T_URI, 1, 1, fill_uri },
    { "Undef", RH_T_UNDEF, 0, 0, NULL },
    { "Variant", RH_T_VARIANT, 1, MANY, fill_variant },
    /* By name only. */
    { "Callable", RH_T_NAMED, 1, MANY, fill_named },
    { "CatalogEntry", RH_T_NAMED, 0, 0, NULL },
    { "Class", RH_T_NAMED, 1, 1, fill_named },
    { "Deferred", RH_T_NAMED, 0, 0, NULL },
    { "Error", RH_T_NAMED, 1, 2, fill_named },
    { "Init", RH_T_NAMED, 1, MANY, fill_named },
    { "Iterator", RH_T_NAMED, 1, 1, fill_named },
    { "Object", RH_T_NAMED, 1, 1, fill_named },
    { "Resource", RH_T_NAMED, 1, MANY, fill_named },
    { "Runtime", RH_T_NAMED, 2, 2, fill_named },
    { "TypeSet", RH_T_NAMED, 1, 1, fill_named },
};

enum { N_RULES = sizeof rules / sizeof rules[0] };

static const struct rule *
find_rule(const char *name)
{
    for (size_t i = 0; i < N_RULES; i++)
        if (strcasecmp(rules[i].name, name) == 0)
            return &rules[i];
    return NULL;
}

bool
rh_type_is_builtin(const char *name)
{
    return find_rule(name) != NULL;
}

static int
unknown(struct rh_parser *p, const char *name, size_t at)
{
    struct rh_suggest s;

    rh_suggest_init(&s, name);
    for (size_t i = 0; i < N_RULES; i++)
        rh_suggest_try(&s, rules[i].name);
    rh_aliases_suggest(p->aliases, &s);
    if (s.best)
        return rh_lexer_fail(&p->lexer, at, "unknown data type '%s' (did you mean '%s'?)", name,
                             s.best);
    return rh_lexer_fail(&p->lexer, at, "unknown data type '%s'", name);
}

const struct rh_datatype *
rh_parse_name(struct rh_parser *p, const char *name, size_t at)
{
    const struct rule *rule = find_rule(name);
    struct rh_datatype *t;

    if (!rule) {
        const struct rh_alias *alias = rh_aliases_find(p->aliases, name);

        if (!alias) {
            (void)unknown(p, name, at);
            return NULL;
        }
        t = rh_type_new(p->lexer.arena, RH_T_ALIAS);
        t->u.alias = alias;
        return t;
    }
    if (rule->kind == RH_T_DATA)
        return &rh_type_data;
    if (rule->kind == RH_T_RICH_DATA)
        return &rh_type_rich_data;
    if (rule->kind == RH_T_ALIAS)
        return &rh_type_rich_data_key;
    t = rh_type_bare(p->lexer.arena, rule->kind);
    if (rule->kind == RH_T_NAMED)
        t->u.named.name = rule->name;
    return t;
}

static int
wrong_number(struct rh_parser *p, const struct rule *rule, size_t at, size_t n)
{
    if (!rule->most)
        return rh_lexer_fail(&p->lexer, at, "%s takes no parameters", rule->name);
    if (rule->least == rule->most)
        return rh_lexer_fail(&p->lexer, at, "%s takes %u parameter%s, not %zu", rule->name,
                             rule->least, rule->least == 1 ? "" : "s", n);
    return rh_lexer_fail(&p->lexer, at, "%s takes %u to %u parameters, not %zu", rule->name,
                         rule->least, rule->most, n);
}

const struct rh_datatype *
rh_parse_params(struct rh_parser *p, const char *name, size_t at, const struct rh_param *params,
                size_t n)
{
    const struct rule *rule = find_rule(name);
    struct call c = { .p = p, .at = at, .v = params, .n = n };

    if (!rule) {
        if (rh_aliases_find(p->aliases, name))
            (void)rh_lexer_fail(&p->lexer, at, "'%s' is an alias and takes no parameters", name);
        else
            (void)unknown(p, name, at);
        return NULL;
    }
    if (n < rule->least || n > rule->most) {
        (void)wrong_number(p, rule, at, n);
        return NULL;
    }
    c.name = rule->name;
    c.t = rh_type_bare(p->lexer.arena, rule->kind);
    if (rule->kind == RH_T_NAMED)
        c.t->u.named.name = rule->name;
    return rule->fill(&c) < 0 ? NULL : c.t;
}
