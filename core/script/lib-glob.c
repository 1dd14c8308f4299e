/* SPDX-License-Identifier: Apache-2.0 */
/* lib-glob - whether a text matches a pattern of the shell. No file is looked for.
 *
 * After a `*` that took too little only the last one takes more, so that a text of n bytes and a pattern of m
 * are compared in at most n * m steps. */
#include "config.h"

#include "script/library.h"

#include "script/parts.h"

#include "base/text.h"

#include <string.h>

enum { STEP = 1, BYTES = 8 }; /* what a step is worth, and bytes of a set that are worth another one */

/* The character at *s, which is UTF-8, and where the next one starts. */
static uint32_t
next_character(const char **s)
{
    const unsigned char *at = (const unsigned char *)*s;
    unsigned n = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
    uint32_t c = n ? *at & (0x3fu >> n) : *at;

    for (at++; n--; at++)
        c = c << 6 | (*at & 0x3fu);
    *s = (const char *)at;
    return c;
}

static bool
is_between(uint32_t c, char from, char to)
{
    return c >= (unsigned char)from && c <= (unsigned char)to;
}

static bool
is_alpha(uint32_t c)
{
    return is_between(c, 'a', 'z') || is_between(c, 'A', 'Z');
}

static bool
is_digit(uint32_t c)
{
    return is_between(c, '0', '9');
}

/* Whether `c` is of the class of this name: those of ASCII. -1: there is no such class. */
static int
is_of_class(const char *name, size_t n, uint32_t c)
{
    const struct {
        const char *name;
        bool is;
    } classes[] = {
        { "alnum", is_alpha(c) || is_digit(c) },
        { "alpha", is_alpha(c) },
        { "blank", c == ' ' || c == '\t' },
        { "digit", is_digit(c) },
        { "lower", is_between(c, 'a', 'z') },
        { "punct", c > ' ' && c < 127 && !is_alpha(c) && !is_digit(c) },
        { "space", c == ' ' || is_between(c, '\t', '\r') },
        { "upper", is_between(c, 'A', 'Z') },
        { "xdigit", is_digit(c) || is_between(c, 'a', 'f') || is_between(c, 'A', 'F') },
    };

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strlen(classes[i].name) == n && memcmp(classes[i].name, name, n) == 0)
            return classes[i].is;
    return -1;
}

/* "[:name:]" at *p: its end. */
static const char *
class_end(const char *p, const char *end)
{
    return end - p > 2 && p[0] == '[' && p[1] == ':' ? memmem(p + 2, (size_t)(end - p - 2), ":]", 2) : NULL;
}

/* The character of a set at *p. -1: the pattern ends there. */
static int
set_character(const char **p, const char *end, uint32_t *c)
{
    if (*p < end && **p == '\\')
        ++*p;
    if (*p >= end)
        return -1;
    *c = next_character(p);
    return 0;
}

/* Whether `c` is in the set behind the '[' at *p, which moves behind its ']'. -1: it is malformed. */
static int
is_in_set(const char **p, const char *end, uint32_t c)
{
    bool not = *p < end && (**p == '!' || **p == '^'), in = false;
    const char *first = *p += not, *close;

    for (;;) {
        uint32_t from, to;
        int contained;

        if (*p >= end)
            return -1;
        if (**p == ']' && *p > first) {
            ++*p;
            return in != not ;
        }
        close = class_end(*p, end);
        if (close) {
            contained = is_of_class(*p + 2, (size_t)(close - *p - 2), c);
            if (contained < 0)
                return -1;
            in |= contained;
            *p = close + 2;
            continue;
        }
        if (set_character(p, end, &from) < 0)
            return -1;
        to = from;
        if (end - *p > 1 && **p == '-' && (*p)[1] != ']') {
            ++*p;
            if (set_character(p, end, &to) < 0 || to < from)
                return -1;
        }
        in |= c >= from && c <= to;
    }
}

/* Whether what is at *p, which is no '*', matches `c`; moves behind it. -1: it is malformed. */
static int
matches_one(const char **p, const char *end, uint32_t c)
{
    char is = *(*p)++;

    switch (is) {
    case '?':
        return 1;
    case '[':
        return is_in_set(p, end, c);
    case '\\':
        if (*p >= end)
            return -1;
        break;
    default:
        --*p;
    }
    return next_character(p) == c;
}

static const char *
check_text(lua_State *l, int arg, size_t *n)
{
    const char *s = luaL_checklstring(l, arg, n);

    rh_script_charge(l, *n / BYTES);
    if (!rh_utf8_valid(s, *n))
        rh_script_raise(l, "'glob_matches' can only be used on UTF-8 text");
    return s;
}

static void
check_pattern(lua_State *l, const char *pattern, const char *end)
{
    for (const char *p = pattern; p < end;) {
        const char *at = p;

        if (*p == '*')
            p++;
        else if (matches_one(&p, end, 0) < 0)
            rh_script_raise(l, "malformed pattern '%s': '%s' is not complete, or not known", pattern, at);
        rh_script_charge(l, 1 + (uint64_t)(p - at) / BYTES);
    }
}

static bool
glob(lua_State *l, const char *s, const char *end, const char *p, const char *p_end)
{
    const char *star = NULL, *mark = NULL, *next, *next_p;

    while (s < end) {
        bool matches = false;

        if (p < p_end && *p == '*') {
            star = ++p;
            mark = s;
            continue;
        }
        next = s;
        next_p = p;
        if (p < p_end)
            matches = matches_one(&next_p, p_end, next_character(&next)) > 0;
        rh_script_charge(l, STEP + (uint64_t)(next_p - p) / BYTES);
        if (matches) {
            s = next;
            p = next_p;
        } else if (star) {
            (void)next_character(&mark);
            s = mark;
            p = star;
        } else {
            return false;
        }
    }
    while (p < p_end && *p == '*')
        p++;
    return p == p_end;
}

/* glob_matches(text, pattern) */
static int
glob_matches(lua_State *l)
{
    size_t n, m;
    const char *s = check_text(l, 1, &n), *p = check_text(l, 2, &m);

    check_pattern(l, p, p + m);
    lua_pushboolean(l, glob(l, s, s + n, p, p + m));
    return 1;
}

void
rh_lib_glob_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "glob_matches", glob_matches },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
