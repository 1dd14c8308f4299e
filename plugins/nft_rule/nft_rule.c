/* SPDX-License-Identifier: Apache-2.0 */
/* nft_rule - keep single rules in chains of nftables, each known by its comment, by nft. */

#include "chain.h"

#include "../nft_table/nft.h"

#include <rhost/dry-run.h>

#include <stdlib.h>

#define COMMENT "[^\"\\\\\\x00-\\x1f\\x7f]{1,120}"

static const struct rhost_attr attrs[] = {
    { .name = "table",
      .type = "Pattern[/\\A" NFT_TABLE_TYPE "\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The family and the name of the table, such as 'inet filter'." },
    { .name = "chain",
      .type = "Pattern[/\\A[a-zA-Z_][a-zA-Z0-9_.]{0,62}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the chain, such as input." },
    { .name = "name",
      .type = "Pattern[/\\A" COMMENT "\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What the rule is called: its comment in the kernel." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the chain has the rule." },
    { .name = "rule",
      .type = "Optional[String[1]]",
      .desc = "The rule without its comment, such as 'tcp dport 22 accept'." },
    { .name = "position",
      .type = "Enum[first, last]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"last\"",
      .desc = "Where in the chain a rule that is not there yet goes." },
};

#define SEVERAL "several rules of the chain have the comment"
#define OTHER_REFUSED "another rule of the chain was refused: nothing of it is changed"

static const char *const title_patterns[] = { "\\A(?<table>\\w+ [\\w.]+) (?<chain>[\\w.]+) (?<name>.+)\\z",
                                              NULL };

static const char *const relations[] = { "autorequire nft_table[$table]", "loses its place among the rules",
                                         NULL };

static int32_t
rule_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *rule = rhost_str(resource, "rule");

    return rule ? nft_check(ctx, "rule", rule, 1) : 0;
}

static int32_t
emit(rhost_ctx *ctx, const struct named_rule *r)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_fmt(one, "title", "%s %s %s", r->table, r->chain, r->name);
    rhost_put_str(one, "table", r->table);
    rhost_put_str(one, "chain", r->chain);
    rhost_put_str(one, "name", r->name);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "rule", r->rule);
    return ctx->host->emit(ctx, one);
}

static int32_t
get_all(rhost_ctx *ctx)
{
    struct rules r = rules_list(ctx, "ruleset");

    if (r.why)
        return rhost_fail(ctx, "cannot list the rules: %s", r.why);
    for (size_t i = 0; i < r.n; i++)
        if (emit(ctx, &r.all[i]) < 0)
            return -1;
    return 0;
}

/* Those of the names, from this one on, that are in its chain. */
static int32_t
get_of_chain(rhost_ctx *ctx, const rhost_value *names, size_t from)
{
    struct rules r = rules_list(ctx, rules_place(ctx, rhost_at(names, from, NULL)));

    for (size_t i = from; i < rhost_count(names); i++) {
        const rhost_value *name = rhost_at(names, i, NULL);
        const struct named_rule *one = rules_find(&r, rhost_str(name, "name"));

        if (strcmp(rules_place(ctx, name), r.place) != 0)
            continue;
        if (r.why)
            rhost_fail_name(ctx, name, "cannot list the chain '%s': %s", r.place, r.why);
        else if (rules_count(&r, rhost_str(name, "name")) > 1)
            rhost_fail_name(ctx, name, "%s", SEVERAL);
        else if (one && emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

/* Each chain is listed once. */
static int32_t
rule_get(rhost_ctx *ctx, const rhost_value *names)
{
    if (!names)
        return get_all(ctx);
    for (size_t i = 0; i < rhost_count(names); i++) {
        const char *place = rules_place(ctx, rhost_at(names, i, NULL));
        size_t first = 0;

        while (strcmp(rules_place(ctx, rhost_at(names, first, NULL)), place) != 0)
            first++;
        if (first == i && get_of_chain(ctx, names, i) < 0)
            return -1;
    }
    return 0;
}

static int32_t
rule_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "rule"), *should = rhost_str(change->should, "rule");

    if (strcmp(attribute, "rule") != 0 || !is || !should)
        return RHOST_DEFAULT_COMPARISON;
    return nft_insync(ctx, change->name, should, is);
}

/* The chains of some changes, each listed once. */
struct chains {
    struct rules *all;
    size_t n;
};

static const struct rules *
chain_of(rhost_ctx *ctx, const struct chains *c, const struct rhost_change *change)
{
    const char *place = rules_place(ctx, change->name);

    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->all[i].place, place) == 0)
            return &c->all[i];
    return NULL;
}

