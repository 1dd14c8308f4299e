/* SPDX-License-Identifier: Apache-2.0 */
/* command - one change of a tree, or one condition on it.
 *
 * The letters of `kinds`: p a path, e a path expression, s a path below another one, l a label or a variable,
 * w before or after, o an operator, z size, i include or not_include, n a number, v a value. */

#include "command.h"

static const struct {
    const char *word, *name, *kinds;
    int is_condition;
} known[] = {
    { "set", "set", "pv", 0 },       { "setm", "setm", "psv", 0 },       { "rm", "rm", "p", 0 },
    { "remove", "rm", "p", 0 },      { "clear", "clear", "p", 0 },       { "clearm", "clearm", "ps", 0 },
    { "touch", "touch", "p", 0 },    { "ins", "ins", "lwp", 0 },         { "insert", "ins", "lwp", 0 },
    { "mv", "mv", "pp", 0 },         { "move", "mv", "pp", 0 },          { "rename", "rename", "pl", 0 },
    { "defvar", "defvar", "le", 0 }, { "defnode", "defnode", "lpv", 0 }, { "get", "get", "pov", 1 },
    { "match", "match", "pzon", 1 }, { "values", "values", "piv", 1 },
};

static const char *const whats[][2] = {
    { "p", "a path" },
    { "e", "a path" },
    { "s", "a path" },
    { "l", "a name" },
    { "w", "'before' or 'after'" },
    { "o", "an operator" },
    { "z", "'size'" },
    { "i", "'include' or 'not_include'" },
    { "n", "a number" },
    { "v", "a value" },
};

/* Where the words come from: a text, or a list. */
struct source {
    const char *at;          /* NULL: a list */
    const rhost_value *list; /* with the words as they are */
    size_t next;
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

        if (end && (!end[1] || is_blank(end[1]))) {
            *at = end + 1;
            return rhost_copy(ctx, p + 1, (size_t)(end - p) - 1);
        }
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

/* Whether there is another word. */
static int
has_more(struct source *s)
{
    if (!s->at)
        return s->next < rhost_count(s->list);
    while (is_blank(*s->at))
        s->at++;
    return *s->at != '\0';
}

/* The next word, which there is; NULL: a quote or a bracket is not closed. */
static const char *
take(rhost_ctx *ctx, struct source *s, int is_path)
{
    if (!s->at)
        return rhost_str_at(s->list, s->next++);
    return is_path ? take_path(ctx, &s->at) : take_value(ctx, &s->at);
}

static int
is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return 1;
    return 0;
}

/* NULL, or why this can't be a word of this kind. */
static const char *
check_word(rhost_ctx *ctx, const struct command *c, char kind, const char *what, const char *word)
{
    static const char *const sides[] = { "before", "after", NULL };
    static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=", NULL };
    static const char *const inclusions[] = { "include", "not_include", NULL };

    if (!*word && kind != 'v')
        return rhost_fmt(ctx, "%s of '%s' is empty", what, c->name);
    if (kind == 'z' && is_one_of(word, inclusions))
        return rhost_fmt(ctx, "'match' counts nodes: use 'values PATH %s VALUE' for their values", word);
    if (kind == 'o' && strchr(word, '~'))
        return "an operator cannot be a regular expression: use 'match' with a path such as "
               "NAME[. =~ regexp('...')]";
    if (kind == 'o' && !is_one_of(word, operators))
        return rhost_fmt(ctx, "unknown operator '%s': known are == != < <= > >=", word);
    if ((kind == 'w' && !is_one_of(word, sides)) || (kind == 'i' && !is_one_of(word, inclusions))
        || (kind == 'z' && strcmp(word, "size") != 0))
        return rhost_fmt(ctx, "'%s' stands where %s must", word, what);
    if (kind == 'n' && (strlen(word) > 9 || strspn(word, "0123456789") != strlen(word)))
        return "'size' is compared with a number";
    if (kind == 'l' && strchr(word, '/'))
        return rhost_fmt(ctx, "'%s' is a path, and a name must stand there", word);
    return NULL;
}

/* The words that `kinds` asks for, and nothing behind them. */
static const char *
take_words(rhost_ctx *ctx, struct source *s, struct command *c)
{
    for (size_t i = 0; c->kinds[i]; i++) {
        const char *what = "a word", *why;

        for (size_t k = 0; k < sizeof whats / sizeof *whats; k++)
            if (*whats[k][0] == c->kinds[i])
                what = whats[k][1];
        if (!has_more(s))
            return rhost_fmt(ctx, "'%s' lacks %s", c->name, what);
        c->words[i] = take(ctx, s, strchr("pes", c->kinds[i]) != NULL);
        if (!c->words[i])
            return rhost_fmt(ctx, "a quote or a bracket in %s is not closed", what);
        why = check_word(ctx, c, c->kinds[i], what, c->words[i]);
        if (why)
            return why;
    }
    return has_more(s)
               ? rhost_fmt(ctx, "'%s' has too many words; a value with blanks stands in quotes", c->name)
               : NULL;
}

const char *
command_parse(rhost_ctx *ctx, const rhost_value *text, int is_condition, struct command *c)
{
    struct source s = { 0 };
    const char *word;

    memset(c, 0, sizeof *c);
    if (text->host->kind(text) == RHOST_ARRAY)
        s.list = text;
    else
        s.at = text->host->string(text, NULL);
    if (s.at && strpbrk(s.at, "\r\n"))
        return "it has a line break: state the words as a list";
    word = has_more(&s) ? take(ctx, &s, 0) : "";
    for (size_t i = 0; word && i < sizeof known / sizeof *known; i++) {
        if (known[i].is_condition != is_condition || strcmp(word, known[i].word) != 0)
            continue;
        c->name = known[i].name;
        c->kinds = known[i].kinds;
        return take_words(ctx, &s, c);
    }
    if (is_condition)
        return rhost_fmt(ctx, "a condition begins with 'match', 'values' or 'get', not with '%s'",
                         word ? word : s.at);
    return rhost_fmt(
        ctx,
        "unknown command '%s': known are set, setm, rm, clear, clearm, touch, ins, mv, rename, defvar and "
        "defnode",
        word ? word : s.at);
}
