/* SPDX-License-Identifier: Apache-2.0 */
/* optional-find - where in a script stands what may be missing: default(ATTRIBUTE, OTHER), exists(ATTRIBUTE)
 * and ATTRIBUTE or OTHER. */
#include "config.h"

#include "script/optional.h"

#include "script/parts.h"
#include "script/template.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A call whose first argument has not ended yet. */
struct open_call {
    size_t brackets, blocks; /* that were open in front of the argument */
    size_t first, n;         /* insertions in front of it */
    bool dropped;            /* it can't be a function of its own */
};

struct finding {
    const char *text;
    size_t n;
    struct rh_insertion *v;
    size_t count, cap;
    struct open_call *open;
    size_t n_open, cap_open;
    size_t *ends; /* of paths in front of 'or' that have begun */
    size_t n_ends, cap_ends;
    size_t brackets, blocks; /* that are open */
    char before;             /* the last byte that is neither blank nor in a comment */
    bool declares;           /* the word before is 'function' */
    bool begins;             /* an operand of 'or' may begin here: nothing before it binds more */
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
is_the_word(const char *word, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && memcmp(*words, word, n) == 0)
            return true;
    return false;
}

static void
insert(struct finding *f, size_t at, const char *text)
{
    f->v = rh_xgrow(f->v, &f->cap, f->count, sizeof *f->v);
    f->v[f->count++] = (struct rh_insertion){ at, text };
}

/* The byte at or behind `at` that is neither blank nor in a comment; `n` where there is none. */
static size_t
skip_blank(const struct finding *f, size_t at)
{
    while (at < f->n && (isspace((unsigned char)f->text[at]) || f->text[at] == '-')) {
        size_t next = rh_script_skip(f->text, f->n, at);

        if (f->text[at] == '-' && (next == SIZE_MAX || next == at + 1))
            return at;
        at = next;
    }
    return at;
}

static bool
is_vararg(const struct finding *f, size_t at)
{
    return at + 3 <= f->n && memcmp(f->text + at, "...", 3) == 0;
}

enum { DEEPEST = 200 }; /* within one another, which is Lua's limit too */

/* The end of what is indexed by the bracket at `at`; SIZE_MAX when it is not closed, or has '...', which no
 * function of its own knows. */
static size_t
skip_index(const struct finding *f, size_t at)
{
    size_t depth = 0;

    while (at < f->n) {
        bool text = f->text[at] == '[' && rh_script_skip(f->text, f->n, at) != at + 1;

        if (f->text[at] == '[' && !text && ++depth > DEEPEST)
            break;
        if (f->text[at] == ']' && !--depth)
            return at + 1;
        if (is_vararg(f, at))
            break;
        at = rh_script_skip(f->text, f->n, at);
        if (at == SIZE_MAX)
            break;
    }
    return SIZE_MAX;
}

/* The end of `node.web["port"]`, and how many keys it has; SIZE_MAX when it has none. */
static size_t
skip_path(const struct finding *f, size_t at, size_t *keys)
{
    size_t end = at, n = 0;

    while (end < f->n && is_word(f->text[end]))
        end++;
    for (; end < f->n; n++) {
        if (end + 1 < f->n && f->text[end] == '.' && is_word(f->text[end + 1])) {
            for (end++; end < f->n && is_word(f->text[end]);)
                end++;
        } else if (f->text[end] == '[') {
            end = skip_index(f, end);
            if (end == SIZE_MAX)
                return SIZE_MAX;
        } else {
            break;
        }
    }
    if (keys)
        *keys = n;
    return end;
}

/* The end of `node.web["port"]`, when 'or' follows it; else 0. */
static size_t
find_path(const struct finding *f, size_t at)
{
    size_t keys = 0, end = skip_path(f, at, &keys);

    if (end == SIZE_MAX)
        return 0;
    at = skip_blank(f, end);
    return keys && at + 2 < f->n && memcmp(f->text + at, "or", 2) == 0 && !is_word(f->text[at + 2]) ? end : 0;
}

static size_t
take_word(struct finding *f, size_t at)
{
    static const char *const begin[] = { "return", "or",     "and",   "then",  "else", "do",
                                         "if",     "elseif", "while", "until", NULL };
    static const char *const ours[] = { "default", "exists", NULL };
    static const char *const opens[] = { "function", "if", "do", "repeat", NULL };
    static const char *const closes[] = { "end", "until", NULL };
    const char *word = f->text + at;
    size_t n = 0, arguments, end;
    bool begins = f->begins;
    bool field = f->before == '.' || f->before == ':';

    while (at + n < f->n && is_word(word[n]))
        n++;
    f->begins = is_the_word(word, n, begin);
    if (begins && !field && (end = find_path(f, at))) {
        insert(f, at, RH_OPTIONAL_PATH "(function() return ");
        f->ends = rh_xgrow(f->ends, &f->cap_ends, f->n_ends, sizeof *f->ends);
        f->ends[f->n_ends++] = end;
        f->before = word[n - 1];
        return at + n;
    }
    if (!field && is_the_word(word, n, opens))
        f->blocks++;
    else if (!field && is_the_word(word, n, closes) && f->blocks)
        f->blocks--;
    else if (!field && !f->declares && is_the_word(word, n, ours)
             && (arguments = skip_blank(f, at + n)) < f->n && f->text[arguments] == '(') {
        f->brackets++;
        insert(f, at, RH_OPTIONAL_CALLED "(");
        insert(f, at + n, ")");
        insert(f, arguments + 1, "function() return ");
        f->open = rh_xgrow(f->open, &f->cap_open, f->n_open, sizeof *f->open);
        f->open[f->n_open++] =
            (struct open_call){ .brackets = f->brackets, .blocks = f->blocks, .first = f->count - 3, .n = 3 };
        f->before = '(';
        f->declares = false;
        f->begins = true;
        return arguments + 1;
    }
    f->declares = n == 8 && memcmp(word, "function", n) == 0;
    f->before = word[n - 1];
    return at + n;
}

