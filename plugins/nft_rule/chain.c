/* SPDX-License-Identifier: Apache-2.0 */
/* chain - the rules of a chain that have a comment. */

#include "chain.h"

#include "../nft_table/nft.h"

const char *
rules_place(rhost_ctx *ctx, const rhost_value *name)
{
    return rhost_fmt(ctx, "%s %s", rhost_str(name, "table"), rhost_str(name, "chain"));
}

/* The last place where `what` stands, or NULL. */
static const char *
last(const char *from, const char *end, const char *what)
{
    const char *at = NULL;

    while ((from = memmem(from, (size_t)(end - from), what, strlen(what))))
        at = from++;
    return at;
}

/* Of a line of a listing: `RULE comment "NAME" # handle 4`. 0: it is no rule with a name. */
static int
take_rule(rhost_ctx *ctx, const char *line, size_t len, struct named_rule *r)
{
    static const char handle[] = " # handle ", comment[] = " comment \"";
    const char *end = line + len, *at = last(line, end, handle), *name;

    if (!at || at == line || at[-1] != '"')
        return 0;
    name = last(line, at, comment);
    if (!name)
        return 0;
    r->handle = rhost_copy(ctx, at + sizeof handle - 1, (size_t)(end - at) - (sizeof handle - 1));
    r->rule = rhost_copy(ctx, line, (size_t)(name - line));
    name += sizeof comment - 1;
    r->name = rhost_copy(ctx, name, (size_t)(at - 1 - name));
    return *r->handle && r->handle[strspn(r->handle, "0123456789")] == '\0';
}

/* What stands between a word and a brace. */
static const char *
title_of(rhost_ctx *ctx, const char *line, size_t len, const char *word)
{
    size_t n = strlen(word), title;

    if (len <= n || strncmp(line, word, n) != 0)
        return NULL;
    title = strcspn(line + n, "{\n");
    while (title && line[n + title - 1] == ' ')
        title--;
    return rhost_copy(ctx, line + n, title);
}

static size_t
count_lines(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

struct rules
rules_list(rhost_ctx *ctx, const char *place)
{
    int all = strcmp(place, "ruleset") == 0, empty;
    struct rules r = { .place = place };
    const char *at = nft_list(ctx, all ? place : rhost_fmt(ctx, "chain %s", place), 1, &r.why), *name;
    struct named_rule now = { .table = "" };
    size_t tables = 0;

    if (!at)
        return r;
    empty = !*at;
    r.all = rhost_alloc(ctx, (count_lines(at) + 1) * sizeof *r.all);
    while (*at) {
        const char *line = at + strspn(at, " \t");
        size_t len = strcspn(line, "\n");

        at = line + len + (line[len] == '\n');
        if ((name = title_of(ctx, line, len, "table "))) {
            now.table = name;
            tables++;
        } else if ((name = title_of(ctx, line, len, "chain ")))
            now.chain = name;
        else if (*line == '}')
            now.chain = NULL;
        else if (now.chain && take_rule(ctx, line, len, &now))
            r.all[r.n++] = now;
    }
    r.exists = 1;
    if (!tables && !(all && empty))
        r.why = "nft printed what is no list of rules";
    return r;
}

const struct named_rule *
rules_find(const struct rules *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->all[i].name, name) == 0)
            return &r->all[i];
    return NULL;
}

size_t
rules_count(const struct rules *r, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < r->n; i++)
        count += strcmp(r->all[i].name, name) == 0;
    return count;
}
