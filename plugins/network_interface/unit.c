/* SPDX-License-Identifier: Apache-2.0 */
/* unit - the settings in the lines of a file such as eth0.network, and how to change them there and nothing
 * else. */

#include "unit.h"

static int
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *
trimmed(rhost_ctx *ctx, const char *text, size_t len)
{
    while (len && is_blank(*text)) {
        text++;
        len--;
    }
    while (len && is_blank(text[len - 1]))
        len--;
    return rhost_copy(ctx, text, len);
}

static int
is_comment(const struct rhost_line *line)
{
    size_t at = 0;

    while (at < line->len && is_blank(line->text[at]))
        at++;
    return at < line->len && (line->text[at] == '#' || line->text[at] == ';');
}

static int
goes_on(const struct rhost_line *line)
{
    return line->len && line->text[line->len - 1] == '\\';
}

/* The text of the entry that begins with line i, of *n lines. Comments within it are left out. */
static const char *
entry_text(rhost_ctx *ctx, const struct rhost_lines *l, size_t i, size_t *n)
{
    size_t k = i, room = 1, len = 0;
    char *text;

    while (k + 1 < l->n && (goes_on(&l->at[k]) || (k > i && is_comment(&l->at[k]))))
        k++;
    for (size_t at = i; at <= k; at++)
        room += l->at[at].len;
    text = rhost_alloc(ctx, room);
    for (size_t at = i; at <= k; at++) {
        if (at > i && is_comment(&l->at[at]))
            continue;
        memcpy(text + len, l->at[at].text, l->at[at].len);
        len += l->at[at].len;
        if (goes_on(&l->at[at]))
            text[len - 1] = ' ';
    }
    *n = k - i + 1;
    return trimmed(ctx, text, len);
}

struct unit
unit_parse(rhost_ctx *ctx, const struct rhost_lines *l)
{
    struct unit u = { 0 };
    size_t n;

    u.entries = rhost_alloc(ctx, (l->n + 1) * sizeof *u.entries);
    u.sections = rhost_alloc(ctx, (l->n + 1) * sizeof *u.sections);
    for (size_t i = 0; i < l->n; i += n) {
        const char *text, *equals;

        n = 1;
        if (is_comment(&l->at[i]))
            continue;
        text = entry_text(ctx, l, i, &n);
        if (*text == '[' && text[strlen(text) - 1] == ']') {
            u.sections[u.n_sections++] =
                (struct unit_section){ rhost_copy(ctx, text + 1, strlen(text) - 2), i };
            continue;
        }
        equals = strchr(text, '=');
        if (!equals || !u.n_sections) /* networkd takes no notice of it */
            continue;
        u.entries[u.n_entries++] = (struct unit_entry){
            .section = u.n_sections - 1,
            .line = i,
            .lines = n,
            .key = trimmed(ctx, text, (size_t)(equals - text)),
            .value = trimmed(ctx, equals + 1, strlen(equals + 1)),
        };
    }
    return u;
}

static int
is_of(const struct unit *u, const struct unit_entry *e, const char *section, const char *key)
{
    return strcmp(u->sections[e->section].name, section) == 0 && strcmp(e->key, key) == 0;
}

size_t
unit_count(const struct unit *u, size_t section, const char *key, const struct unit_entry **last)
{
    size_t n = 0;

    for (size_t i = 0; i < u->n_entries; i++)
        if (u->entries[i].section == section && (!key || strcmp(u->entries[i].key, key) == 0)) {
            n++;
            if (last)
                *last = &u->entries[i];
        }
    return n;
}

const char *
unit_last(const struct unit *u, const char *section, const char *key)
{
    const char *value = NULL;

    for (size_t i = 0; i < u->n_entries; i++)
        if (is_of(u, &u->entries[i], section, key))
            value = *u->entries[i].value ? u->entries[i].value : NULL;
    return value;
}

