/* SPDX-License-Identifier: Apache-2.0 */
/* gem_package - keep gems of Ruby in a directory, by gem. */

#include "version.h"

#include "../pip_package/manager.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

#include <ctype.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9._-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the gem." },
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The directory that gems are installed in, which GEM_HOME names to Ruby." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the gem should be installed." },
    { .name = "version",
      .type = "Optional[String[1]]",
      .desc = "The version, or requirements such as '~> 1.2, >= 1.2.3'; without it, any." },
    { .name = "source",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file that the gem is installed from." },
    PLACE_OWNER_ATTR,
    { .name = "server",
      .type = "Optional[Pattern[/\\Ahttps?:\\/\\/[^[:cntrl:][:space:]]+\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The server of gems; without it, what gem's configuration says." },
    { .name = "offline",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether no server is asked." },
    { .name = "dependencies",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether what the gem needs is installed too." },
    PLACE_TIMEOUT_ATTR,
};

static const char *const title_patterns[] = {
    "\\A(?:(?<name>[^:\\/]+): *(?<path>\\/.*)\\z)?",
    NULL,
};

static const char *const relations[] = {
    "autorequire directory[$path]",
    "autorequire directory[$path/..]",
    "autorequire mount[$path]",
    "autorequire user[$owner]",
    "autorequire package[ruby]",
    "autorequire file[$source]",
    NULL,
};

/* What is installed of one gem: several versions can be. */
struct installed {
    const char *version; /* the newest that the manifest accepts, or else the newest; NULL: none */
    const char *broken;  /* why one counts as half installed, for messages; NULL: none does */
    const char *empty;   /* a specification without content, which gem cannot read; NULL: there is none */
};

static int32_t
gem_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "source");
    rhost_tidy_id(ctx, resource, "owner", 0);
    return 0;
}

/* The version in NAME-VERSION.SUFFIX, or NAME-VERSION-PLATFORM.SUFFIX, when it is of this gem. */
static const char *
version_in(rhost_ctx *ctx, const char *file, const char *name, const char *suffix)
{
    size_t n = strlen(name), len = strlen(file), end = strlen(suffix);
    const char *version;
    size_t digits;

    if (len < n + end + 2 || strncmp(file, name, n) != 0 || file[n] != '-'
        || strcmp(file + len - end, suffix) != 0)
        return NULL;
    digits = strcspn(file + n + 1, "-");
    if (digits > len - n - 1 - end)
        digits = len - n - 1 - end;
    else if (isdigit((unsigned char)file[n + 1 + digits + 1]))
        return NULL; /* of a gem whose name goes on with a number */
    version = rhost_copy(ctx, file + n + 1, digits);
    return version_is(version) ? version : NULL;
}

static const char *
version_of_source(rhost_ctx *ctx, const char *source, const char *name)
{
    return version_in(ctx, strrchr(source, '/') + 1, name, ".gem");
}

static int32_t
gem_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *version = rhost_str(resource, "version"), *source = rhost_str(resource, "source"), *in;
    const char *name = rhost_str(resource, "name");

    if (version && !version_is_requirement(version))
        return rhost_fail_attr(ctx, "version",
                               "'%s' is not a version, nor requirements such as '~> 1.2, >= 1.2.3'", version);
    if (manager_url_has_credentials(rhost_str_or(resource, "server", "")))
        return rhost_fail(ctx,
                          "the URL of 'server' must not have a user or a password, which other users would "
                          "see: put it into the .gemrc of the user that gem runs as");
    if (rhost_bool(resource, "offline", 0) && rhost_has(resource, "server"))
        return rhost_fail_attr(ctx, "server", "'offline' says that no server is asked");
    if (!source)
        return 0;
    in = version_of_source(ctx, source, name);
    if (!in)
        return rhost_fail_attr(ctx, "source", "it must be a file of '%s': NAME-VERSION.gem", name);
    if (version && !version_matches(in, version))
        return rhost_fail_attr(ctx, "version", "the file has version '%s'", in);
    return 0;
}

