/* SPDX-License-Identifier: Apache-2.0 */
/* nft_table - keep tables of nftables, with their chains, rules and sets, by nft. */

#include "carry.h"
#include "kept.h"
#include "nft.h"

#include <rhost/posix.h>
#include <rhost/private.h>

static const struct rhost_attr attrs[] = {
    { .name = "table",
      .type = "Pattern[/\\A" NFT_TABLE_TYPE "\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The family and the name of the table, such as 'inet filter'." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the kernel has the table." },
    { .name = "content",
      .type = "Optional[String]",
      .desc = "What stands between its braces: chains, rules, sets." },
    { .name = "file",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "A file that gets the table as well, for the next boot." },
    { .name = "rules",
      .type = "Enum[declared, noted]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"declared\"",
      .desc = "Which rules of nft_rule stay: those of the manifest, or those of the last run as well." },
};

static const char *const relations[] = { "owns path[$file]", "restores with rules=noted", NULL };

static int32_t
table_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "file");
    return 0;
}

static int32_t
table_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *content = rhost_str(resource, "content");

    if (rhost_has(resource, "file") && !content && !rhost_wants_absence(resource))
        return rhost_fail_attr(ctx, "file", "without 'content' there is nothing to write");
    return content ? nft_check(ctx, "content", content, 0) : 0;
}

/* --- Reading. -------------------------------------------------------------------------------- */

/* A line of a listing: *line without what it is indented by, and the line after it. */
static const char *
next_line(const char *at, const char **line, size_t *len)
{
    *line = at + strspn(at, "\t ");
    *len = strcspn(*line, "\n");
    return *line + *len + ((*line)[*len] == '\n');
}

static int
begins(const char *line, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && strncmp(line, with, n) == 0;
}