/* The first argument ends at a comma, or at the end of all arguments, that are in nothing else. */
static void
take_mark(struct finding *f, size_t at)
{
    char c = f->text[at];
    const struct open_call *call = f->n_open ? &f->open[f->n_open - 1] : NULL;

    if (call && (c == ',' || c == ')') && f->brackets == call->brackets && f->blocks == call->blocks) {
        if (!call->dropped)
            insert(f, at, " end");
        f->n_open--;
    }
    if (strchr("([{", c))
        f->brackets++;
    else if (strchr(")]}", c) && f->brackets)
        f->brackets--;
}

/* The calls whose first argument has this '...' stay as they are. */
static void
drop_calls(struct finding *f)
{
    for (size_t i = f->n_open; i && f->open[i - 1].blocks == f->blocks; i--) {
        struct open_call *call = &f->open[i - 1];

        for (size_t k = 0; k < call->n; k++)
            f->v[call->first + k].text = NULL;
        call->dropped = true;
    }
}

static void
compact(struct finding *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->count; i++)
        if (f->v[i].text)
            f->v[n++] = f->v[i];
    f->count = n;
}

struct rh_insertion *
rh_optional_find(const char *text, size_t n, size_t *count)
{
    struct finding f = { .text = text, .n = n, .begins = true };

    *count = 0;
    if (!memmem(text, n, "default", 7) && !memmem(text, n, "exists", 6) && !memmem(text, n, "or", 2))
        return NULL;
    for (size_t at = 0, next; at < n; at = next) {
        for (; f.n_ends && f.ends[f.n_ends - 1] <= at; f.n_ends--)
            insert(&f, at, " end)");
        if (isalpha((unsigned char)text[at]) || text[at] == '_') {
            next = take_word(&f, at);
            continue;
        }
        next = rh_script_skip(text, n, at);
        if (isdigit((unsigned char)text[at]))
            while (next < n && is_word(text[next]))
                next++;
        if (next == SIZE_MAX)
            break; /* loading says what is wrong */
        if (is_vararg(&f, at)) {
            drop_calls(&f);
            next = at + 3;
        } else if (next == at + 1 && text[at] == '.' && at + 1 < n && text[at + 1] == '.') {
            next = at + 2; /* what follows is no field */
            f.before = '+';
            f.begins = false;
            continue;
        }
        if (next == at + 1 && !isspace((unsigned char)text[at]) && text[at])
            take_mark(&f, at);
        if (!isspace((unsigned char)text[at]) && !(text[at] == '-' && next > at + 1)) {
            f.begins =
                text[at] && (strchr("([{,;", text[at]) || (text[at] == '=' && !strchr("=~<>", f.before)));
            f.before = next == at + 3 && text[at] == '.' ? '+' : text[at];
            f.declares = false;
        }
    }
    compact(&f);
    free(f.open);
    free(f.ends);
    *count = f.count;
    return f.v;
}

/* Whether `a == b` or `a ~= b` stands at `at`, where a is a name or a path. */
static bool
is_comparison(const struct finding *f, size_t at)
{
    if (at >= f->n || !(isalpha((unsigned char)f->text[at]) || f->text[at] == '_'))
        return false;
    at = skip_path(f, at, NULL);
    if (at == SIZE_MAX)
        return false;
    at = skip_blank(f, at);
    return at + 1 < f->n && strchr("=~", f->text[at]) && f->text[at] && f->text[at + 1] == '=';
}

size_t
rh_optional_find_negation(const char *text, size_t n)
{
    const struct finding f = { .text = text, .n = n };
    char before = 0;

    if (!memmem(text, n, "not", 3))
        return n;
    for (size_t at = 0, next; at < n; at = next) {
        if (!is_word(text[at])) {
            next = rh_script_skip(text, n, at);
            if (next == SIZE_MAX)
                break;
            before = text[at];
            continue;
        }
        for (next = at; next < n && is_word(text[next]);)
            next++;
        if (next - at == 3 && memcmp(text + at, "not", 3) == 0 && before != '.' && before != ':'
            && is_comparison(&f, skip_blank(&f, next)))
            return at;
        before = text[at];
    }
    return n;
}