static struct chains
list_chains(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct chains c = { .all = rhost_alloc(ctx, n * sizeof *c.all) };

    for (size_t i = 0; i < n; i++)
        if (!chain_of(ctx, &c, changes[i]))
            c.all[c.n++] = rules_list(ctx, rules_place(ctx, changes[i]->name));
    return c;
}

/* What a change takes. */
struct work {
    const char *text; /* the command, "" where there is nothing to do */
    const char *why;  /* why there is none, or it was refused; NULL: there is */
    const char *attribute;
    const struct rules *chain; /* in which it is */
};

static struct work
work_of(rhost_ctx *ctx, const struct rhost_change *change, const struct rules *chain)
{
    const char *name = rhost_str(change->name, "name"), *rule = rhost_str(change->should, "rule");
    int first = strcmp(rhost_str_or(change->should, "position", "last"), "first") == 0;
    const struct named_rule *now = rules_find(chain, name);
    struct work w = { .text = "", .chain = chain };

    if (chain->why && (chain->exists || rhost_gone(change))) {
        w.why = rhost_fmt(ctx, "cannot list the chain '%s': %s", chain->place, chain->why);
    } else if (rules_count(chain, name) > 1) {
        w.why = SEVERAL;
    } else if (rhost_gone(change)) {
        if (now)
            w.text = rhost_fmt(ctx, "delete rule %s handle %s\n", chain->place, now->handle);
    } else if (!chain->exists) {
        w.why = rhost_fmt(ctx, "chain '%s' does not exist%s%s", chain->place, chain->why ? ": " : "",
                          chain->why ? chain->why : "");
    } else if (!rule) {
        w.why = "a rule that is not there yet needs it";
        w.attribute = "rule";
    } else if (now) {
        w.text = rhost_fmt(ctx, "replace rule %s handle %s %s comment \"%s\"\n", chain->place, now->handle,
                           rule, name);
    } else {
        w.text = rhost_fmt(ctx, "%s rule %s %s comment \"%s\"\n", first ? "insert" : "add", chain->place,
                           rule, name);
    }
    return w;
}

/* Notes what the kernel made of the rule; where that is not possible, the reason is given. */
static void
note(rhost_ctx *ctx, const struct rhost_change *change, const struct rules *chain)
{
    const struct named_rule *now = rules_find(chain, rhost_str(change->name, "name"));

    if (rhost_gone(change))
        return;
    if (now)
        nft_note(ctx, change->name, rhost_str(change->should, "rule"), now->rule);
    else
        rhost_fail(ctx, "something else has removed the rule");
}

static int
is_of(const struct work *w, const struct rules *chain)
{
    return w->chain == chain;
}

/* The commands of one chain, or with NULL of all. */
static const char *
join(rhost_ctx *ctx, const struct work *all, size_t n, const struct rules *chain)
{
    size_t room = 1;
    char *text, *end;

    for (size_t i = 0; i < n; i++)
        room += strlen(all[i].text);
    end = text = rhost_alloc(ctx, room);
    for (size_t i = 0; i < n; i++)
        if (!chain || is_of(&all[i], chain))
            end = stpcpy(end, all[i].text);
    return text;
}