/* How many braces it leaves open. */
static int
depth_of(const char *line, size_t len)
{
    int deep = 0, quoted = 0;

    for (size_t i = 0; i < len; i++) {
        if (line[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            deep += (line[i] == '{') - (line[i] == '}');
    }
    return deep;
}

/* What is listed between the braces of the table. The elements of sets that the kernel fills by itself come
 * and go: they are left out, and so are the rules that other resources keep. */
static const char *
body(rhost_ctx *ctx, const struct carry *c, const char *listing)
{
    char *text = rhost_alloc(ctx, 2 * strlen(listing) + 1), *to = text;
    const char *at = strchr(listing, '\n'), *line, *start, *chain = NULL;
    int deep = 0, fills = 0, left_out = 0;
    size_t len;

    for (at = at ? at + 1 : ""; *at;) {
        start = at;
        at = next_line(at, &line, &len);
        if (deep == 0 && *line == '}')
            break;
        if (deep == 0) {
            fills = 0;
            chain = begins(line, len, "chain ") ? rhost_copy(ctx, line + 6, strcspn(line + 6, " ")) : NULL;
        }
        if (carry_has(ctx, c, chain, line, len))
            continue;
        if (begins(line, len, "flags ")
            && (memmem(line, len, "dynamic", 7) || memmem(line, len, "timeout", 7)))
            fills = 1;
        if (fills && begins(line, len, "elements = "))
            left_out = deep + 1;
        deep += depth_of(line, len);
        if (left_out) {
            if (deep < left_out)
                left_out = 0;
            continue;
        }
        for (start++; start < line; start++)
            to = stpcpy(to, "  ");
        memcpy(to, line, (size_t)(at - line));
        to += at - line;
    }
    *to = '\0';
    return text;
}

/* As nft_list(), of a whole table. */
static const char *
list_whole(rhost_ctx *ctx, const char *table, const char **why)
{
    const char *listing = nft_list(ctx, rhost_fmt(ctx, "table %s", table), 0, why);

    if (*why)
        *why = rhost_fmt(ctx, "cannot list the table '%s': %s", table, *why);
    return listing;
}

/* What is listed of it without the rules of others. */
static const char *
list_table(rhost_ctx *ctx, const struct carry *c, const char **why)
{
    const char *listing = list_whole(ctx, c->table, why);

    return listing ? body(ctx, c, listing) : NULL;
}

static int32_t
emit(rhost_ctx *ctx, const char *table, const char *content, const char *file)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_str(one, "table", table);
    rhost_put_str(one, "ensure", "present");
    if (content)
        rhost_put_str(one, "content", content);
    if (file)
        rhost_put_str(one, "file", file);
    return ctx->host->emit(ctx, one);
}

static int32_t
get_all(rhost_ctx *ctx)
{
    const char *why, *at = nft_list(ctx, "tables", 0, &why), *line;
    size_t len;

    if (!at)
        return rhost_fail(ctx, "cannot list the tables: %s", why ? why : "the kernel has no nftables");
    while (*at) {
        struct carry c = { .noted = NULL };
        const char *content;

        at = next_line(at, &line, &len);
        if (!begins(line, len, "table "))
            continue;
        c.table = rhost_copy(ctx, line + 6, len - 6);
        content = list_table(ctx, &c, &why);
        if (why)
            return rhost_fail(ctx, "%s", why);
        if (content && emit(ctx, c.table, content, NULL) < 0)
            return -1;
    }
    return 0;
}

static int32_t
get_one(rhost_ctx *ctx, const rhost_value *name, const rhost_value *wanted)
{
    struct carry c = carry_of(ctx, name, wanted);
    const char *table = c.table, *why, *content = list_table(ctx, &c, &why), *text;
    const char *file = rhost_str(wanted, "file");
    int there = file ? kept_look(ctx, file, table, &text, &why) : KEPT_NONE;

    if (there == KEPT_OTHER && !rhost_wants_absence(wanted))
        why = kept_other(ctx, file);
    if (why)
        rhost_fail_name(ctx, name, "%s", why);
    else if (content)
        return emit(ctx, table, content, there == KEPT_OURS ? file : NULL);
    else if (there == KEPT_OURS && rhost_wants_absence(wanted)) /* it would come back at the next boot */
        return emit(ctx, table, kept_content(ctx, table, text), file);
    return 0;
}

static int32_t
table_get(rhost_ctx *ctx, const rhost_value *names)
{
    if (!names)
        return get_all(ctx);
    for (size_t i = 0; i < rhost_count(names); i++)
        if (get_one(ctx, rhost_at(names, i, NULL), rhost_asked(ctx, i)) < 0)
            return -1;
    return 0;
}

/* Of a table that is as it should be: whether the file for the next boot has it as well. That it is not there
 * at all is a difference of its own. */
static int32_t
check_file(rhost_ctx *ctx, const struct rhost_change *change, const char *content)
{
    const char *file = rhost_str(change->should, "file"), *table = rhost_str(change->name, "table"), *text,
               *why;
    int there = file && rhost_has(change->is, "file") ? kept_look(ctx, file, table, &text, &why) : KEPT_NONE;

    if (there < 0)
        return rhost_fail_attr(ctx, "file", "%s", why);
    return there == KEPT_OURS && strcmp(text, kept_text(ctx, table, content)) != 0
               ? rhost_differs(ctx, "the file '%s' has another one", file)
               : 0;
}

static int32_t
table_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "content"), *should = rhost_str(change->should, "content");
    int32_t result;

    if (strcmp(attribute, "content") != 0 || !is || !should)
        return RHOST_DEFAULT_COMPARISON;
    result = nft_insync(ctx, change->name, should, is);
    return result == 0 ? check_file(ctx, change, should) : result;
}

/* --- Writing. -------------------------------------------------------------------------------- */

/* What a change takes. */
struct work {
    const char *own, *carried; /* commands: for the table, and for the rules of others in it */
    const char *why;           /* why there are none; NULL: there are */
};

/* In one transaction with all others, so that there is no moment without the table, or without the rules of
 * nft_rule in it. */
static struct work
work_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct carry c = carry_of(ctx, change->name, change->should);
    const char *content = rhost_str(change->should, "content"), *listing;
    struct work w = { .own = "", .carried = "" };

    if (rhost_gone(change)) { /* one that is not there any more would refuse all of them */
        w.own = rhost_fmt(ctx, "add table %s\ndelete table %s\n", c.table, c.table);
    } else if (!content) {
        w.own = rhost_fmt(ctx, "add table %s\n", c.table);
    } else {
        listing = list_whole(ctx, c.table, &w.why);
        if (!w.why)
            w.own = rhost_fmt(ctx, "add table %s\ndelete table %s\ntable %s {\n%s\n}\n", c.table, c.table,
                              c.table, content);
        if (listing)
            w.carried = carry_commands(ctx, &c, listing, content);
    }
    return w;
}

