/* SPDX-License-Identifier: Apache-2.0 */
/* parse-names - the names of types, and how many parameters each takes. */
#include "config.h"

#include "datatype/parse.h"

#include "datatype/alias.h"

#include "base/suggest.h"

#include <string.h>
#include <strings.h>

struct rule {
    const char *name;
    enum rh_datatype_kind kind;
    unsigned least, most; /* parameters in brackets; most 0: takes none */
    int (*fill)(struct rh_type_call *c);
};

enum { MANY = 1 << 20 };

static const struct rule rules[] = {
    { "Any", RH_T_ANY, 0, 0, NULL },
    { "Array", RH_T_ARRAY, 1, 3, rh_fill_array },
    { "Binary", RH_T_BINARY, 0, 0, NULL },
    { "Boolean", RH_T_BOOLEAN, 1, 1, rh_fill_boolean },
    { "Collection", RH_T_COLLECTION, 1, 2, rh_fill_size },
    { "Data", RH_T_DATA, 0, 0, NULL },
    { "Default", RH_T_DEFAULT, 0, 0, NULL },
    { "Enum", RH_T_ENUM, 1, MANY, rh_fill_enum },
    { "Float", RH_T_FLOAT, 1, 2, rh_fill_float },
    { "Hash", RH_T_HASH, 1, 4, rh_fill_hash },
    { "Integer", RH_T_INTEGER, 1, 2, rh_fill_integer },
    { "Iterable", RH_T_ITERABLE, 1, 1, rh_fill_inner },
    { "NotUndef", RH_T_NOT_UNDEF, 1, 1, rh_fill_inner_or_word },
    { "Numeric", RH_T_NUMERIC, 0, 0, NULL },
    { "Optional", RH_T_OPTIONAL, 1, 1, rh_fill_inner_or_word },
    { "Pattern", RH_T_PATTERN, 1, MANY, rh_fill_regexes },
    { "Regexp", RH_T_REGEXP, 1, 1, rh_fill_regexes },
    { "RichData", RH_T_RICH_DATA, 0, 0, NULL },
    { "RichDataKey", RH_T_ALIAS, 0, 0, NULL },
    { "Scalar", RH_T_SCALAR, 0, 0, NULL },
    { "ScalarData", RH_T_SCALAR_DATA, 0, 0, NULL },
    { "SemVer", RH_T_SEMVER, 1, MANY, rh_fill_semver },
    { "SemVerRange", RH_T_SEMVER_RANGE, 0, 0, NULL },
    { "Sensitive", RH_T_SENSITIVE, 1, 1, rh_fill_inner },
    { "String", RH_T_STRING, 1, 2, rh_fill_size },
    { "Struct", RH_T_STRUCT, 1, 1, rh_fill_struct },
    { "Timespan", RH_T_TIMESPAN, 1, 2, rh_fill_time },
    { "Timestamp", RH_T_TIMESTAMP, 1, 2, rh_fill_time },
    { "Tuple", RH_T_TUPLE, 1, MANY, rh_fill_tuple },
    { "Type", RH_T_TYPE, 1, 1, rh_fill_inner },
    { "URI", RH_T_URI, 1, 1, rh_fill_uri },
    { "Undef", RH_T_UNDEF, 0, 0, NULL },
    { "Variant", RH_T_VARIANT, 1, MANY, rh_fill_variant },
    /* By name only. */
    { "Callable", RH_T_NAMED, 1, MANY, rh_fill_named },
    { "CatalogEntry", RH_T_NAMED, 0, 0, NULL },
    { "Class", RH_T_NAMED, 1, 1, rh_fill_named },
    { "Deferred", RH_T_NAMED, 0, 0, NULL },
    { "Error", RH_T_NAMED, 1, 2, rh_fill_named },
    { "Init", RH_T_NAMED, 1, MANY, rh_fill_named },
    { "Iterator", RH_T_NAMED, 1, 1, rh_fill_named },
    { "Object", RH_T_NAMED, 1, 1, rh_fill_named },
    { "Resource", RH_T_NAMED, 1, MANY, rh_fill_named },
    { "Runtime", RH_T_NAMED, 2, 2, rh_fill_named },
    { "TypeSet", RH_T_NAMED, 1, 1, rh_fill_named },
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

static void
unknown(struct rh_parser *p, const char *name, size_t at)
{
    struct rh_suggest s;

    rh_suggest_init(&s, name);
    for (size_t i = 0; i < N_RULES; i++)
        rh_suggest_try(&s, rules[i].name);
    rh_aliases_suggest(p->aliases, &s);
    if (s.best)
        rh_lexer_fail(&p->lexer, at, "unknown data type '%s' (did you mean '%s'?)", name, s.best);
    else
        rh_lexer_fail(&p->lexer, at, "unknown data type '%s'", name);
}

const struct rh_datatype *
rh_parse_name(struct rh_parser *p, const char *name, size_t at)
{
    const struct rule *rule = find_rule(name);
    struct rh_datatype *t;

    if (!rule) {
        const struct rh_alias *alias = rh_aliases_find(p->aliases, name);

        if (!alias) {
            unknown(p, name, at);
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

static void
wrong_number(struct rh_parser *p, const struct rule *rule, size_t at, size_t n)
{
    if (!rule->most)
        rh_lexer_fail(&p->lexer, at, "%s takes no parameters", rule->name);
    else if (rule->least == rule->most)
        rh_lexer_fail(&p->lexer, at, "%s takes %u parameter%s, not %zu", rule->name, rule->least,
                      rule->least == 1 ? "" : "s", n);
    else
        rh_lexer_fail(&p->lexer, at, "%s takes %u to %u parameters, not %zu", rule->name, rule->least,
                      rule->most, n);
}

const struct rh_datatype *
rh_parse_params(struct rh_parser *p, const char *name, size_t at, const struct rh_param *params, size_t n)
{
    const struct rule *rule = find_rule(name);
    struct rh_type_call c = { .p = p, .at = at, .v = params, .n = n };

    if (!rule) {
        if (rh_aliases_find(p->aliases, name))
            (void)rh_lexer_fail(&p->lexer, at, "'%s' is an alias and takes no parameters", name);
        else
            unknown(p, name, at);
        return NULL;
    }
    if (n < rule->least || n > rule->most) {
        wrong_number(p, rule, at, n);
        return NULL;
    }
    c.name = rule->name;
    c.t = rh_type_bare(p->lexer.arena, rule->kind);
    if (rule->kind == RH_T_NAMED)
        c.t->u.named.name = rule->name;
    return rule->fill(&c) < 0 ? NULL : c.t;
}
