/* SPDX-License-Identifier: Apache-2.0 */
/* carry - the rules of nft_rule in a table. */

#include "carry.h"

#include "nft.h"

#include <rhost/dry-run.h>
#include <rhost/private.h>

enum { LONGEST_CHAIN = 256 };

struct carry
carry_of(rhost_ctx *ctx, const rhost_value *name, const rhost_value *wanted)
{
    struct carry c = { .table = rhost_str(name, "table") };

    if (strcmp(rhost_str_or(wanted, "rules", "declared"), "noted") == 0)
        c.noted = rhost_private_get(ctx, name, CARRY_NOTED_KEY);
    return c;
}

/* "CHAIN NAME" of a rule with a comment, or NULL. */
static const char *
title_of(rhost_ctx *ctx, const char *chain, const char *line, size_t len)
{
    static const char comment[] = " comment \"";
    const char *at = NULL, *p = line, *end = line + len;

    if (!chain || len < sizeof comment || line[len - 1] != '"')
        return NULL;
    while ((p = memmem(p, (size_t)(end - p), comment, sizeof comment - 1)))
        at = p++;
    if (!at)
        return NULL;
    at += sizeof comment - 1;
    return rhost_fmt(ctx, "%s %s", chain, rhost_copy(ctx, at, (size_t)(end - 1 - at)));
}

int
carry_has(rhost_ctx *ctx, const struct carry *c, const char *chain, const char *line, size_t len)
{
    const char *title = title_of(ctx, chain, line, len);

    if (!title)
        return 0;
    if (c->noted && strstr(c->noted, rhost_fmt(ctx, "\n%s\n", title)))
        return 1;
    return rhost_will_exist(ctx, "nft_rule", rhost_fmt(ctx, "%s %s", c->table, title));
}

/* Of a tidy content. */
static int
has_chain(const char *content, const char *chain)
{
    static const char word[] = "chain ";
    size_t n = strlen(chain);
    int deep = 0, quoted = 0;

    for (const char *p = content; *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        deep += (*p == '{') - (*p == '}');
        if (deep == 0 && strncmp(p, word, sizeof word - 1) == 0 && (p == content || strchr(" \n;}", p[-1]))
            && strncmp(p + sizeof word - 1, chain, n) == 0 && strchr(" {\n", p[sizeof word - 1 + n]))
            return 1;
    }
    return 0;
}

/* A walk over a listing, line by line. */
struct walk {
    const char *at, *line, *chain;
    size_t len;
};

static int
step(rhost_ctx *ctx, struct walk *w)
{
    int indented = 0;

    if (!*w->at)
        return 0;
    for (w->line = w->at; *w->line == '\t'; w->line++)
        indented++;
    w->len = strcspn(w->line, "\n");
    w->at = w->line + w->len + (w->line[w->len] == '\n');
    if (indented < 2)
        w->chain = strncmp(w->line, "chain ", 6) == 0
                       ? rhost_copy(ctx, w->line + 6, strcspn(w->line + 6, " "))
                       : NULL;
    return 1;
}

/* Whether a line of a chain is a rule. */
static int
is_rule(const struct walk *w)
{
    static const char *const others[] = { "chain ", "type ", "policy ", "comment ", "flags ", "}" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(w->line, others[i], strlen(others[i])) == 0)
            return 0;
    return w->len > 0;
}

/* Rules of one chain in front of whose first other rule they are, as long as there is none. */
struct front {
    struct walk *all;
    size_t n;
    int other; /* there is one */
};

static char *
put(char *to, const char *word, const struct carry *c, const struct walk *rule)
{
    to = stpcpy(to, word);
    to = stpcpy(stpcpy(stpcpy(to, " rule "), c->table), " ");
    to = stpcpy(stpcpy(to, rule->chain), " ");
    to = mempcpy(to, rule->line, rule->len);
    return stpcpy(to, "\n");
}

const char *
carry_commands(rhost_ctx *ctx, const struct carry *c, const char *listing, const char *content)
{
    const char *tidy = nft_tidy(ctx, content), *chain = NULL;
    size_t lines = 1, room;
    char *text, *to;
    struct walk w = { .at = listing };
    struct front f = { .n = 0 };

    for (const char *p = listing; *p; p++)
        lines += *p == '\n';
    room = strlen(listing) + lines * (strlen(c->table) + LONGEST_CHAIN + sizeof "insert rule   \n") + 1;
    to = text = rhost_alloc(ctx, room);
    f.all = rhost_alloc(ctx, lines * sizeof *f.all);
    *to = '\0';
    while (step(ctx, &w)) {
        if (w.chain != chain) {
            for (size_t i = 0; i < f.n; i++)
                to = put(to, "add", c, &f.all[i]);
            f.n = 0;
            f.other = 0;
            chain = w.chain;
        }
        if (!w.chain || !is_rule(&w))
            continue;
        if (!carry_has(ctx, c, w.chain, w.line, w.len)) {
            while (f.n)
                to = put(to, "insert", c, &f.all[--f.n]);
            f.other = 1;
        } else if (has_chain(tidy, w.chain)) {
            if (f.other)
                to = put(to, "add", c, &w);
            else
                f.all[f.n++] = w;
        }
    }
    return text;
}

int32_t
carry_note(rhost_ctx *ctx, const rhost_value *name, const struct carry *c, const char *listing)
{
    char *text = rhost_alloc(ctx, strlen(listing) + RHOST_PRIVATE_LARGEST + LONGEST_CHAIN + 2);
    struct walk w = { .at = listing };
    size_t n = 0;

    text[n++] = '\n';
    while (step(ctx, &w) && n <= RHOST_PRIVATE_LARGEST) {
        const char *title = w.chain && carry_has(ctx, c, w.chain, w.line, w.len)
                                ? title_of(ctx, w.chain, w.line, w.len)
                                : NULL;

        if (title && n + strlen(title) + 1 <= RHOST_PRIVATE_LARGEST)
            n += (size_t)(stpcpy(stpcpy(text + n, title), "\n") - (text + n));
    }
    text[n] = '\0';
    return rhost_private_put(ctx, name, CARRY_NOTED_KEY, n > 1 ? text : NULL);
}