enum { BEFORE = 3 }; /* lines before the content */

#define WRITTEN "file" /* the note of the file for the next boot */

/* What is left to do once the kernel has it: the note, and the file. Where one fails, the reason is given. */
static void
finish(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *content = rhost_str(change->should, "content"), *why, *listed;
    const char *file = rhost_str(change->should, "file"), *table = rhost_str(change->name, "table");
    struct carry c = carry_of(ctx, change->name, change->should);

    if (rhost_gone(change)) {
        if (!file) /* a purge has no desired state */
            file = rhost_private_get(ctx, change->name, WRITTEN);
        if (file)
            kept_remove(ctx, file, table);
        return;
    }
    if (!content)
        return;
    listed = list_whole(ctx, table, &why);
    if (!listed)
        rhost_fail(ctx, "%s", why ? why : "something else has removed the table");
    else if (nft_note(ctx, change->name, content, body(ctx, &c, listed)) == 0
             && carry_note(ctx, change->name, &c, listed) == 0 && file
             && rhost_private_put(ctx, change->name, WRITTEN, file) == 0)
        kept_write(ctx, file, table, content);
}

static int32_t
doing(const struct rhost_change *change)
{
    return rhost_gone(change) ? RHOST_DELETING : change->is ? RHOST_UPDATING : RHOST_CREATING;
}

/* One by itself: 0, with *why where it is refused; -1 with the reason given. */
static int32_t
do_one(rhost_ctx *ctx, const struct work *w, const char **why)
{
    const char *all = rhost_fmt(ctx, "%s%s", w->own, w->carried), *own, *fit;

    if (nft_run(ctx, all, BEFORE, why) < 0)
        return -1;
    if (!*why || !*w->carried)
        return 0;
    if (nft_try(ctx, w->own, &own) < 0 || nft_try(ctx, all, &fit) < 0)
        return -1;
    if (!own && fit)
        *why = rhost_fmt(ctx, "a rule of nft_rule does not fit it: %s", fit);
    return 0;
}

static const char *
join(rhost_ctx *ctx, const struct work *all, size_t n)
{
    const char *text = "";

    for (size_t i = 0; i < n; i++)
        text = rhost_fmt(ctx, "%s%s%s", text, all[i].own, all[i].carried);
    return text;
}

/* All of them in one transaction; where the kernel refuses that, each by itself, so that only what is at
 * fault fails. */
static int32_t
table_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct work *all = rhost_alloc(ctx, n * sizeof *all);
    const char *refused;

    for (size_t i = 0; i < n; i++)
        all[i] = work_of(ctx, changes[i]);
    if (nft_run(ctx, join(ctx, all, n), -1, &refused) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        uint64_t scope = rhost_begin(ctx, doing(changes[i]), changes[i]->title);
        const char *why = NULL;

        if (all[i].why)
            (void)rhost_fail(ctx, "%s", all[i].why);
        else if (refused && do_one(ctx, &all[i], &why) < 0)
            ; /* the reason is given */
        else if (why)
            (void)rhost_fail_attr(ctx, "content", "the kernel does not take it: %s", why);
        else
            finish(ctx, changes[i]);
        rhost_end(ctx, scope);
    }
    return 0;
}

static const char *const needs[] = { "root", "write[$file]", "run[nft]",
                                     "capability[chown dac_override dac_read_search fowner fsetid] if $file",
                                     NULL };

static const struct rhost_provider nft_table_provider = {
    RHOST_PROVIDER("nft_table", "Keep tables of nftables, with their chains, rules and sets."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_GATHERS | RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .canonicalize = table_canonicalize,
    .suits = nft_suits,
    .validate = table_validate,
    .insync = table_insync,
    .get = table_get,
    .set = table_set,
};

RHOST_PLUGIN(nft_table, "1.0", &nft_table_provider)
