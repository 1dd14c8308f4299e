/* SPDX-License-Identifier: Apache-2.0 */
/* alternatives - keep names of programs that several programs provide, by update-alternatives of Debian. */

#include "choice.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#define NOTES "/var/lib/dpkg/alternatives"
#define LINKS "/etc/alternatives"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9_+.][A-Za-z0-9_+.:@-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name that several programs provide, such as editor." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the name is known; absent removes all of its candidates." },
    { .name = "link",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "The link that programs and people use, such as /usr/bin/editor." },
    { .name = "candidates",
      .type = "Optional[Hash[" RHOST_TYPE_PATH ", Integer[-2147483648, 2147483647]]]",
      .desc = "Paths that the link may lead to, with their priorities." },
    { .name = "selected",
      .type = "Optional[Variant[Enum[auto], " RHOST_TYPE_PATH "]]",
      .desc = "The candidate that the link leads to; auto: the one with the highest priority." },
    { .name = "value",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Where the link leads." },
    { .name = "membership",
      .type = "Enum[minimum, inclusive]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"minimum\"",
      .desc = "Whether the name has other candidates as well (minimum), or only these (inclusive)." },
    { .name = "force",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a file in the place of the link, and candidates with slave links, may go." },
    { .name = "admin_dir",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" NOTES "\"",
      .desc = "Where update-alternatives keeps what it knows." },
    { .name = "alt_dir",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" LINKS "\"",
      .desc = "The directory that the links go through." },
};

static const char *const relations[] = {
    "autorequire file[$selected]",        "autorequire link[$selected]",     "owns path[$link]",
    "restores with membership=inclusive", "loses its slave links if $force", NULL,
};

static void
find_places(const rhost_value *should, struct places *at)
{
    at->notes = rhost_str_or(should, "admin_dir", NOTES);
    at->links = rhost_str_or(should, "alt_dir", LINKS);
}

static int32_t
alternatives_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const keys[] = { "link", "selected", "admin_dir", "alt_dir" };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        rhost_tidy_path(ctx, resource, keys[i]);
    return 0;
}

static int32_t
alternatives_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *candidates = rhost_get(resource, "candidates");
    const char *selected = rhost_str(resource, "selected"), *path;

    if (!rhost_has(resource, "candidates"))
        return 0;
    if (rhost_count(candidates) == 0)
        return rhost_fail_attr(ctx, "candidates", "there are none: 'ensure: absent' removes all");
    if (!selected || *selected != '/' || strcmp(rhost_str_or(resource, "membership", ""), "inclusive") != 0)
        return 0;
    for (size_t i = 0; i < rhost_count(candidates); i++)
        if (rhost_at(candidates, i, &path) && strcmp(path, selected) == 0)
            return 0;
    return rhost_fail_attr(ctx, "selected", "'%s' is not among the candidates", selected);
}

/* Whether the link goes through the directory of links to where the tool says. */
static int
is_linked(rhost_ctx *ctx, const struct places *at, const char *name, const struct choice *g)
{
    const char *between = rhost_fmt(ctx, "%s/%s", at->links, name);
    char target[4096];

    return g->value && choice_find(g, g->value)
           && rhost_path_readlink(ctx, g->link, target, sizeof target) >= 0 && strcmp(target, between) == 0
           && rhost_path_readlink(ctx, between, target, sizeof target) >= 0 && strcmp(target, g->value) == 0;
}

/* A link that is not as the tool thinks is reported as none: it is made anew then. So is a selection that is
 * not carried out. */
static void
report(rhost_ctx *ctx, const struct places *at, const char *name, const struct choice *g,
       rhost_value *current)
{
    rhost_value *candidates = current->host->put_hash(current, "candidates");

    for (size_t i = 0; i < g->n; i++)
        rhost_put_int(candidates, g->candidates[i].path, g->candidates[i].priority);
    if (is_linked(ctx, at, name, g))
        rhost_put_str(current, "link", g->link);
    if (!g->is_manual && g->value && g->best && strcmp(g->value, g->best) == 0)
        rhost_put_str(current, "selected", "auto");
    else if (g->is_manual && g->value)
        rhost_put_str(current, "selected", g->value);
    if (g->value)
        rhost_put_str(current, "value", g->value);
}

