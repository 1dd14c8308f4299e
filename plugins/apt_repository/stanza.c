/* SPDX-License-Identifier: Apache-2.0 */
/* stanza - the fields of a file in the deb822 format, found and edited in its lines. */

#include "stanza.h"

#include <strings.h>

static int
is_empty(const struct rhost_line *line)
{
    for (size_t i = 0; i < line->len; i++)
        if (line->text[i] != ' ' && line->text[i] != '\t')
            return 0;
    return 1;
}

static int
is_comment(const struct rhost_line *line)
{
    return line->len && *line->text == '#';
}

static int
goes_on(const struct rhost_line *line)
{
    return line->len && (*line->text == ' ' || *line->text == '\t') && !is_empty(line);
}

/* How long the name is that the line begins with; 0: it begins with none. */
static size_t
name_length(const struct rhost_line *line)
{
    size_t n = 0;

    while (n < line->len && line->text[n] > ' ' && line->text[n] < 127 && line->text[n] != ':')
        n++;
    return n < line->len && line->text[n] == ':' && *line->text != '#' && *line->text != '-' ? n : 0;
}

int
stanza_count(const struct rhost_lines *l, size_t *at)
{
    int n = 0, inside = 0;

    for (size_t i = 0; i < l->n; i++) {
        *at = i;
        if (memchr(l->at[i].text, '\0', l->at[i].len))
            return -1;
        if (is_empty(&l->at[i])) {
            inside = 0;
        } else if (name_length(&l->at[i])) {
            n += !inside;
            inside = 1;
        } else if (!is_comment(&l->at[i]) && !(inside && goes_on(&l->at[i]))) {
            return -1;
        }
    }
    return n;
}

static size_t
begin(const struct rhost_lines *l)
{
    size_t i = 0;

    while (i < l->n && !name_length(&l->at[i]))
        i++;
    return i;
}

/* Adds a piece of text without the blanks at its end. */
static void
append(char *value, size_t *len, const char *text, size_t n)
{
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    memcpy(value + *len, text, n);
    *len += n;
}

int
stanza_next(rhost_ctx *ctx, const struct rhost_lines *l, size_t from, struct stanza_field *field)
{
    const struct rhost_line *line;
    size_t first = begin(l), i = from > first ? from : first, n, room = 1, len = 0, last;
    char *name, *value;

    while (i < l->n && is_comment(&l->at[i]))
        i++;
    if (i >= l->n || !(n = name_length(&l->at[i])))
        return 0;
    line = &l->at[i];
    name = rhost_alloc(ctx, n + 1);
    memcpy(name, line->text, n);
    for (last = i, room += line->len; last + 1 < l->n; last++) {
        if (!goes_on(&l->at[last + 1]) && !is_comment(&l->at[last + 1]))
            break;
        room += l->at[last + 1].len + 1;
    }
    while (last > i && is_comment(&l->at[last]))
        last--; /* belongs to the field behind it */
    value = rhost_alloc(ctx, room);
    for (n++; n < line->len && (line->text[n] == ' ' || line->text[n] == '\t'); n++)
        continue;
    append(value, &len, line->text + n, line->len - n);
    for (size_t k = i + 1; k <= last; k++) {
        size_t start = len;

        if (is_comment(&l->at[k]))
            continue;
        value[len++] = '\n';
        append(value, &len, l->at[k].text + 1, l->at[k].len - 1);
        if (len == start + 2 && value[start + 1] == '.')
            len--;
    }
    value[len] = '\0';
    field->name = name;
    field->value = value;
    field->line = i;
    field->n_lines = last - i + 1;
    return 1;
}

int
stanza_find(rhost_ctx *ctx, const struct rhost_lines *l, const char *name, struct stanza_field *field)
{
    for (size_t i = 0; stanza_next(ctx, l, i, field); i = field->line + field->n_lines)
        if (strcasecmp(field->name, name) == 0)
            return 1;
    return 0;
}

void
stanza_put(rhost_ctx *ctx, struct rhost_lines *l, const char *name, const char *value)
{
    struct stanza_field field;
    size_t at = begin(l), room = value ? strlen(name) + strlen(value) + 4 : 0;
    char *text = rhost_alloc(ctx, room + 1);
    int first = 1;

    if (stanza_find(ctx, l, name, &field)) {
        name = field.name; /* as it was spelled */
        at = field.line;
        rhost_lines_remove(l, field.line, field.n_lines);
    } else {
        for (size_t i = 0; stanza_next(ctx, l, i, &field); i = at)
            at = field.line + field.n_lines;
    }
    while (value) {
        size_t n = strcspn(value, "\n");

        if (first)
            snprintf(text, room, "%s:%s%.*s", name, n ? " " : "", (int)n, value);
        else
            snprintf(text, room, " %.*s", n ? (int)n : 1, n ? value : ".");
        rhost_lines_insert(l, at++, text, strlen(text));
        first = 0;
        value = value[n] ? value + n + 1 : NULL;
    }
}
