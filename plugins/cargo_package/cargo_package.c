/* SPDX-License-Identifier: Apache-2.0 */
/* cargo_package - keep programs of Rust below a directory, by crate. */

#include "home.h"
#include "installed.h"
#include "requirement.h"

#include <rhost/dry-run.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9][A-Za-z0-9_-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the crate." },
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"/usr/local\"",
      .desc = "The directory that programs are installed below, in its 'bin'." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the crate should be installed." },
    { .name = "version",
      .type = "Optional[String[1]]",
      .desc = "The version, or requirements such as '^1.2, <1.9'; without it, any." },
    { .name = "features",
      .type = "Optional[Array[Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_+.\\/-]*\\z/]]]",
      .behaviour = RHOST_UNORDERED,
      .desc = "The features that the crate is built with, besides the default ones; without it, any." },
    { .name = "default_features",
      .type = "Optional[Boolean]",
      .desc = "Whether the crate is built with its default features; without it, either." },
    PLACE_OWNER_ATTR,
    { .name = "registry",
      .type = "Optional[Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_-]*\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The registry, by its name in cargo's configuration; without it, crates.io." },
    { .name = "index",
      .type = "Optional[Pattern[/\\A(sparse\\+)?(https?|file):\\/\\/[^[:cntrl:][:space:]]+\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The registry, by the URL of its index." },
    { .name = "offline",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether no registry is asked." },
    { .name = "locked",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether what the crate needs has the versions of its Cargo.lock." },
    { .name = "cargo_home",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc =
          "The directory of cargo's configuration and of what it downloads; without it, the .cargo of the "
          "owner." },
    PLACE_TIMEOUT_ATTR,
};

static const char *const title_patterns[] = {
    "\\A(?<name>[^:\\/]+)(?:: *(?<path>\\/.*))?\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire directory[$path]",
    "autorequire directory[$path/..]",
    "autorequire mount[$path]",
    "autorequire user[$owner]",
    "autorequire package[cargo]",
    "autorequire directory[$cargo_home]",
    "autorequire file[$cargo_home/config.toml]",
    NULL,
};

static int32_t
cargo_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "cargo_home");
    rhost_tidy_id(ctx, resource, "owner", 0);
    return 0;
}

static int32_t
cargo_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *version = rhost_str(resource, "version");

    if (version && !requirement_range(ctx, version))
        return rhost_fail_attr(
            ctx, "version",
            "'%s' is not a whole version such as '1.2.0', nor requirements such as '^1.2, <1.9'", version);
    if (manager_url_has_credentials(rhost_str_or(resource, "index", "")))
        return rhost_fail(
            ctx, "the URL of 'index' must not have a user or a password, which other users would see: "
                 "put it into the credentials.toml of cargo's home");
    if (rhost_has(resource, "registry") && rhost_has(resource, "index"))
        return rhost_fail_attr(ctx, "index", "'registry' and 'index' exclude each other");
    return 0;
}

static int32_t
foresee(const struct place *p)
{
    if (!rhost_looks_ahead(p->ctx, p->should))
        return RHOST_ABSENT;
    if (place_foresee(p) < 0)
        return -1;
    return p->exists ? RHOST_ABSENT : rhost_absent_at(p->ctx, p->should, p->path);
}

static int32_t
find(rhost_ctx *ctx, struct place *p, struct crate *found, const rhost_value *name, const rhost_value *should)
{
    return place_open(ctx, p, rhost_str(name, "path"), should) < 0
                   || installed_find(p, rhost_str(name, "name"), rhost_str(should, "version"), found) < 0
               ? -1
               : 0;
}

static int32_t
cargo_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct crate found;
    struct place p;

    if (find(ctx, &p, &found, name, should) < 0)
        return -1;
    if (found.broken)
        rhost_warning(ctx, "crate '%s' is half installed, so it counts as absent: '%s' does not exist",
                      rhost_str(name, "name"), found.broken);
    if (!found.version || (found.broken && !rhost_wants_absence(should)))
        return foresee(&p);
    rhost_put_str(current, "version", found.version);
    rhost_put_bool(current, "default_features", !found.without_default);
    if (!found.all_features) {
        rhost_value *features = ctx->host->put_array(current, "features");

        for (size_t i = 0; i < found.features.n; i++)
            rhost_put_str(features, NULL, found.features.all[i]);
    }
    return 0;
}

static int32_t
cargo_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "version"), *should = rhost_str(change->should, "version");

    if (strcmp(attribute, "version") != 0 || !is || !should)
        return RHOST_DEFAULT_COMPARISON;
    return requirement_accepts(ctx, should, is) ? 0 : RHOST_DIFFERS;
}

static int32_t
check_trust(const struct place *p, const char *home)
{
    static const char *const parts[] = { ".crates.toml", ".crates2.json", "bin/*" };
    struct words all = { .ctx = p->ctx };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words_add(&all, rhost_fmt(p->ctx, "%s/%s", strcmp(p->path, "/") == 0 ? "" : p->path, parts[i]));
    home_add_trusted(&all, home);
    if (p->user && p->uid != 0 && home_check_above(p, home) < 0)
        return -1;
    return place_check_trust(p, "cargo", all.all);
}

/* In "/", since cargo also obeys the configuration of the directory that it runs in. It would build in a new
 * directory of /tmp, and leave that there with each failure: it builds in its home, and what it has built
 * goes.
 */
