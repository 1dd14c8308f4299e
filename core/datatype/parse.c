/* SPDX-License-Identifier: Apache-2.0 */
/* parse - from type text to a tree. */
#include "config.h"

#include "datatype/parse.h"

#include "datatype/datatype.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* What a person writes stays far below; what a fuzzer writes must not exhaust the stack. */
enum { MAX_DEPTH = 64, MAX_TEXT = 1 << 16, LONGEST_NAME = 40 };

struct list {
    struct rh_param *v; /* heap */
    size_t n, cap;
};

static void
list_free(struct list *l)
{
    free(l->v);
}

static int parse_param(struct rh_parser *p, struct rh_param *param);

static int
next(struct rh_parser *p)
{
    p->end = p->token.end;
    return rh_lexer_next(&p->lexer, &p->token);
}

static bool
at_char(const struct rh_parser *p, char c)
{
    return p->token.kind == RH_TOK_CHAR && p->token.integer == c;
}

static int
unexpected(struct rh_parser *p, const char *wanted)
{
    return rh_lexer_fail(&p->lexer, p->token.at, "expected %s, found %s", wanted,
                         rh_token_name(&p->lexer, &p->token));
}

static struct rh_param *
list_add(struct list *l)
{
    l->v = rh_xgrow(l->v, &l->cap, l->n, sizeof *l->v);
    l->v[l->n] = (struct rh_param){ 0 };
    return &l->v[l->n++];
}

/* Moves what was gathered into the arena. */
static void
list_keep(struct rh_parser *p, const struct list *l, struct rh_param **items, size_t *count)
{
    *count = l->n;
    *items = rh_arena_alloc(p->lexer.arena, rh_xmul(l->n, sizeof **items));
    if (l->n)
        memcpy(*items, l->v, l->n * sizeof **items);
}

/* key => value, key => value; up to, not including, `close`. The first key is read already when
 * `first` is given. */
static int
parse_entries(struct rh_parser *p, char close, const struct rh_param *first, struct rh_param *hash)
{
    __attribute__((cleanup(list_free))) struct list l = { 0 };

    while (first || !at_char(p, close)) {
        if (first)
            *list_add(&l) = *first;
        else if (parse_param(p, list_add(&l)) < 0)
            return -1;
        first = NULL;
        if (p->token.kind != RH_TOK_ARROW)
            return unexpected(p, "'=>'");
        if (next(p) < 0 || parse_param(p, list_add(&l)) < 0)
            return -1;
        if (!at_char(p, ','))
            break;
        if (next(p) < 0)
            return -1;
    }
    hash->kind = RH_P_HASH;
    list_keep(p, &l, &hash->items, &hash->count);
    return 0;
}

static int
close_with(struct rh_parser *p, char close)
{
    char wanted[] = { '\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', close, '\'', '\0' };

    if (!at_char(p, close))
        return unexpected(p, wanted);
    return next(p);
}

/* Behind '[': parameters, up to and with ']'. */
static int
parse_list(struct rh_parser *p, struct rh_param **items, size_t *count)
{
    __attribute__((cleanup(list_free))) struct list l = { 0 };

    if (at_char(p, ']'))
        return unexpected(p, "a parameter");
    while (!at_char(p, ']')) {
        if (parse_param(p, list_add(&l)) < 0)
            return -1;
        if (p->token.kind == RH_TOK_ARROW) { /* Struct[a => Integer], without braces */
            struct rh_param first = l.v[l.n - 1];

            if (parse_entries(p, ']', &first, &l.v[l.n - 1]) < 0)
                return -1;
            break;
        }
        if (!at_char(p, ','))
            break;
        if (next(p) < 0)
            return -1;
    }
    if (close_with(p, ']') < 0)
        return -1;
    list_keep(p, &l, items, count);
    return 0;
}

static const struct rh_datatype *
parse_type(struct rh_parser *p)
{
    struct rh_token name = p->token;
    const struct rh_datatype *t;
    struct rh_param *params;
    size_t n;

    if (name.kind != RH_TOK_TYPE) {
        (void)unexpected(p, "a data type, like String");
        return NULL;
    }
    if (next(p) < 0)
        return NULL;
    if (!at_char(p, '['))
        return rh_parse_name(p, name.text, name.at);
    if (++p->depth > MAX_DEPTH) {
        (void)rh_lexer_fail(&p->lexer, p->token.at, "types are nested too deeply here");
        return NULL;
    }
    p->words = strcmp(name.text, "Enum") == 0;
    if (next(p) < 0 || parse_list(p, &params, &n) < 0)
        return NULL;
    p->words = false;
    t = rh_parse_params(p, name.text, name.at, params, n);
    p->depth--;
    return t;
}

