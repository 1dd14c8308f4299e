/* SPDX-License-Identifier: Apache-2.0 */
/* record - a line of known_hosts: marker, names of the host, type and key. */

#include "record.h"

#include "hashed.h"

#include <strings.h>

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct key_part
word(const char **at, const char *end)
{
    struct key_part part = { *at, 0 };

    while (*at < end && !is_blank(**at))
        (*at)++;
    part.len = (size_t)(*at - part.at);
    return part;
}

static void
skip_blanks(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        (*at)++;
}

int
record_parse(const char *line, size_t len, struct record *r)
{
    const char *at = line, *end = line + len;

    memset(r, 0, sizeof *r);
    skip_blanks(&at, end);
    if (at == end || *at == '#')
        return 0;
    if (*at == '@') {
        at++;
        r->marker = word(&at, end);
        skip_blanks(&at, end);
    }
    r->hosts = word(&at, end);
    r->rest = at;
    return r->hosts.len && key_parse(at, (size_t)(end - at), &r->k) && r->k.options.len == 0;
}

/* The next of the names; 0: there is none. */
static int
next_name(struct key_part hosts, size_t *at, struct key_part *name)
{
    const char *comma;

    if (*at >= hosts.len)
        return 0;
    name->at = hosts.at + *at;
    comma = memchr(name->at, ',', hosts.len - *at);
    name->len = comma ? (size_t)(comma - name->at) : hosts.len - *at;
    *at += name->len + 1;
    return 1;
}

static int
is_name(struct key_part name, const char *host)
{
    return (name.len == strlen(host) && strncasecmp(name.at, host, name.len) == 0)
           || hashed_is(name.at, name.len, host);
}

int
record_is_for(const struct record *r, const char *marker, const char *host)
{
    struct key_part name;

    if (!key_part_is(r->marker, marker))
        return 0;
    for (size_t at = 0; next_name(r->hosts, &at, &name);)
        if (is_name(name, host))
            return 1;
    return 0;
}

static const char *
key_of(rhost_ctx *ctx, const struct record *r)
{
    return rhost_fmt(ctx, "%.*s %.*s", (int)r->k.type.len, r->k.type.at, (int)r->k.blob.len, r->k.blob.at);
}

static int
has(const rhost_value *keys, const char *key)
{
    for (size_t i = 0; i < rhost_count(keys); i++)
        if (strcmp(rhost_str_at(keys, i), key) == 0)
            return 1;
    return 0;
}

size_t
record_keys(rhost_ctx *ctx, const struct rhost_lines *l, const char *marker, const char *host,
            rhost_value *into)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        struct record r;

        if (!record_parse(l->at[i].text, l->at[i].len, &r) || !record_is_for(&r, marker, host))
            continue;
        n++;
        /* A key that is cut short is none: it is not reported, and what is desired takes its place. */
        if (key_is_whole(&r.k) && !has(into, key_of(ctx, &r)))
            rhost_put_str(into, NULL, key_of(ctx, &r));
    }
    return n;
}

/* The line without this name; NULL: it has no other. */
static const char *
without(rhost_ctx *ctx, const struct record *r, const struct rhost_line *line, const char *host)
{
    const char *hosts = "";
    struct key_part name;

    for (size_t at = 0; next_name(r->hosts, &at, &name);)
        if (!is_name(name, host))
            hosts = rhost_fmt(ctx, "%s%s%.*s", hosts, *hosts ? "," : "", (int)name.len, name.at);
    if (!*hosts)
        return NULL;
    return rhost_fmt(ctx, "%.*s%s%.*s", (int)(r->hosts.at - line->text), line->text, hosts,
                     (int)(line->text + line->len - r->rest), r->rest);
}

static const char *
compose(rhost_ctx *ctx, const char *marker, const char *host, const char *key, int hash)
{
    const char *name = hash ? hashed_make(ctx, host) : host;

    return name ? rhost_fmt(ctx, "%s%s%s%s %s", *marker ? "@" : "", marker, *marker ? " " : "", name, key)
                : NULL;
}

const char *
record_edit(rhost_ctx *ctx, struct rhost_lines *l, const char *marker, const char *host,
            const rhost_value *keys, int hash)
{
    char *goes = rhost_alloc(ctx, l->n + 1), *kept = rhost_alloc(ctx, rhost_count(keys) + 1);

    for (size_t i = 0; i < l->n; i++) {
        const char *key, *rest;
        struct record r;
        size_t k = 0;

        if (!record_parse(l->at[i].text, l->at[i].len, &r) || !record_is_for(&r, marker, host))
            continue;
        for (key = key_of(ctx, &r); k < rhost_count(keys) && strcmp(rhost_str_at(keys, k), key) != 0;)
            k++;
        if (k < rhost_count(keys) && !kept[k]) {
            kept[k] = 1;
            continue;
        }
        rest = without(ctx, &r, &l->at[i], host);
        if (rest)
            rhost_lines_put(l, i, rest, strlen(rest));
        else
            goes[i] = 1;
    }
    rhost_lines_remove_marked(l, goes);
    for (size_t k = 0; k < rhost_count(keys); k++) {
        const char *line = kept[k] ? NULL : compose(ctx, marker, host, rhost_str_at(keys, k), hash);

        if (line)
            rhost_lines_append(l, line);
        else if (!kept[k])
            return "the system gives no random bytes for a salt";
    }
    return NULL;
}
