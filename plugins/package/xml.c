/* SPDX-License-Identifier: Apache-2.0 */
/* xml - what a program prints as XML, tag by tag. */

#include "xml.h"

#include <ctype.h>

static int
opens_tag(const char *at)
{
    return at[0] == '<' && (isalpha((unsigned char)at[1]) || (at[1] == '/' && isalpha((unsigned char)at[2])));
}

static const char *
find_tag(const char *at)
{
    while ((at = strchr(at, '<')) && !opens_tag(at))
        at++;
    return at;
}

/* The '>' that ends a tag, which within quotes is text. NULL: the tag is cut off. */
static const char *
end_of_tag(const char *at)
{
    char quote = '\0';

    for (; *at; at++)
        if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at;
    return NULL;
}

int
xml_next(const char **at, struct xml_tag *tag)
{
    const char *start = find_tag(*at), *end = start ? end_of_tag(start) : NULL, *next;

    if (!end)
        return 0;
    next = find_tag(end + 1);
    start++;
    tag->name = start;
    tag->name_length =
        strcspn(start, " \t\r\n/>") + (*start == '/' ? 1 + strcspn(start + 1, " \t\r\n/>") : 0);
    tag->attributes = start + tag->name_length;
    tag->attributes_length = (size_t)(end - tag->attributes);
    tag->text = end + 1;
    tag->text_length = next ? (size_t)(next - tag->text) : strlen(tag->text);
    *at = tag->text + tag->text_length;
    return 1;
}

int
xml_is(const struct xml_tag *tag, const char *name)
{
    return strlen(name) == tag->name_length && strncmp(tag->name, name, tag->name_length) == 0;
}

static const char *
decoded(rhost_ctx *ctx, const char *from, size_t n)
{
    static const struct {
        const char *entity;
        char is;
    } entities[] = {
        { "&lt;", '<' }, { "&gt;", '>' }, { "&apos;", '\'' }, { "&quot;", '"' }, { "&amp;", '&' }
    };
    char *text = rhost_copy(ctx, from, n), *to = text;

    for (const char *at = text; *at; at++) {
        *to = *at;
        for (size_t i = 0; *at == '&' && i < sizeof entities / sizeof entities[0]; i++)
            if (words_after(at, entities[i].entity)) {
                *to = entities[i].is;
                at += strlen(entities[i].entity) - 1;
                break;
            }
        to++;
    }
    *to = '\0';
    return text;
}

const char *
xml_attribute(rhost_ctx *ctx, const struct xml_tag *tag, const char *name)
{
    const char *at = tag->attributes, *end = at + tag->attributes_length;

    while (at < end) {
        const char *key, *value;
        size_t n;

        at += strspn(at, " \t\r\n");
        key = at;
        n = strcspn(key, "= \t\r\n/>");
        if (!n || key[n] != '=' || (key[n + 1] != '"' && key[n + 1] != '\''))
            return NULL;
        value = key + n + 2;
        at = strchr(value, value[-1]); /* there is one: see end_of_tag */
        if (!at || at >= end)
            return NULL;
        if (strlen(name) == n && strncmp(key, name, n) == 0)
            return decoded(ctx, value, (size_t)(at - value));
        at++;
    }
    return NULL;
}

const char *
xml_text(rhost_ctx *ctx, const struct xml_tag *tag)
{
    return decoded(ctx, tag->text, tag->text_length);
}