/* gem writes the specification at the end; a file without content is what a full disk has left. */
static const char *
find_fault(const struct place *p, const char *entry, struct installed *found)
{
    rhost_ctx *ctx = p->ctx;
    const char *spec = rhost_fmt(ctx, "%s/specifications/%s", p->path, entry);
    const char *gem = rhost_fmt(ctx, "%s/gems/%.*s", p->path, (int)(strlen(entry) - 8), entry);
    struct stat st;

    if (rhost_path_stat(ctx, spec, 0, &st) == 0 && st.st_size == 0) {
        found->empty = spec;
        return rhost_fmt(ctx, "'%s' is empty", spec);
    }
    return place_has(ctx, gem) ? NULL : rhost_fmt(ctx, "'%s' does not exist", gem);
}

static int32_t
find(const struct place *p, const char *name, struct installed *found)
{
    rhost_ctx *ctx = p->ctx;
    const char *wanted = rhost_str(p->should, "version"), *source = rhost_str(p->should, "source"), **names;
    const char *path = rhost_fmt(ctx, "%s/specifications", p->path);
    ssize_t n = rhost_path_list(ctx, path, 0, &names);
    int accepted = 0;

    *found = (struct installed){ 0 };
    if (source)
        wanted = version_of_source(ctx, source, name);
    if (n < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(ctx, "cannot read '%s'", path);
    for (ssize_t i = 0; i < n; i++) {
        const char *version = version_in(ctx, names[i], name, ".gemspec");
        const char *fault = version ? find_fault(p, names[i], found) : NULL;
        int accepts = version && (!wanted || version_matches(version, wanted));

        if (fault)
            found->broken = fault;
        if (!version || (fault && !rhost_wants_absence(p->should)) || accepts < accepted)
            continue;
        if (accepts > accepted || !found->version || version_compare(version, found->version) > 0)
            found->version = version;
        accepted = accepts;
    }
    return 0;
}

static int32_t
foresee(const struct place *p)
{
    rhost_ctx *ctx = p->ctx;
    const char *source = rhost_str(p->should, "source");
    struct stat st;

    if (!rhost_looks_ahead(ctx, p->should))
        return RHOST_ABSENT;
    if (source && rhost_path_stat(ctx, source, RHOST_PATH_FOLLOW, &st) < 0 && errno == ENOENT
        && !rhost_will_exist(ctx, "file", source)
        && rhost_fail_missing(ctx, "source", rhost_fmt(ctx, "'%s' does not exist", source)) < 0)
        return -1;
    if (place_foresee(p) < 0)
        return -1;
    return p->exists ? RHOST_ABSENT : rhost_absent_at(ctx, p->should, p->path);
}

static int32_t
gem_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *gem = rhost_str(name, "name");
    struct installed found;
    struct place p;

    if (place_open(ctx, &p, rhost_str(name, "path"), should) < 0 || find(&p, gem, &found) < 0)
        return -1;
    if (found.broken)
        rhost_warning(ctx, "gem '%s' is half installed, so this version of it counts as absent: %s", gem,
                      found.broken);
    if (!found.version)
        return foresee(&p);
    rhost_put_str(current, "version", found.version);
    return 0;
}

static int32_t
gem_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "version"), *should = rhost_str(change->should, "version");
    const char *source = rhost_str(change->should, "source"), *in;

    if (!is)
        return RHOST_DEFAULT_COMPARISON;
    in = source ? version_of_source(ctx, source, rhost_str(change->name, "name")) : NULL;
    if ((strcmp(attribute, "version") == 0 || !*attribute) && in && !version_matches(is, in))
        return rhost_differs(ctx, "version %s is installed, and '%s' has %s", is, source, in);
    if (strcmp(attribute, "version") != 0 || !should)
        return RHOST_DEFAULT_COMPARISON;
    return version_matches(is, should) ? 0 : RHOST_DIFFERS;
}

/* Where gem runs. Without a server it takes what a gem needs from the files of the directory that it runs
 * in; otherwise it is to find none there. */
static const char *
directory_of_source(const struct place *p)
{
    const char *source = rhost_str(p->should, "source");

    return source && rhost_bool(p->should, "offline", 0) ? rhost_parent_path(p->ctx, source) : NULL;
}

