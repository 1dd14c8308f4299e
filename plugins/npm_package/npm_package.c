/* SPDX-License-Identifier: Apache-2.0 */
/* npm_package - keep packages of npm below a prefix, or in a project. */

#include "modules.h"
#include "semver.h"

#include "../pip_package/manager.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A(@[a-z0-9~-][a-z0-9._~-]*\\/)?[a-z0-9~][a-z0-9._~-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the package, with its scope." },
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"/usr/local\"",
      .desc = "The prefix of global packages, or the directory of the project." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the package should be installed." },
    { .name = "version",
      .type = "Optional[String[1]]",
      .desc = "The version, or a range such as '^1.2'; without it, any." },
    { .name = "layout",
      .type = "Enum[global, project]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"global\"",
      .desc = "Whether the path is a prefix, with lib/node_modules, or a project, with package.json." },
    { .name = "source",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "An archive that the package is installed from, as 'npm pack' makes it." },
    PLACE_OWNER_ATTR,
    { .name = "registry",
      .type = "Optional[Pattern[/\\Ahttps?:\\/\\/[^[:cntrl:][:space:]]+\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The registry; without it, what npm's configuration says." },
    { .name = "offline",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether no registry is asked." },
    { .name = "scripts",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the scripts of packages run, such as 'postinstall'." },
    PLACE_TIMEOUT_ATTR,
};

static const char *const title_patterns[] = {
    "\\A(?<name>[^:]+)(?:: *(?<path>\\/.*))?\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire directory[$path]",
    "autorequire directory[$path/..]",
    "autorequire mount[$path]",
    "autorequire user[$owner]",
    "autorequire package[npm]",
    "autorequire package[nodejs]",
    "autorequire file[$source]",
    "autorequire git[$path]",
    "autorequire file[$path/package.json]",
    NULL,
};

static const char *const env[] = { "LC_ALL=C.UTF-8", "NO_COLOR=1", NULL };
static const char *const prefixes[] = { "npm error", "npm ERR!", NULL };
static const char *const idle[] = { "A complete log",
                                    "at ",
                                    "code ",
                                    "errno ",
                                    "syscall ",
                                    "path ",
                                    "Log files were",
                                    "{",
                                    "}",
                                    "code:",
                                    "errno:",
                                    "syscall:",
                                    "address:",
                                    "port:",
                                    "type:",
                                    "If you",
                                    "requiredBy:",
                                    "If you are",
                                    "path:",
                                    "dest ",
                                    "Fix the upstream",
                                    "to accept an incorrect",
                                    "This is a problem related",
                                    "Note that you can",
                                    NULL };
static const struct manager npm = { .name = "npm", .env = env, .prefixes = prefixes, .idle = idle };

static int32_t
npm_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "source");
    rhost_tidy_id(ctx, resource, "owner", 0);
    return 0;
}

/* The version in NAME-VERSION.tgz, or SCOPE-NAME-VERSION.tgz, when it is of this package. */
static const char *
version_in(rhost_ctx *ctx, const char *path, const char *name)
{
    const char *file = strrchr(path, '/') + 1;
    char *stem = rhost_strdup(ctx, *name == '@' ? name + 1 : name), *slash = strchr(stem, '/');
    size_t n = strlen(stem), len = strlen(file);
    const char *version;

    if (slash)
        *slash = '-';
    if (len < n + 6 || strncmp(file, stem, n) != 0 || file[n] != '-' || strcmp(file + len - 4, ".tgz") != 0)
        return NULL;
    version = rhost_copy(ctx, file + n + 1, len - n - 5);
    return semver_is_version(version) ? version : NULL;
}

static int32_t
npm_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *version = rhost_str(resource, "version"), *source = rhost_str(resource, "source"), *in;
    const char *name = rhost_str(resource, "name");

    if (version && !semver_is_range(version))
        return rhost_fail_attr(ctx, "version", "'%s' is not a version, nor a range such as '^1.2'", version);
    if (manager_url_has_credentials(rhost_str_or(resource, "registry", "")))
        return rhost_fail(ctx,
                          "the URL of 'registry' must not have a user or a password, which other users would "
                          "see: put it into the .npmrc of the user that npm runs as");
    if (rhost_bool(resource, "offline", 0) && rhost_has(resource, "registry"))
        return rhost_fail_attr(ctx, "registry", "'offline' says that no registry is asked");
    if (!source)
        return 0;
    in = version_in(ctx, source, name);
    if (!in)
        return rhost_fail_attr(
            ctx, "source", "it must be an archive of '%s', as 'npm pack' names it: NAME-VERSION.tgz", name);
    if (version && !semver_matches(in, version))
        return rhost_fail_attr(ctx, "version", "the archive has version '%s'", in);
    return 0;
}

/* A project has a package.json. */
static int32_t
check_project(const struct modules *m)
{
    rhost_ctx *ctx = m->place.ctx;
    const char *path = rhost_fmt(ctx, "%s/package.json", m->place.path);

    if (!m->is_project || place_has(ctx, path))
        return 0;
    if (rhost_noop(ctx)
        && (rhost_will_exist(ctx, "file", path) || rhost_will_exist(ctx, "git", m->place.path)))
        return 0;
    return rhost_fail_attr(ctx, "path", "'%s' is not a project: it has no package.json", m->place.path);
}

