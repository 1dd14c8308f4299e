/* SPDX-License-Identifier: Apache-2.0 */
/* entry - what files of modules-load.d(5) and modprobe.d(5) say about one module.
 *
 * A statement of modprobe.d can go over several lines, each of which but the last ends with a backslash. */

#include "entry.h"

#define BLANK " \t\r"

/* One statement: its lines, and its text without what joins them. */
struct statement {
    size_t first, n;
    char *text;
};

void
entry_tidy_name(char *name)
{
    for (; *name; name++)
        *name = *name == '-' ? '_' : *name;
}

static struct statement
statement_at(rhost_ctx *ctx, const struct rhost_lines *l, enum entry_kind kind, size_t first)
{
    struct statement s = { .first = first };
    size_t size = 1, at = 0;
    int goes_on = 1;

    for (size_t i = first; i < l->n && goes_on; i++, s.n++) {
        goes_on = kind != ENTRY_LOAD && l->at[i].len && l->at[i].text[l->at[i].len - 1] == '\\';
        size += l->at[i].len;
    }
    s.text = rhost_alloc(ctx, size);
    for (size_t i = first; i < first + s.n; i++) {
        size_t len = l->at[i].len;

        if (len)
            memcpy(s.text + at, l->at[i].text, len);
        at += len - (i + 1 < first + s.n);
    }
    for (char *p = s.text; p < s.text + at; p++)
        *p = *p ? *p : ' ';
    return s;
}

/* The next word, up to a blank, with a NUL behind it; *at goes behind it. */
static char *
word(char **at)
{
    char *start = *at + strspn(*at, BLANK), *end = start + strcspn(start, BLANK);

    *at = end + (*end != '\0');
    *end = '\0';
    return start;
}

/* The module that the statement is about if it is of this kind, else NULL; *rest: what follows. */
static char *
subject(enum entry_kind kind, char *text, char **rest)
{
    char *name;

    text += strspn(text, BLANK);
    if (*text == '#' || (kind == ENTRY_LOAD && *text == ';'))
        return NULL;
    if (kind != ENTRY_LOAD && strcmp(word(&text), kind == ENTRY_OPTIONS ? "options" : "blacklist") != 0)
        return NULL;
    name = word(&text);
    *rest = text;
    entry_tidy_name(name);
    return *name ? name : NULL;
}

char *
entry_next(rhost_ctx *ctx, const struct rhost_lines *l, enum entry_kind kind, size_t *i)
{
    struct statement s = statement_at(ctx, l, kind, *i);
    char *rest;

    *i += s.n;
    return subject(kind, s.text, &rest);
}

int
entry_has(rhost_ctx *ctx, const struct rhost_lines *l, enum entry_kind kind, const char *name)
{
    for (size_t i = 0; i < l->n;) {
        const char *of = entry_next(ctx, l, kind, &i);

        if (of && strcmp(of, name) == 0)
            return 1;
    }
    return 0;
}

/* The end of "KEY=VALUE", in whose value blanks stand between double quotes. These are removed in place. */
static char *
option(char **at)
{
    char *start = *at + strspn(*at, BLANK), *from = start, *to = start;
    int quoted = 0;

    for (; *from && (quoted || !strchr(BLANK, *from)); from++) {
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *at = from + (*from != '\0');
    *to = '\0';
    return start;
}

size_t
entry_options(rhost_ctx *ctx, const struct rhost_lines *l, const char *name, rhost_value *into)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n;) {
        struct statement s = statement_at(ctx, l, ENTRY_OPTIONS, i);
        char *rest, *of = subject(ENTRY_OPTIONS, s.text, &rest), *one;

        i += s.n;
        if (!of || strcmp(of, name) != 0)
            continue;
        for (n++; *(one = option(&rest));) {
            char *value = strchr(one, '=');

            if (value)
                *value++ = '\0';
            if (*one && rhost_is_utf8(one, strlen(one)) && (!value || rhost_is_utf8(value, strlen(value))))
                rhost_put_str(into, one, value ? value : "1");
        }
    }
    return n;
}

static char *
compose(rhost_ctx *ctx, enum entry_kind kind, const char *name, const rhost_value *options)
{
    char *text;
    const char *key;

    if (kind == ENTRY_LOAD)
        return rhost_fmt(ctx, "%s", name);
    text = rhost_fmt(ctx, "%s %s", kind == ENTRY_OPTIONS ? "options" : "blacklist", name);
    for (size_t i = 0; i < rhost_count(options); i++) {
        const char *value = rhost_at(options, i, &key) ? rhost_str_at(options, i) : NULL;
        const char *quote = value && value[strcspn(value, BLANK)] ? "\"" : "";

        text = rhost_fmt(ctx, "%s %s=%s%s%s", text, key, quote, value ? value : "", quote);
    }
    return text;
}

/* Removes each statement of this kind about the module; the first line of the first of them, or the end. */
static size_t
take_out(rhost_ctx *ctx, struct rhost_lines *l, enum entry_kind kind, const char *name)
{
    size_t place = l->n, removed = 0;
    char *goes = rhost_alloc(ctx, l->n + 1);

    for (size_t i = 0; i < l->n;) {
        size_t first = i;
        const char *of = entry_next(ctx, l, kind, &i);

        if (!of || strcmp(of, name) != 0)
            continue;
        place = removed ? place : first;
        removed += i - first;
        memset(goes + first, 1, i - first);
    }
    if (removed)
        rhost_lines_remove_marked(l, goes);
    return removed ? place : l->n;
}

void
entry_put(rhost_ctx *ctx, struct rhost_lines *l, enum entry_kind kind, const char *name,
          const rhost_value *options)
{
    const char *text = compose(ctx, kind, name, options);
    size_t at = take_out(ctx, l, kind, name);

    rhost_lines_insert(l, at, text, strlen(text));
}

void
entry_remove(rhost_ctx *ctx, struct rhost_lines *l, enum entry_kind kind, const char *name)
{
    (void)take_out(ctx, l, kind, name);
}
