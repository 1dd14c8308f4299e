/* SPDX-License-Identifier: Apache-2.0 */
/* listing - reads .crates.toml: of TOML, what cargo writes into it. */

#include "listing.h"

struct reader {
    rhost_ctx *ctx;
    const char *text, *at;
};

/* Over blanks, comments and, in an array, line breaks. */
static void
skip(struct reader *r, int lines)
{
    for (;;) {
        r->at += strspn(r->at, lines ? " \t\r\n" : " \t\r");
        if (*r->at != '#')
            return;
        r->at += strcspn(r->at, "\n");
    }
}

static int
take(struct reader *r, char c)
{
    if (*r->at != c)
        return 0;
    r->at++;
    return 1;
}

/* A string in one line. The names of crates, versions, URLs and programs have no character that needs an
 * escape, but for a quote or a backslash. NULL: there is none. */
static const char *
read_string(struct reader *r)
{
    char quote = *r->at, *to, *all;
    size_t len;

    if (quote != '"' && quote != '\'')
        return NULL;
    r->at++;
    len = strcspn(r->at, "\n");
    to = all = rhost_alloc(r->ctx, len + 1);
    for (; *r->at && *r->at != '\n' && *r->at != quote; r->at++) {
        if (*r->at == '\\' && quote == '"') {
            r->at++;
            if (*r->at != '"' && *r->at != '\\')
                return NULL;
        }
        *to++ = *r->at;
    }
    *to = '\0';
    return take(r, quote) ? all : NULL;
}

/* How many strings there can be at most from here on. */
static size_t
count(const char *p, char c)
{
    size_t n = 0;

    for (; *p; p++)
        n += *p == c;
    return n;
}

static const char *const *
read_programs(struct reader *r)
{
    const char **all;
    size_t n = 0;

    if (!take(r, '['))
        return NULL;
    all = rhost_alloc(r->ctx, (count(rhost_copy(r->ctx, r->at, strcspn(r->at, "]")), ',') + 2) * sizeof *all);
    for (;;) {
        skip(r, 1);
        if (take(r, ']'))
            break;
        all[n] = read_string(r);
        if (!all[n] || !*all[n] || strchr(all[n], '/'))
            return NULL;
        n++;
        skip(r, 1);
        if (!take(r, ',') && *r->at != ']')
            return NULL;
    }
    all[n] = NULL;
    return all;
}

/* "NAME VERSION (SOURCE)" */
static int
split(rhost_ctx *ctx, struct listed *l)
{
    size_t name = strcspn(l->id, " "), version;

    if (!name || !l->id[name])
        return 0;
    version = strcspn(l->id + name + 1, " ");
    l->name = rhost_copy(ctx, l->id, name);
    l->version = rhost_copy(ctx, l->id + name + 1, version);
    return version > 0 && l->id[name + 1 + version] == ' ' && l->id[name + 2 + version] == '(';
}

static int
read_crate(struct reader *r, struct listed *l)
{
    *l = (struct listed){ .id = read_string(r) };
    if (!l->id || !split(r->ctx, l))
        return 0;
    skip(r, 0);
    if (!take(r, '='))
        return 0;
    skip(r, 0);
    l->programs = read_programs(r);
    return l->programs != NULL;
}

static const char *
refuse(const struct reader *r)
{
    size_t line = 1 + count(rhost_copy(r->ctx, r->text, (size_t)(r->at - r->text)), '\n');

    return rhost_fmt(r->ctx, "line %zu is not what cargo writes", line);
}

const char *
listing_read(rhost_ctx *ctx, const char *text, struct listing *to)
{
    struct reader r = { .ctx = ctx, .text = text, .at = text };

    *to = (struct listing){ .all = rhost_alloc(ctx, (count(text, '=') + 1) * sizeof *to->all) };
    skip(&r, 1);
    if (!*r.at)
        return NULL;
    if (strncmp(r.at, "[v1]", 4) != 0)
        return refuse(&r);
    r.at += 4;
    for (;;) {
        skip(&r, 0);
        if (*r.at && *r.at != '\n')
            return refuse(&r);
        skip(&r, 1);
        if (!*r.at)
            return NULL;
        if (!read_crate(&r, &to->all[to->n]))
            return refuse(&r);
        to->n++;
    }
}
