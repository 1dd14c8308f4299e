/* SPDX-License-Identifier: Apache-2.0 */
/* words - a command written as one string, split as sh would, with no sh behind it. */

#include "words.h"

struct split {
    rhost_ctx *ctx;
    const char *attribute;
    const char *at;
    char *to; /* the words, one behind the other, each with its NUL */
};

static int
refuse(const struct split *s, char c)
{
    return rhost_fail_attr(s->ctx, s->attribute,
                           "'%c' means something to a shell, and no shell runs this: quote it, or "
                           "write an argument list such as [sh, -c, \"...\"]",
                           c);
}

static int
unclosed(const struct split *s, const char *what)
{
    return rhost_fail_attr(s->ctx, s->attribute, "%s has no end", what);
}

static int
single_quoted(struct split *s)
{
    for (s->at++; *s->at != '\''; s->at++) {
        if (!*s->at)
            return unclosed(s, "a single quote");
        *s->to++ = *s->at;
    }
    s->at++;
    return 0;
}

static int
double_quoted(struct split *s)
{
    for (s->at++; *s->at != '"'; s->at++) {
        if (!*s->at)
            return unclosed(s, "a double quote");
        if (*s->at == '$' || *s->at == '`')
            return refuse(s, *s->at);
        if (*s->at == '\\' && s->at[1] && strchr("$`\"\\\n", s->at[1])) {
            if (*++s->at != '\n')
                *s->to++ = *s->at;
        } else {
            *s->to++ = *s->at;
        }
    }
    s->at++;
    return 0;
}

static int
escaped(struct split *s)
{
    if (!*++s->at)
        return unclosed(s, "a backslash");
    if (*s->at != '\n') /* that would continue the line */
        *s->to++ = *s->at;
    s->at++;
    return 0;
}

/* One word, up to a blank or the end. */
static int
word(struct split *s, int is_first)
{
    const char *start = s->at;

    if (*s->at == '~' || *s->at == '#')
        return refuse(s, *s->at);
    while (*s->at && !strchr(" \t\n", *s->at)) {
        int result = 0;

        if (*s->at == '\'')
            result = single_quoted(s);
        else if (*s->at == '"')
            result = double_quoted(s);
        else if (*s->at == '\\')
            result = escaped(s);
        else if (strchr("|&;<>()$`*?[", *s->at))
            return refuse(s, *s->at);
        else if (*s->at == '=' && is_first)
            return rhost_fail_attr(s->ctx, s->attribute, "'%.*s=': set variables with environment",
                                   (int)(s->at - start), start);
        else
            *s->to++ = *s->at++;
        if (result < 0)
            return -1;
    }
    *s->to++ = '\0';
    return 0;
}

const char **
words_split(rhost_ctx *ctx, const char *attribute, const char *text, size_t *n)
{
    size_t len = strlen(text);
    const char **words = rhost_alloc(ctx, (len / 2 + 2) * sizeof *words);
    struct split s = { ctx, attribute, text, rhost_alloc(ctx, len + 2) };

    *n = 0;
    for (;;) {
        s.at += strspn(s.at, " \t");
        if (*s.at == '\n' && s.at[strspn(s.at, " \t\n")]) {
            rhost_fail_attr(ctx, attribute,
                            "there are several lines, and no shell runs this: write an argument "
                            "list such as [sh, -c, \"...\"]");
            return NULL;
        }
        if (!*s.at || *s.at == '\n')
            break;
        words[(*n)++] = s.to;
        if (word(&s, *n == 1) < 0)
            return NULL;
    }
    if (*n == 0) {
        rhost_fail_attr(ctx, attribute, "expected a command");
        return NULL;
    }
    return words;
}

static int
is_among(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Programs for which these are arguments: their own operators, or what they hand on to a shell. */
static int
takes_operators(const char *program)
{
    static const char *const programs[] = {
        "expr", "test", "[",   "find", "grep",    "egrep", "fgrep",  "sh",
        "bash", "dash", "ksh", "zsh",  "busybox", "env",   "printf", NULL
    };
    const char *name = strrchr(program, '/');

    return is_among(programs, name ? name + 1 : program);
}

int
words_check_list(rhost_ctx *ctx, const char *attribute, const rhost_value *list)
{
    static const char *const operators[] = { "|",  "||",  "&&", "|&",   ">",          ">>",          "<",
                                             "2>", "2>>", "&>", "2>&1", ">/dev/null", "2>/dev/null", NULL };
    const char *program = rhost_str_at(list, 0);

    if (!program || takes_operators(program))
        return 0;
    for (size_t i = 1; i < rhost_count(list); i++) {
        const char *word = rhost_str_at(list, i), *before = rhost_str_at(list, i - 1);

        /* What follows an option is its value: cut -d "|". */
        if (word && before && *before != '-' && is_among(operators, word))
            return rhost_fail_attr(
                ctx, attribute,
                "argument '%s' is an operator of the shell, and no shell runs this: write [sh, -c, "
                "\"...\"]",
                word);
    }
    return 0;
}