/* Whether one of a chain has failed. */
static int
has_failed(const struct work *all, size_t n, const struct rules *chain)
{
    for (size_t i = 0; i < n; i++)
        if (is_of(&all[i], chain) && all[i].why)
            return 1;
    return 0;
}

/* Of a chain nothing is changed: those that have no reason of their own fail with `why`. */
static void
give_up(struct work *all, size_t n, const struct rules *chain, const char *why)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_of(&all[i], chain))
            continue;
        all[i].text = "";
        if (!all[i].why)
            all[i].why = why;
    }
}

/* Finds those that the kernel refuses of a chain, each by itself, and gives them the reason. */
static int32_t
find_refused(rhost_ctx *ctx, struct work *all, size_t n, const struct rules *chain)
{
    const char *why;

    for (size_t i = 0; i < n; i++) {
        if (!is_of(&all[i], chain))
            continue;
        if (nft_try(ctx, all[i].text, &why) < 0)
            return -1;
        if (why) {
            all[i].why = rhost_fmt(ctx, "the kernel does not take it: %s", why);
            all[i].attribute = "rule";
        }
    }
    return 0;
}

/* Where the kernel refuses all together, each chain by itself. A chain has all of its changes or none: an
 * accept that is refused must not leave the drop behind it. */
static int32_t
do_chain(rhost_ctx *ctx, struct work *all, size_t n, const struct rules *chain)
{
    const char *refused;

    if (nft_run(ctx, join(ctx, all, n, chain), -1, &refused) < 0)
        return -1;
    if (!refused)
        return 0;
    if (find_refused(ctx, all, n, chain) < 0)
        return -1;
    give_up(all, n, chain,
            has_failed(all, n, chain) ? OTHER_REFUSED
                                      : rhost_fmt(ctx, "the kernel does not take it: %s", refused));
    return 0;
}

static int32_t
do_all(rhost_ctx *ctx, struct work *all, size_t n, const struct chains *chains)
{
    const char *refused;

    for (size_t i = 0; i < chains->n; i++)
        if (has_failed(all, n, &chains->all[i]))
            give_up(all, n, &chains->all[i], OTHER_REFUSED);
    if (nft_run(ctx, join(ctx, all, n, NULL), -1, &refused) < 0)
        return -1;
    for (size_t i = 0; refused && i < chains->n; i++)
        if (do_chain(ctx, all, n, &chains->all[i]) < 0)
            return -1;
    return 0;
}

static int32_t
rule_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    struct chains before = list_chains(ctx, changes, n), after;
    struct work *all = rhost_alloc(ctx, n * sizeof *all);

    for (size_t i = 0; i < n; i++)
        all[i] = work_of(ctx, changes[i], chain_of(ctx, &before, changes[i]));
    if (do_all(ctx, all, n, &before) < 0)
        return -1;
    after = list_chains(ctx, changes, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t scope = rhost_begin(ctx,
                                     rhost_gone(changes[i]) ? RHOST_DELETING
                                     : changes[i]->is       ? RHOST_UPDATING
                                                            : RHOST_CREATING,
                                     changes[i]->title);

        if (all[i].why)
            (void)ctx->host->fail(ctx, 0, all[i].attribute, all[i].why);
        else
            note(ctx, changes[i], chain_of(ctx, &after, changes[i]));
        rhost_end(ctx, scope);
    }
    return 0;
}

static const char *const needs[] = { "root", "run[nft]", NULL };

static const struct rhost_provider nft_rule_provider = {
    RHOST_PROVIDER("nft_rule", "Keep single rules in chains of nftables."),
    RHOST_ATTRS(attrs),
    .title_patterns = title_patterns,
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_GATHERS | RHOST_READ_BACK,
    .relations = relations,
    .needs = needs,
    .suits = nft_suits,
    .validate = rule_validate,
    .insync = rule_insync,
    .get = rule_get,
    .set = rule_set,
};

RHOST_PLUGIN(nft_rule, "1.0", &nft_rule_provider)