rhost_value *
unit_words(rhost_ctx *ctx, const struct unit *u, const char *section, const char *key)
{
    rhost_value *in = ctx->host->new_hash(ctx), *words = ctx->host->put_array(in, "words");

    for (size_t i = 0; i < u->n_entries; i++) {
        const char *at = u->entries[i].value;

        if (!is_of(u, &u->entries[i], section, key))
            continue;
        if (!*at)
            words = ctx->host->put_array(in, "words");
        while (*at) {
            size_t len = strcspn(at, " \t");

            if (len)
                rhost_put_bytes(words, NULL, at, len);
            at += len + strspn(at + len, " \t");
        }
    }
    return words;
}

void
unit_remove(struct rhost_lines *l, const struct unit_entry *e)
{
    rhost_lines_remove(l, e->line, e->lines);
}

/* Comments behind its last entry stay: they may be about what follows. */
void
unit_remove_section(struct rhost_lines *l, const struct unit *u, size_t section)
{
    const struct unit_entry *last = NULL;
    size_t from = u->sections[section].line, end = from + 1;

    if (unit_count(u, section, NULL, &last))
        end = last->line + last->lines;
    while (from > 0 && l->at[from - 1].len == 0 && (end == l->n || l->at[end].len == 0))
        from--;
    rhost_lines_remove(l, from, end - from);
}

void
unit_add_section(rhost_ctx *ctx, struct rhost_lines *l, const char *section, const char *const *lines)
{
    if (l->n && l->at[l->n - 1].len)
        rhost_lines_append(l, "");
    rhost_lines_append(l, rhost_fmt(ctx, "[%s]", section));
    for (; *lines; lines++)
        rhost_lines_append(l, *lines);
}

void
unit_add(rhost_ctx *ctx, struct rhost_lines *l, const char *section, const char *key, const char *value)
{
    struct unit u = unit_parse(ctx, l);
    const char *line = rhost_fmt(ctx, "%s=%s", key, value);
    size_t at = 0;

    for (size_t i = 0; i < u.n_sections; i++)
        if (strcmp(u.sections[i].name, section) == 0)
            at = u.sections[i].line + 1;
    for (size_t i = 0; i < u.n_entries; i++)
        if (strcmp(u.sections[u.entries[i].section].name, section) == 0
            && u.entries[i].line + u.entries[i].lines > at)
            at = u.entries[i].line + u.entries[i].lines;
    for (size_t i = 0; i < u.n_entries; i++)
        if (is_of(&u, &u.entries[i], section, key))
            at = u.entries[i].line + u.entries[i].lines;
    if (at)
        rhost_lines_insert(l, at, line, strlen(line));
    else
        unit_add_section(ctx, l, section, (const char *[]){ line, NULL });
}

/* Removes the sections of this name that have nothing left in them, not even a comment. */
static void
remove_empty(rhost_ctx *ctx, struct rhost_lines *l, const char *section)
{
    struct unit u = unit_parse(ctx, l);

    for (size_t i = u.n_sections; i-- > 0;) {
        size_t end = i + 1 < u.n_sections ? u.sections[i + 1].line : l->n, at = u.sections[i].line + 1;

        while (at < end && l->at[at].len == 0)
            at++;
        if (at == end && strcmp(u.sections[i].name, section) == 0)
            unit_remove_section(l, &u, i);
    }
}

void
unit_put(rhost_ctx *ctx, struct rhost_lines *l, const char *section, const char *key, const char *value)
{
    struct unit u = unit_parse(ctx, l);
    int placed = !value;

    for (size_t i = u.n_entries; i-- > 0;) {
        const struct unit_entry *e = &u.entries[i];

        if (!is_of(&u, e, section, key))
            continue;
        if (placed) {
            unit_remove(l, e);
            continue;
        }
        placed = 1;
        if (strcmp(e->value, value) != 0) {
            const char *line = rhost_fmt(ctx, "%s=%s", key, value);

            rhost_lines_put(l, e->line, line, strlen(line));
            if (e->lines > 1)
                rhost_lines_remove(l, e->line + 1, e->lines - 1);
        }
    }
    if (!placed)
        unit_add(ctx, l, section, key, value);
    if (!value)
        remove_empty(ctx, l, section);
}