static int32_t
check_trust(const struct place *p, int installs)
{
    static const char *const parts[] = { "specifications", "gems", "plugins", "extensions", "cache", "bin" };
    const char *source = installs ? rhost_str(p->should, "source") : NULL,
               *beside = installs ? directory_of_source(p) : NULL;
    struct words all = { .ctx = p->ctx };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words_add(&all, rhost_fmt(p->ctx, "%s/%s/*", p->path, parts[i]));
    if (beside)
        words_add(&all, rhost_fmt(p->ctx, "%s/*.gem", beside));
    if (source)
        words_add(&all, source);
    return place_check_trust(p, "gem", all.all);
}

static int32_t
run(const struct place *p, int installs, struct words *w, const char *what)
{
    static const char *const prefixes[] = { "ERROR:", NULL };
    static const char *const idle[] = { "Possible alternatives", "While executing gem", NULL };
    const char *const env[] = { "LC_ALL=C.UTF-8", rhost_fmt(p->ctx, "GEM_HOME=%s", p->path),
                                rhost_fmt(p->ctx, "GEM_PATH=%s", p->path), NULL };
    const struct manager gem = { .name = "gem",
                                 .env = env,
                                 .prefixes = prefixes,
                                 .idle = idle,
                                 .cwd = installs ? directory_of_source(p) : NULL };

    if (check_trust(p, installs) < 0 || manager_do(&gem, p, w, what) < 0)
        return -1;
    rhost_touched(p->ctx, p->path);
    return 0;
}

static int32_t
gem_put(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *source = rhost_str(change->should, "source"), *version = rhost_str(change->should, "version");
    const char *name = rhost_str(change->name, "name"), *server = rhost_str(change->should, "server");
    struct words w = { .ctx = ctx };
    struct installed found;
    struct place p;

    if (place_open(ctx, &p, rhost_str(change->name, "path"), change->should) < 0 || find(&p, name, &found) < 0
        || place_make(&p) < 0)
        return -1;
    if (found.empty && rhost_path_unlink(ctx, found.empty, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", found.empty);
    words_add(&w, "gem");
    words_add(&w, "install");
    words_add(&w, "--no-document");
    words_add(&w, "--quiet");
    words_add(&w, "--install-dir");
    words_add(&w, p.path);
    if (!rhost_bool(change->should, "dependencies", 1))
        words_add(&w, "--ignore-dependencies");
    if (found.broken)
        words_add(&w, "--force");
    if (rhost_bool(change->should, "offline", 0))
        words_add(&w, "--local");
    if (server) {
        words_add(&w, "--clear-sources");
        words_add(&w, "--source");
        words_add(&w, server);
    }
    if (version && !source) {
        words_add(&w, "--version");
        words_add(&w, version);
    }
    words_add(&w, source ? source : name); /* which does not begin with a '-' */
    return run(&p, 1, &w, rhost_fmt(ctx, "install '%s'", source ? source : name));
}

static int32_t
gem_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = change->should ? change->should : change->is;
    const char *name = rhost_str(change->name, "name");
    struct words w = { .ctx = ctx };
    struct place p;

    if (place_open(ctx, &p, rhost_str(change->name, "path"), wanted) < 0)
        return -1;
    words_add(&w, "gem");
    words_add(&w, "uninstall");
    words_add(&w, "--quiet");
    words_add(&w, "--all");
    words_add(&w, "--executables");
    words_add(&w, "--abort-on-dependent");
    words_add(&w, "--install-dir");
    words_add(&w, p.path);
    words_add(&w, name);
    return run(&p, 0, &w, rhost_fmt(ctx, "remove '%s'", name));
}

static const char *const needs[] = {
    "user[$owner]",     "write[$path/../.]",
    "read[$path]",      "run[gem]",
    "read[$source]",    "read[$source/../.] if $offline",
    PLACE_CAPABILITIES, NULL,
};

static const struct rhost_provider gem_package_provider = {
    RHOST_PROVIDER("gem_package", "Keep gems of Ruby in a directory, by gem."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .irreversible = "removed versions are not restored, and dependencies stay",
    .canonicalize = gem_canonicalize,
    .insync = gem_insync,
    .load = gem_load,
    .validate = gem_validate,
    .create = gem_put,
    .update = gem_put,
    .remove = gem_remove,
    .needs = needs,
};

RHOST_PLUGIN(gem_package, "1.0", &gem_package_provider)