static int32_t
foresee(const struct modules *m)
{
    rhost_ctx *ctx = m->place.ctx;
    const rhost_value *should = m->place.should;
    const char *source = rhost_str(should, "source");
    struct stat st;

    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    if (source && rhost_path_stat(ctx, source, RHOST_PATH_FOLLOW, &st) < 0 && errno == ENOENT
        && !rhost_will_exist(ctx, "file", source)
        && rhost_fail_missing(ctx, "source", rhost_fmt(ctx, "'%s' does not exist", source)) < 0)
        return -1;
    if (place_foresee(&m->place) < 0 || check_project(m) < 0)
        return -1;
    return m->place.exists || m->is_project ? RHOST_ABSENT : rhost_absent_at(ctx, should, m->place.path);
}

static int32_t
npm_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *package = rhost_str(name, "name");
    struct module found;
    struct modules m;

    if (modules_open(ctx, &m, rhost_str(name, "path"), should) < 0 || modules_find(&m, package, &found) < 0)
        return -1;
    if (found.broken)
        rhost_warning(ctx, "package '%s' is half installed, so it counts as absent: %s", package,
                      found.broken);
    if (rhost_wants_absence(should) ? !found.listed || (!m.is_project && !found.version && !found.broken)
                                    : !found.listed || !found.version)
        return foresee(&m);
    if (found.version)
        rhost_put_str(current, "version", found.version);
    return 0;
}

static int32_t
npm_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "version"), *should = rhost_str(change->should, "version");
    const char *source = rhost_str(change->should, "source"), *in;

    if (!is)
        return RHOST_DEFAULT_COMPARISON;
    in = source ? version_in(ctx, source, rhost_str(change->name, "name")) : NULL;
    if ((strcmp(attribute, "version") == 0 || !*attribute) && in && strcmp(is, in) != 0)
        return rhost_differs(ctx, "version %s is installed, and '%s' has %s", is, source, in);
    if (strcmp(attribute, "version") != 0 || !should)
        return RHOST_DEFAULT_COMPARISON;
    return semver_matches(is, should) ? 0 : RHOST_DIFFERS;
}

/* A prefix has its configuration in etc/npmrc. */
static int32_t
check_trust(const struct modules *m, int installs)
{
    static const char *const parts[] = { "package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc",
                                         "etc/npmrc" };
    const char *source = installs ? rhost_str(m->place.should, "source") : NULL;
    struct words all = { .ctx = m->place.ctx };

    words_add(&all, rhost_fmt(all.ctx, "%s/*", m->directory));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words_add(&all, rhost_fmt(all.ctx, "%s/%s", strcmp(m->place.path, "/") == 0 ? "" : m->place.path,
                                  parts[i]));
    if (source)
        words_add(&all, source);
    return place_check_trust(&m->place, "npm", all.all);
}

static int32_t
run(const struct modules *m, const char *verb, const char *what)
{
    rhost_ctx *ctx = m->place.ctx;
    const char *registry = rhost_str(m->place.should, "registry");
    struct words w = { .ctx = ctx };
    struct rhost_output output;

    words_add(&w, "npm");
    words_add(&w, verb);
    if (!m->is_project)
        words_add(&w, "--global");
    words_add(&w, "--prefix");
    words_add(&w, m->place.path);
    words_add(&w, "--no-audit");
    words_add(&w, "--no-fund");
    words_add(&w, "--no-update-notifier");
    words_add(&w, "--loglevel=error");
    words_add(&w, "--logs-max=0");
    words_add(&w, "--fetch-retries=1");
    words_add(&w, rhost_bool(m->place.should, "scripts", 0) ? "--ignore-scripts=false" : "--ignore-scripts");
    if (rhost_bool(m->place.should, "offline", 0))
        words_add(&w, "--offline");
    if (registry) {
        words_add(&w, "--registry");
        words_add(&w, registry);
    }
    words_add(&w, "--");
    words_add(&w, what);
    if (manager_run(&npm, &m->place, &w, RHOST_EXEC_TAIL, &output) < 0)
        return -1;
    rhost_touched(ctx, m->place.path);
    return output.status == 0
               ? 0
               : rhost_fail(ctx, "cannot %s '%s': %s", strcmp(verb, "install") == 0 ? verb : "remove", what,
                            manager_complaint(&npm, ctx, &output));
}

static int32_t
npm_put(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *source = rhost_str(change->should, "source"), *version = rhost_str(change->should, "version");
    const char *name = rhost_str(change->name, "name");
    struct modules m;

    if (modules_open(ctx, &m, rhost_str(change->name, "path"), change->should) < 0 || check_project(&m) < 0)
        return -1;
    if (place_make(&m.place) < 0 || check_trust(&m, 1) < 0)
        return -1;
    return run(&m, "install", source ? source : version ? rhost_fmt(ctx, "%s@%s", name, version) : name);
}

static int32_t
npm_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = change->should ? change->should : change->is;
    struct modules m;

    if (modules_open(ctx, &m, rhost_str(change->name, "path"), wanted) < 0 || check_trust(&m, 0) < 0)
        return -1;
    return run(&m, "uninstall", rhost_str(change->name, "name"));
}

static const char *const needs[] = {
    "user[$owner]", "write[$path/../.]", "read[$path]", "run[npm]", "read[$source]", PLACE_CAPABILITIES, NULL,
};

static const struct rhost_provider npm_package_provider = {
    RHOST_PROVIDER("npm_package", "Keep packages of npm below a prefix, or in a project."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .irreversible = "packages that came or went with it as dependencies may have other versions",
    .canonicalize = npm_canonicalize,
    .insync = npm_insync,
    .load = npm_load,
    .validate = npm_validate,
    .create = npm_put,
    .update = npm_put,
    .remove = npm_remove,
    .needs = needs,
};

RHOST_PLUGIN(npm_package, "1.0", &npm_package_provider)