/* Under noop: what is to be registered or selected exists, or will. */
static int32_t
foresee(rhost_ctx *ctx, const rhost_value *should, const struct choice *g)
{
    const rhost_value *candidates = rhost_get(should, "candidates");
    const char *path, *selected = rhost_str(should, "selected");
    struct stat st;

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    for (size_t i = 0; i < rhost_count(candidates); i++)
        if (rhost_at(candidates, i, &path) && !choice_find(g, path)
            && rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) < 0 && errno == ENOENT
            && !rhost_will_exist(ctx, "file", path) && !rhost_will_exist(ctx, "link", path)
            && rhost_fail_missing(ctx, "candidates", rhost_fmt(ctx, "'%s' does not exist", path)) < 0)
            return -1;
    if (selected && *selected == '/' && !choice_find(g, selected) && !rhost_get(candidates, selected))
        return rhost_fail_missing(ctx, "selected", rhost_fmt(ctx, "'%s' is no candidate", selected));
    if (!g && (!candidates || !rhost_has(should, "link")))
        return rhost_fail_missing(ctx, candidates ? "link" : "candidates",
                                  "a name that does not exist yet needs 'link' and 'candidates'");
    return 0;
}

static int32_t
alternatives_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *which = rhost_str(name, "name");
    struct places at;
    struct choice g;
    int32_t result;

    find_places(should, &at);
    result = choice_query(ctx, &at, which, &g);
    if (result == RHOST_ABSENT)
        return foresee(ctx, should, NULL) < 0 ? -1 : RHOST_ABSENT;
    if (result < 0)
        return -1;
    report(ctx, &at, which, &g, current);
    return foresee(ctx, should, &g);
}

/* Only for lists: load() reads the resources of a manifest. */
static int32_t
alternatives_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct places at;
    const char **all;
    ssize_t n;

    (void)names;
    find_places(NULL, &at);
    n = rhost_path_list(ctx, at.notes, 0, &all);
    if (n < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", at.notes);
    for (ssize_t i = 0; i < n; i++) {
        rhost_value *one = ctx->host->new_hash(ctx);
        struct choice g;

        if (strstr(all[i], ".dpkg-")) /* what the tool itself is about to rename */
            continue;
        rhost_put_str(one, "name", all[i]);
        rhost_put_str(one, "ensure", "present");
        if (choice_query(ctx, &at, all[i], &g) < 0)
            return -1;
        report(ctx, &at, all[i], &g, one);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

static int32_t
alternatives_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *is = rhost_get(change->is, "candidates"),
                      *should = rhost_get(change->should, "candidates");
    const char *path;

    (void)ctx;
    if (strcmp(attribute, "candidates") != 0 || !is || !should
        || strcmp(rhost_str_or(change->should, "membership", ""), "inclusive") == 0)
        return RHOST_DEFAULT_COMPARISON;
    for (size_t i = 0; i < rhost_count(should); i++) {
        const rhost_value *priority = rhost_at(should, i, &path), *now = rhost_get(is, path);

        if (!now || now->host->integer(now, 0) != priority->host->integer(priority, 0))
            return RHOST_DEFAULT_COMPARISON;
    }
    return 0;
}

/* The candidates that are desired; and, where only the link differs, one of those that are there. */
static int32_t
install_all(rhost_ctx *ctx, const struct places *at, const char *name, const rhost_value *should,
            const struct choice *g)
{
    const rhost_value *candidates = rhost_get(should, "candidates");
    const char *link = rhost_str_or(should, "link", g ? g->link : NULL), *path;
    int anew =
        !g || (rhost_has(should, "link") && (strcmp(link, g->link) != 0 || !is_linked(ctx, at, name, g)));
    int force = rhost_bool(should, "force", 0);

    if (!link)
        return rhost_fail_attr(ctx, "link", "a name that does not exist yet needs a link");
    if (!g && rhost_count(candidates) == 0)
        return rhost_fail_attr(ctx, "candidates", "a name that does not exist yet needs candidates");
    for (size_t i = 0; i < rhost_count(candidates); i++) {
        const rhost_value *priority = rhost_at(candidates, i, &path);
        const struct candidate *was = choice_find(g, path);
        int64_t wanted = priority->host->integer(priority, 0);

        if (was && was->priority == wanted && !anew)
            continue;
        if (choice_install(ctx, at, name, g, link, path, wanted, force) < 0)
            return -1;
        anew = 0;
    }
    return anew && g && g->n ? choice_install(ctx, at, name, g, link, g->candidates[0].path,
                                              g->candidates[0].priority, force)
                             : 0;
}

static int32_t
refuse_slaves(rhost_ctx *ctx, const struct candidate *c)
{
    return rhost_fail(
        ctx, "'%s' has %zu slave links, which rhost does not manage: with 'force: true' it is removed",
        c->path, c->n_slaves);
}

static int32_t
remove_others(rhost_ctx *ctx, const struct places *at, const char *name, const rhost_value *should,
              const struct choice *g)
{
    const rhost_value *candidates = rhost_get(should, "candidates");
    int force = rhost_bool(should, "force", 0);

    if (!candidates || !g || strcmp(rhost_str_or(should, "membership", ""), "inclusive") != 0)
        return 0;
    for (size_t i = 0; i < g->n; i++)
        if (!rhost_get(candidates, g->candidates[i].path) && g->candidates[i].n_slaves && !force)
            return refuse_slaves(ctx, &g->candidates[i]);
    for (size_t i = 0; i < g->n; i++)
        if (!rhost_get(candidates, g->candidates[i].path)
            && choice_command(ctx, at, "--remove", name, g->candidates[i].path) < 0)
            return -1;
    return 0;
}

/* The tool ends with success also where it has left a file in the place of the link. */
static int32_t
check_made(rhost_ctx *ctx, const struct places *at, const char *name)
{
    struct choice g;

    if (choice_query(ctx, at, name, &g) != 0)
        return -1;
    if (is_linked(ctx, at, name, &g))
        return 0;
    return rhost_fail(
        ctx,
        "'%s' does not lead through '%s/%s': something else is in its place, which 'force: true' replaces",
        g.link, at->links, name);
}

static int32_t
bring(rhost_ctx *ctx, const struct rhost_change *change, const struct choice *g)
{
    const char *name = rhost_str(change->name, "name"), *selected = rhost_str(change->should, "selected");
    struct places at;

    find_places(change->should, &at);
    if (selected && *selected == '/' && !choice_find(g, selected)
        && !rhost_get(rhost_get(change->should, "candidates"), selected))
        return rhost_fail_attr(ctx, "selected", "'%s' is no candidate", selected);
    if (install_all(ctx, &at, name, change->should, g) < 0
        || remove_others(ctx, &at, name, change->should, g) < 0)
        return -1;
    if (selected && strcmp(selected, "auto") == 0) {
        if (choice_command(ctx, &at, "--auto", name, NULL) < 0)
            return -1;
    } else if (selected && choice_command(ctx, &at, "--set", name, selected) < 0) {
        return -1;
    }
    return check_made(ctx, &at, name);
}

static int32_t
alternatives_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    return bring(ctx, change, NULL);
}

