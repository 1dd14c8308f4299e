/* SPDX-License-Identifier: Apache-2.0 */
/* settings - the text of a unit file as sections of settings, and the other way. */

#include "settings.h"

#include <rhost/lines.h>

#include <ctype.h>
#include <stdlib.h>

struct setting {
    const char *section, *key, *value;
    int used;
};

struct settings {
    struct setting *at;
    size_t n, room;
};

static void
add(rhost_ctx *ctx, struct settings *s, const char *section, const char *key, const char *value)
{
    if (s->n == s->room) {
        struct setting *more = rhost_alloc(ctx, (2 * s->n + 32) * sizeof *more);

        if (s->n)
            memcpy(more, s->at, s->n * sizeof *more);
        s->room = 2 * s->n + 32;
        s->at = more;
    }
    s->at[s->n++] = (struct setting){ section, key, value, 0 };
}

/* Without blanks around it, in place. */
static char *
trim(char *text)
{
    size_t len;

    while (isspace((unsigned char)*text))
        text++;
    for (len = strlen(text); len && isspace((unsigned char)text[len - 1]); len--)
        continue;
    text[len] = '\0';
    return text;
}

/* The next line, with those that it goes on in behind a backslash; comments among these are left out. */
static char *
next_line(char **at)
{
    char *start = *at, *to = *at, *from = *at;
    int going_on = 0;

    if (!*from)
        return NULL;
    for (;;) {
        char *end = from + strcspn(from, "\n"), *text = from + strspn(from, " \t");
        int comment = *text == '#' || *text == ';', last = !*end;
        size_t len = (size_t)(end - from);

        from = last ? end : end + 1;
        if (comment && going_on) {
            if (last)
                break;
            continue;
        }
        memmove(to, end - len, len);
        to += len;
        if (comment || last || !len || to[-1] != '\\')
            break;
        to[-1] = ' ';
        going_on = 1;
    }
    *to = '\0';
    *at = from;
    return start;
}

/* Puts all settings of one section and key, which begin at `i`. */
static void
put_setting(struct settings *s, size_t i, rhost_value *section)
{
    size_t n = 0;
    rhost_value *array = NULL;

    for (size_t k = i; k < s->n; k++)
        n += strcmp(s->at[k].section, s->at[i].section) == 0 && strcmp(s->at[k].key, s->at[i].key) == 0;
    if (n > 1)
        array = section->host->put_array(section, s->at[i].key);
    for (size_t k = i; k < s->n; k++) {
        struct setting *one = &s->at[k];

        if (strcmp(one->section, s->at[i].section) != 0 || strcmp(one->key, s->at[i].key) != 0)
            continue;
        rhost_put_str(array ? array : section, array ? NULL : one->key, one->value);
        one->used = 1;
    }
}

/* Whether the attribute can have it: anybody may have written the file. */
static int
is_setting(const struct setting *one)
{
    static const char name[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";

    return *one->section && !one->section[strcspn(one->section, "[]")] && *one->key
           && !one->key[strspn(one->key, name)] && rhost_is_utf8(one->section, strlen(one->section))
           && rhost_is_utf8(one->value, strlen(one->value));
}

static void
put_all(struct settings *s, rhost_value *in, const char *key)
{
    rhost_value *settings = in->host->put_hash(in, key);

    for (size_t i = 0; i < s->n; i++) {
        rhost_value *section;

        if (s->at[i].used)
            continue;
        section = in->host->put_hash(settings, s->at[i].section);
        for (size_t k = i; k < s->n; k++)
            if (!s->at[k].used && strcmp(s->at[k].section, s->at[i].section) == 0)
                put_setting(s, k, section);
    }
}

void
settings_parse(rhost_ctx *ctx, const char *text, rhost_value *in, const char *key)
{
    struct settings s = { 0 };
    const char *section = "";
    char *at = rhost_strdup(ctx, text), *line;

    while ((line = next_line(&at))) {
        char *equals;

        line = trim(line);
        if (!*line || *line == '#' || *line == ';')
            continue;
        if (*line == '[' && line[strlen(line) - 1] == ']') {
            line[strlen(line) - 1] = '\0';
            section = line + 1;
            continue;
        }
        equals = strchr(line, '=');
        if (!equals || equals == line) {
            add(ctx, &s, section, "", line);
            continue;
        }
        *equals = '\0';
        add(ctx, &s, section, trim(line), trim(equals + 1));
    }
    for (size_t i = 0; i < s.n; i++)
        if (!is_setting(&s.at[i]))
            return;
    put_all(&s, in, key);
}

/* --- Values as people write them. ------------------------------------------------------------ */

static const char *
as_text(rhost_ctx *ctx, const rhost_value *v)
{
    char number[32];
    const char *text;

    switch (v->host->kind(v)) {
    case RHOST_BOOLEAN:
        return v->host->boolean(v, 0) ? "true" : "false";
    case RHOST_INTEGER:
        snprintf(number, sizeof number, "%lld", (long long)v->host->integer(v, 0));
        return rhost_strdup(ctx, number);
    default:
        text = v->host->string(v, NULL);
        return trim(rhost_strdup(ctx, text ? text : ""));
    }
}

void
settings_tidy(rhost_ctx *ctx, rhost_value *resource, const char *key)
{
    const rhost_value *settings = rhost_get(resource, key);
    struct settings s = { 0 };

    if (!settings || settings->host->kind(settings) != RHOST_HASH)
        return;
    for (size_t i = 0; i < rhost_count(settings); i++) {
        const char *section, *name;
        const rhost_value *inside = rhost_at(settings, i, &section);

        for (size_t k = 0; k < rhost_count(inside); k++) {
            const rhost_value *v = rhost_at(inside, k, &name);

            section = rhost_strdup(ctx, section);
            name = rhost_strdup(ctx, name);
            if (v->host->kind(v) != RHOST_ARRAY)
                add(ctx, &s, section, name, as_text(ctx, v));
            for (size_t m = 0; v->host->kind(v) == RHOST_ARRAY && m < rhost_count(v); m++)
                add(ctx, &s, section, name, as_text(ctx, rhost_at(v, m, NULL)));
        }
    }
    put_all(&s, resource, key);
}

/* Adds words, up to the first NULL; where there is no `to`, they are only counted. */
static size_t
put_words(char *to, const char *const *list)
{
    size_t n = 0;

    for (; *list; list++) {
        size_t len = strlen(*list);

        if (to)
            memcpy(to + n, *list, len);
        n += len;
    }
    return n;
}

static size_t
put_text(char *to, const rhost_value *settings)
{
    size_t n = 0;

    for (size_t i = 0; i < rhost_count(settings); i++) {
        const char *section, *key;
        const rhost_value *inside = rhost_at(settings, i, &section);
        const char *header[] = { i ? "\n[" : "[", section, "]\n", NULL };

        n += put_words(to ? to + n : NULL, header);
        for (size_t k = 0; k < rhost_count(inside); k++) {
            const rhost_value *v = rhost_at(inside, k, &key);
            int several = v->host->kind(v) == RHOST_ARRAY;

            for (size_t m = 0; m < (several ? rhost_count(v) : 1); m++) {
                const char *text = several ? rhost_str_at(v, m) : v->host->string(v, NULL);
                const char *line[] = { key, "=", text ? text : "", "\n", NULL };

                n += put_words(to ? to + n : NULL, line);
            }
        }
    }
    return n;
}

char *
settings_text(rhost_ctx *ctx, const rhost_value *settings)
{
    char *text = rhost_alloc(ctx, put_text(NULL, settings) + 1);

    (void)put_text(text, settings);
    return text;
}