static int
parse_number(struct rh_parser *p, struct rh_param *param)
{
    bool minus = at_char(p, '-');

    if (minus && next(p) < 0)
        return -1;
    if (p->token.kind == RH_TOK_INTEGER) {
        param->kind = RH_P_INTEGER;
        param->integer = minus ? -p->token.integer : p->token.integer;
    } else if (p->token.kind == RH_TOK_FLOAT) {
        param->kind = RH_P_FLOAT;
        param->real = minus ? -p->token.real : p->token.real;
    } else {
        return unexpected(p, "a number");
    }
    return next(p);
}

static int
parse_word(struct rh_parser *p, struct rh_param *param)
{
    const char *word = p->token.text;

    if (strcmp(word, "default") == 0) {
        param->kind = RH_P_DEFAULT;
    } else if (strcmp(word, "undef") == 0) {
        param->kind = RH_P_UNDEF;
    } else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        param->kind = RH_P_BOOLEAN;
        param->integer = word[0] == 't';
    } else {
        param->kind = RH_P_STRING;
        param->text = (struct rh_word){ word, p->token.n };
    }
    return next(p);
}

static int
parse_nested(struct rh_parser *p, struct rh_param *param)
{
    bool list = at_char(p, '[');

    if (++p->depth > MAX_DEPTH)
        return rh_lexer_fail(&p->lexer, p->token.at, "types are nested too deeply here");
    if (next(p) < 0)
        return -1;
    if (list) {
        param->kind = RH_P_LIST;
        if (at_char(p, ']')) {
            if (next(p) < 0)
                return -1;
        } else if (parse_list(p, &param->items, &param->count) < 0) {
            return -1;
        }
    } else if (parse_entries(p, '}', NULL, param) < 0 || close_with(p, '}') < 0) {
        return -1;
    }
    p->depth--;
    return 0;
}

static int
read_param(struct rh_parser *p, struct rh_param *param)
{
    switch (p->token.kind) {
    case RH_TOK_TYPE:
        if (p->words)
            return rh_lexer_fail(&p->lexer, p->token.at,
                                 "Enum takes words: one that starts with a capital needs quotes");
        param->kind = RH_P_TYPE;
        param->type = parse_type(p);
        return param->type ? 0 : -1;
    case RH_TOK_WORD:
        return parse_word(p, param);
    case RH_TOK_STRING:
    case RH_TOK_REGEX:
        param->kind = p->token.kind == RH_TOK_STRING ? RH_P_STRING : RH_P_REGEX;
        param->text = (struct rh_word){ p->token.text, p->token.n };
        return next(p);
    case RH_TOK_INTEGER:
    case RH_TOK_FLOAT:
        return parse_number(p, param);
    case RH_TOK_CHAR:
        if (at_char(p, '-'))
            return parse_number(p, param);
        if (at_char(p, '[') || at_char(p, '{'))
            return parse_nested(p, param);
        break;
    default:
        break;
    }
    return unexpected(p, "a parameter");
}

static int
parse_param(struct rh_parser *p, struct rh_param *param)
{
    size_t at = p->token.at, n;

    if (read_param(p, param) < 0)
        return -1;
    n = p->end - at;
    param->at = at;
    param->name = rh_arena_printf(p->lexer.arena, n > LONGEST_NAME ? "'%.*s...'" : "'%.*s'",
                                  (int)(n > LONGEST_NAME ? LONGEST_NAME : n), p->lexer.text + at);
    return 0;
}

const struct rh_datatype *
rh_datatype_parse(struct rh_arena *a, const struct rh_aliases *aliases, const char *text,
                  struct rh_error *err)
{
    struct rh_parser p = { .lexer = { .arena = a, .text = text, .n = strlen(text), .err = err },
                           .aliases = aliases };
    const struct rh_datatype *t;

    if (p.lexer.n > MAX_TEXT) {
        (void)rh_lexer_fail(&p.lexer, 0, "the text of the data type is too long");
        return NULL;
    }
    if (!rh_utf8_valid(text, p.lexer.n)) {
        size_t at = 0;

        while (rh_utf8_length(text + at, p.lexer.n - at))
            at += rh_utf8_length(text + at, p.lexer.n - at);
        (void)rh_lexer_fail(&p.lexer, at, "the text of the data type is not UTF-8");
        return NULL;
    }
    if (next(&p) < 0)
        return NULL;
    t = parse_type(&p);
    if (t && p.token.kind != RH_TOK_END) {
        (void)unexpected(&p, "the end of the text");
        return NULL;
    }
    return t;
}
