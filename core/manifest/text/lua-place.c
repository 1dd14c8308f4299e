/* SPDX-License-Identifier: Apache-2.0 */
/* lua-place - where the names in a recipe's table were written. */
#include "config.h"

#include "manifest/text/lua-place.h"

#include "base/draft.h"
#include "base/source.h"
#include "base/value.h"

#include <stdbool.h>
#include <string.h>

enum { FARTHEST = 1 << 16 }; /* bytes that are looked through */

struct scan {
    const char *s, *end, *line_start;
    uint32_t line;
    int depth;
};

static void
set_all(struct rh_value *v, struct rh_place place)
{
    rh_value_set_place(v, place);
    for (size_t i = 0; i < rh_value_count(v); i++)
        set_all(rh_draft_part(v, i), place);
}

static void
step(struct scan *c)
{
    if (*c->s++ != '\n')
        return;
    c->line++;
    c->line_start = c->s;
}

static void
skip_to(struct scan *c, const char *to)
{
    while (c->s < to)
        step(c);
}

/* "[[ ... ]]", "[==[ ... ]==]"; false when none starts here. */
static bool
skip_long(struct scan *c)
{
    const char *p = c->s + 1;
    size_t level;

    while (p < c->end && *p == '=')
        p++;
    if (p >= c->end || *p != '[')
        return false;
    level = (size_t)(p - c->s) - 1;
    for (p++; p < c->end; p++)
        if (*p == ']' && (size_t)(c->end - p) > level + 1 && p[level + 1] == ']'
            && strspn(p + 1, "=") == level) {
            skip_to(c, p + level + 2);
            return true;
        }
    skip_to(c, c->end);
    return true;
}

static void
skip_quoted(struct scan *c)
{
    char quote = *c->s;

    step(c);
    while (c->s < c->end && *c->s != quote) {
        if (*c->s == '\\' && c->s + 1 < c->end)
            step(c);
        step(c);
    }
    if (c->s < c->end)
        step(c);
}

static void
skip_comment(struct scan *c)
{
    skip_to(c, c->s + 2);
    if (c->s < c->end && *c->s == '[' && skip_long(c))
        return;
    while (c->s < c->end && *c->s != '\n')
        step(c);
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* In characters, as all columns are. */
static uint16_t
column_of(const struct scan *c)
{
    size_t n = 1;

    for (const char *p = c->line_start; p < c->s; p++)
        n += ((unsigned char)*p & 0xc0) != 0x80;
    return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

static struct rh_value *
value_of(struct rh_value *hash, const char *key, size_t n)
{
    for (uint32_t i = 0; i < hash->count; i++) {
        const struct rh_entry *e = &hash->u.entries[i];

        if (strncmp(e->key, key, n) == 0 && !e->key[n])
            return rh_draft_part(hash, i);
    }
    return NULL;
}

/* A word: when it is a name in our table ("name ="), its value is from here. */
static void
take_word(struct scan *c, struct rh_place here, struct rh_value *hash)
{
    const char *past = c->s, *p;
    struct rh_value *v;

    while (past < c->end && is_word(*past))
        past++;
    for (p = past; p < c->end && (*p == ' ' || *p == '\t'); p++)
        ;
    if (c->depth == 1 && p + 1 < c->end && p[0] == '=' && p[1] != '=') {
        v = value_of(hash, c->s, (size_t)(past - c->s));
        if (v)
            set_all(v, (struct rh_place){ c->line, column_of(c), here.file });
    }
    skip_to(c, past);
}

/* Past the table that begins on this line; others before it on the same line may be larger. */
static void
scan_tables(struct scan *c, struct rh_place here, struct rh_value *hash)
{
    while (c->s < c->end && (c->depth > 0 || c->line == here.line)) {
        if (*c->s == '-' && c->s + 1 < c->end && c->s[1] == '-') {
            skip_comment(c);
        } else if (*c->s == '"' || *c->s == '\'') {
            skip_quoted(c);
        } else if (*c->s == '[' && skip_long(c)) {
            continue;
        } else if (is_word(*c->s)) {
            take_word(c, here, hash);
        } else {
            c->depth += *c->s == '{';
            c->depth -= *c->s == '}' && c->depth > 0;
            step(c);
        }
    }
}

/* The first byte of a line; NULL when there is no such line. */
static const char *
find_line(struct rh_line *last, const char *text, size_t n, struct rh_place here)
{
    if (last->file != here.file || last->at > n)
        *last = (struct rh_line){ .file = here.file, .line = 1 };
    while (last->line > here.line && last->at) { /* a loop goes back again and again */
        const char *before = memrchr(text, '\n', last->at - 1);

        last->at = before ? (size_t)(before + 1 - text) : 0;
        last->line--;
    }
    while (last->line < here.line) {
        const char *newline = memchr(text + last->at, '\n', n - last->at);

        if (!newline)
            return NULL;
        last->at = (size_t)(newline + 1 - text);
        last->line++;
    }
    return text + last->at;
}

void
rh_recipe_set_places(const struct rh_sources *sources, struct rh_line *last, struct rh_place here,
                     struct rh_value *hash)
{
    size_t n = 0;
    const char *text = rh_sources_text(sources, here.file, &n);
    struct scan c = { .line = here.line };

    for (uint32_t i = 0; i < hash->count; i++)
        set_all(rh_draft_part(hash, i), here);
    c.s = c.line_start = text && here.line ? find_line(last, text, n, here) : NULL;
    if (!c.s)
        return;
    c.end = text + n - c.s > FARTHEST ? c.s + FARTHEST : text + n;
    scan_tables(&c, here, hash);
}