static int32_t
alternatives_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct places at;
    struct choice g;
    int32_t result;

    find_places(change->should, &at);
    result = choice_query(ctx, &at, rhost_str(change->name, "name"), &g);
    if (result == RHOST_ABSENT)
        return rhost_fail(ctx, "something else has removed it meanwhile");
    return result < 0 ? -1 : bring(ctx, change, &g);
}

static int32_t
alternatives_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    const rhost_value *from = change->should ? change->should : change->is;
    struct places at;
    struct choice g;
    int32_t result;

    find_places(from, &at);
    result = choice_query(ctx, &at, name, &g);
    if (result != 0)
        return result < 0 ? -1 : 0;
    for (size_t i = 0; i < g.n; i++)
        if (g.candidates[i].n_slaves && !rhost_bool(from, "force", 0))
            return refuse_slaves(ctx, &g.candidates[i]);
    return choice_command(ctx, &at, "--remove-all", name, NULL);
}

static const char *const needs[] = { "write[$admin_dir/]", "write[$alt_dir/]", "write[$link]",
                                     "run[update-alternatives]", NULL };

static const struct rhost_provider alternatives_provider = {
    RHOST_PROVIDER("alternatives", "Keep names that several programs provide, and which one is meant."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = alternatives_canonicalize,
    .insync = alternatives_insync,
    .load = alternatives_load,
    .get = alternatives_get,
    .validate = alternatives_validate,
    .create = alternatives_create,
    .update = alternatives_update,
    .remove = alternatives_remove,
    .needs = needs,
};

RHOST_PLUGIN(alternatives, "1.0", &alternatives_provider)