static int32_t
run(const struct place *p, const struct words *w, const char *what)
{
    static const char *const prefixes[] = { "error:", "error", "Caused by", NULL };
    static const char *const idle[] = { ":", "could not compile", NULL };
    const char *home = home_find(p), *built = home ? rhost_fmt(p->ctx, "%s/rhost-build", home) : NULL;
    const char *const env[] = { "LC_ALL=C.UTF-8", "CARGO_TERM_COLOR=never",
                                home ? rhost_fmt(p->ctx, "CARGO_HOME=%s", home) : NULL,
                                home ? rhost_fmt(p->ctx, "CARGO_TARGET_DIR=%s", built) : NULL, NULL };
    const char *words[] = { "rm", "-rf", "--", built, NULL };
    const struct words rm = { .ctx = p->ctx, .all = words };
    const struct manager cargo = {
        .name = "cargo", .env = env, .prefixes = prefixes, .idle = idle, .cwd = "/"
    };
    int32_t rc;

    if (!home || check_trust(p, home) < 0)
        return -1;
    rc = manager_do(&cargo, p, w, what);
    rhost_touched(p->ctx, p->path);
    return manager_do(&cargo, p, &rm, rhost_fmt(p->ctx, "remove '%s'", built)) < 0 ? -1 : rc;
}

static void
add_option(struct words *w, const char *option, const char *value)
{
    if (!value)
        return;
    words_add(w, option);
    words_add(w, value);
}

/* What a manifest does not say of features stays as it is. */
static void
add_features(struct words *w, const rhost_value *should, const struct crate *found)
{
    const rhost_value *wanted = rhost_get(should, "features");
    int given = rhost_has(should, "features");
    size_t n = given ? rhost_count(wanted) : found->features.n;
    const char *all = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *one = given ? rhost_str_at(wanted, i) : found->features.all[i];

        all = all ? rhost_fmt(w->ctx, "%s,%s", all, one) : one;
    }
    if (!given && found->all_features)
        words_add(w, "--all-features");
    else
        add_option(w, "--features", all);
    if (!rhost_bool(should, "default_features", !found->without_default))
        words_add(w, "--no-default-features");
}

static int32_t
cargo_put(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    const char *name = rhost_str(change->name, "name");
    struct words w = { .ctx = ctx };
    struct crate found;
    struct place p;

    if (find(ctx, &p, &found, change->name, should) < 0 || place_make(&p) < 0)
        return -1;
    words_add(&w, "cargo");
    words_add(&w, "install");
    words_add(&w, "--quiet");
    add_option(&w, "--root", p.path);
    add_option(&w, "--version", rhost_str(should, "version"));
    add_option(&w, "--registry", rhost_str(should, "registry"));
    add_option(&w, "--index", rhost_str(should, "index"));
    add_features(&w, should, &found);
    if (rhost_bool(should, "offline", 0))
        words_add(&w, "--offline");
    if (rhost_bool(should, "locked", 0))
        words_add(&w, "--locked");
    if (found.broken)
        words_add(&w, "--force"); /* of the programs that are left it would say that all is installed */
    words_add(&w, "--");
    words_add(&w, name);
    return run(&p, &w, rhost_fmt(ctx, "install '%s'", name));
}

/* cargo removes no crate of which a program is missing. */
static int32_t
add_missing(const struct place *p, const struct crate *found)
{
    static const char *const env[] = { "LC_ALL=C.UTF-8", NULL }, *const none[] = { NULL };
    const struct manager touch = { .name = "touch", .env = env, .prefixes = none, .idle = none, .cwd = "/" };
    struct words w = { .ctx = p->ctx };

    words_add(&w, "touch");
    words_add(&w, "--");
    for (size_t i = 0; i < found->missing.n; i++)
        words_add(&w, found->missing.all[i]);
    return manager_do(&touch, p, &w, rhost_fmt(p->ctx, "create '%s'", found->broken));
}

static int32_t
cargo_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *home;
    struct words w = { .ctx = ctx };
    struct crate found;
    struct place p;

    if (find(ctx, &p, &found, change->name, change->should ? change->should : change->is) < 0)
        return -1;
    home = found.broken ? home_find(&p) : NULL;
    if (found.broken && (!home || check_trust(&p, home) < 0 || add_missing(&p, &found) < 0))
        return -1;
    words_add(&w, "cargo");
    words_add(&w, "uninstall");
    words_add(&w, "--quiet");
    add_option(&w, "--root", p.path);
    words_add(&w, "--");
    words_add(&w, name);
    return run(&p, &w, rhost_fmt(ctx, "remove '%s'", name));
}

static const char *const needs[] = {
    "user[$owner]", "write[$path/../.]", "read[$path]",      "run[cargo]",
    "run[touch]",   "run[rm]",           PLACE_CAPABILITIES, NULL,
};

static const struct rhost_provider cargo_package_provider = {
    RHOST_PROVIDER("cargo_package", "Keep programs of Rust below a directory, by crate."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .irreversible = "removed versions are restored only as far as the registry still has them",
    .canonicalize = cargo_canonicalize,
    .insync = cargo_insync,
    .load = cargo_load,
    .validate = cargo_validate,
    .create = cargo_put,
    .update = cargo_put,
    .remove = cargo_remove,
    .needs = needs,
};

RHOST_PLUGIN(cargo_package, "1.0", &cargo_package_provider)
