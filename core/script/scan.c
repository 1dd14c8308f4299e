/* SPDX-License-Identifier: Apache-2.0 */
/* scan - where an expression ends: as much of Lua's lexer as that takes. */
#include "config.h"

#include "script/template.h"

#include "script/script.h"

#include <stdint.h>
#include <string.h>

/* How many '=' a long bracket has that starts at `at`; SIZE_MAX when none does. */
static size_t
long_bracket(const char *text, size_t n, size_t at)
{
    size_t level = 0;

    if (at >= n || text[at] != '[')
        return SIZE_MAX;
    while (at + 1 + level < n && text[at + 1 + level] == '=')
        level++;
    return at + 1 + level < n && text[at + 1 + level] == '[' ? level : SIZE_MAX;
}

/* Behind the end of a long bracket of this level. */
static size_t
skip_long(const char *text, size_t n, size_t at, size_t level)
{
    for (at += level + 2; at < n; at++) {
        size_t more = 0;

        if (text[at] != ']')
            continue;
        while (at + 1 + more < n && text[at + 1 + more] == '=')
            more++;
        if (more == level && at + 1 + more < n && text[at + 1 + more] == ']')
            return at + level + 2;
        at += more;
    }
    return SIZE_MAX;
}

/* Behind the end of a text in quotes. An escape takes the byte behind it along; \z takes line ends,
 * and a line's end needs an escape. */
static size_t
skip_quoted(const char *text, size_t n, size_t at)
{
    const char quote = text[at++];

    while (at < n && text[at] != quote) {
        if (text[at] == '\n' || text[at] == '\r')
            return SIZE_MAX;
        if (text[at++] != '\\')
            continue;
        if (at < n && text[at] == 'z') {
            for (at++; at < n && strchr(" \t\n\v\f\r", text[at]) && text[at];)
                at++;
        } else if (at + 1 < n && (text[at] == '\r' || text[at] == '\n')
                   && (text[at + 1] == '\r' || text[at + 1] == '\n') && text[at] != text[at + 1]) {
            at += 2; /* both bytes of a line's end */
        } else {
            at++;
        }
    }
    return at < n ? at + 1 : SIZE_MAX;
}

static size_t
skip_comment(const char *text, size_t n, size_t at)
{
    size_t level = long_bracket(text, n, at + 2);

    if (level != SIZE_MAX)
        return skip_long(text, n, at + 2, level);
    while (at < n && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

size_t
rh_script_skip(const char *text, size_t n, size_t at)
{
    size_t level;

    switch (text[at]) {
    case '"':
    case '\'':
        return skip_quoted(text, n, at);
    case '-':
        return at + 1 < n && text[at + 1] == '-' ? skip_comment(text, n, at) : at + 1;
    case '[':
        level = long_bracket(text, n, at);
        return level == SIZE_MAX ? at + 1 : skip_long(text, n, at, level);
    default:
        return at + 1;
    }
}

size_t
rh_script_expression_end(const char *text, size_t n)
{
    size_t depth = 0;

    for (size_t at = 0; at < n; at = rh_script_skip(text, n, at)) {
        if (text[at] == '}' && !depth--)
            return at;
        if (text[at] == '{')
            depth++;
    }
    return SIZE_MAX;
}
