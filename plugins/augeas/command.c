/* SPDX-License-Identifier: Apache-2.0 */
/* command - one change of a tree, or one condition on it, as text.
 *
 * The letters of `kinds`: p a path, e a path expression, s a path below another one, l a label or a variable,
 * w before or after, o an operator, k a keyword of conditions, v a value. */

#include "command.h"

static const struct {
    const char *word, *name, *kinds;
} changes[] = {
    { "set", "set", "pv" },       { "setm", "setm", "psv" },       { "rm", "rm", "p" },
    { "remove", "rm", "p" },      { "clear", "clear", "p" },       { "clearm", "clearm", "ps" },
    { "touch", "touch", "p" },    { "ins", "ins", "lwp" },         { "insert", "ins", "lwp" },
    { "mv", "mv", "pp" },         { "move", "mv", "pp" },          { "rename", "rename", "pl" },
    { "defvar", "defvar", "le" }, { "defnode", "defnode", "lpv" },
};

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A path ends at a blank that is not in brackets or quotes. Quotes around all of it are none of it. */
static const char *
take_path(rhost_ctx *ctx, const char **at)
{
    const char *start = *at, *p = start;
    char quote = 0;
    int depth = 0;

    if (*p == '"' || *p == '\'') {
        const char *end = strchr(p + 1, *p);

        if (!end || (end[1] && !is_blank(end[1])))
            return NULL;
        *at = end + 1;
        return rhost_copy(ctx, p + 1, (size_t)(end - p) - 1);
    }
    for (; *p && (quote || depth > 0 || !is_blank(*p)); p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (quote)
            quote = *p == quote ? 0 : quote;
        else if (*p == '"' || *p == '\'')
            quote = *p;
        else if (*p == '[' || *p == '(')
            depth++;
        else if (*p == ']' || *p == ')')
            depth--;
    }
    if (quote || depth)
        return NULL;
    *at = p;
    return rhost_copy(ctx, start, (size_t)(p - start));
}

/* A word up to a blank, or in quotes, where a backslash stands before a quote or another backslash. */
static const char *
take_value(rhost_ctx *ctx, const char **at)
{
    const char *p = *at;
    char *word = rhost_alloc(ctx, strlen(p) + 1), *to = word, quote = 0;

    if (*p == '"' || *p == '\'')
        quote = *p++;
    while (*p && (quote ? *p != quote : !is_blank(*p))) {
        if (quote && *p == '\\' && (p[1] == quote || p[1] == '\\'))
            p++;
        *to++ = *p++;
    }
    *to = '\0';
    if (quote && (*p++ != quote || (*p && !is_blank(*p))))
        return NULL;
    *at = p;
    return word;
}

static void
skip_blanks(const char **at)
{
    while (is_blank(**at))
        (*at)++;
}

/* The words that `kinds` asks for, and nothing behind them. */
static const char *
take_words(rhost_ctx *ctx, const char *at, struct command *c)
{
    static const char *const names[] = { "p", "a path",
                                         "e", "a path",
                                         "s", "a path",
                                         "l", "a name",
                                         "w", "'before' or 'after'",
                                         "v", "a value",
                                         "o", "an operator",
                                         "k", "'size', 'include' or 'not_include'" };

    for (size_t i = 0; c->kinds[i]; i++) {
        const char *what = "a word";

        for (size_t k = 0; k < sizeof names / sizeof *names; k += 2)
            if (*names[k] == c->kinds[i])
                what = names[k + 1];
        skip_blanks(&at);
        if (!*at)
            return rhost_fmt(ctx, "'%s' lacks %s", c->name, what);
        c->words[i] = strchr("pes", c->kinds[i]) ? take_path(ctx, &at) : take_value(ctx, &at);
        if (!c->words[i])
            return rhost_fmt(ctx, "a quote or a bracket in %s is not closed", what);
        if (!*c->words[i] && c->kinds[i] != 'v')
            return rhost_fmt(ctx, "%s of '%s' is empty", what, c->name);
        if (c->kinds[i] == 'w' && strcmp(c->words[i], "before") != 0 && strcmp(c->words[i], "after") != 0)
            return rhost_fmt(ctx, "'%s' stands where 'before' or 'after' must", c->words[i]);
    }
    skip_blanks(&at);
    return *at ? rhost_fmt(ctx, "'%s' has too many words; a value with blanks stands in quotes", c->name)
               : NULL;
}

const char *
command_parse(rhost_ctx *ctx, const char *text, struct command *c)
{
    const char *at = text, *word;

    memset(c, 0, sizeof *c);
    if (strpbrk(text, "\r\n"))
        return "a change is one line";
    skip_blanks(&at);
    word = take_value(ctx, &at);
    for (size_t i = 0; word && i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(word, changes[i].word) != 0)
            continue;
        c->name = changes[i].name;
        c->kinds = changes[i].kinds;
        return take_words(ctx, at, c);
    }
    return rhost_fmt(
        ctx,
        "unknown command '%s': known are set, setm, rm, clear, clearm, touch, ins, mv, rename, defvar and "
        "defnode",
        word ? word : text);
}

static int
is_operator(const char *word)
{
    static const char *const known[] = { "==", "!=", "<", "<=", ">", ">=" };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(word, known[i]) == 0)
            return 1;
    return 0;
}

const char *
command_parse_condition(rhost_ctx *ctx, const char *text, struct command *c)
{
    const char *at = text, *word, *why;
    int is_get, is_size;

    memset(c, 0, sizeof *c);
    if (strpbrk(text, "\r\n"))
        return "a condition is one line";
    skip_blanks(&at);
    word = take_value(ctx, &at);
    is_get = word && strcmp(word, "get") == 0;
    if (!is_get && (!word || strcmp(word, "match") != 0))
        return "a condition begins with 'match' or 'get'";
    c->name = is_get ? "get" : "match";
    is_size = !is_get && strstr(at, " size ") != NULL;
    c->kinds = is_get ? "pov" : is_size ? "pkov" : "pkv";
    why = take_words(ctx, at, c);
    if (why)
        return why;
    if (!is_get && strcmp(c->words[1], "include") != 0 && strcmp(c->words[1], "not_include") != 0
        && (!is_size || strcmp(c->words[1], "size") != 0))
        return rhost_fmt(ctx, "'%s' stands where 'size', 'include' or 'not_include' must", c->words[1]);
    word = is_get ? c->words[1] : c->words[2];
    if ((is_get || is_size) && !is_operator(word))
        return rhost_fmt(ctx, "unknown operator '%s': known are == != < <= > >=", word);
    if (is_size && (!*c->words[3] || strspn(c->words[3], "0123456789") != strlen(c->words[3])))
        return "'size' is compared with a number";
    return NULL;
}
