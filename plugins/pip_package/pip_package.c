/* SPDX-License-Identifier: Apache-2.0 */
/* pip_package - keep Python packages in virtual environments, by pip. */

#include "manager.h"
#include "pep440.h"
#include "pip.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

#define TYPE_URL "Pattern[/\\A(https?|file):\\/\\/[^[:cntrl:][:space:]]+\\z/]"

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the package." },
    { .name = "environment",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The virtual environment, or the prefix of a Python, that the package is in." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the package should be installed." },
    { .name = "version",
      .type = "Optional[String[1]]",
      .desc = "The version, or specifiers such as '>=1.2, <2'; without it, any." },
    { .name = "source",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A wheel or a source archive that the package is installed from." },
    { .name = "extras",
      .type = "Optional[Array[Pattern[/\\A[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\\z/], 1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Extras of the package, whose dependencies are installed with it." },
    { .name = "create",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a virtual environment that does not exist is made." },
    { .name = "pip",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a new virtual environment gets a pip of its own." },
    { .name = "python",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"" PIP_PYTHON "\"",
      .desc = "The Python that makes virtual environments, and whose pip serves those without one." },
    PLACE_OWNER_ATTR,
    { .name = "index_url",
      .type = "Optional[" TYPE_URL "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "The package index; without it, what pip's configuration says." },
    { .name = "no_index",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether no index is asked." },
    { .name = "find_links",
      .type = "Optional[Array[Variant[" RHOST_TYPE_PATH ", " TYPE_URL "], 1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Directories and pages with archives of packages." },
    { .name = "constraints",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the versions that dependencies may have." },
    { .name = "dependencies",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether what the package needs is installed too." },
    { .name = "build",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether packages without a wheel are built, which runs their code." },
    PLACE_TIMEOUT_ATTR,
};

static const char *const title_patterns[] = {
    "\\A(?:(?<name>[^:\\/]+): *(?<environment>\\/.*)\\z)?",
    NULL,
};

static const char *const relations[] = {
    "autorequire directory[$environment]", "autorequire directory[$environment/..]",
    "autorequire mount[$environment/..]",  "autorequire user[$owner]",
    "autorequire package[python3-venv]",   "autorequire package[python3-pip]",
    "autorequire file[$source]",           "autorequire file[$constraints]",
    "autorequire directory[$find_links]",  NULL,
};

/* "file:///srv/wheels" is "/srv/wheels", which is then one of the needs. */
static void
tidy_links(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *links = rhost_get(resource, "find_links");
    size_t n = rhost_count(links);
    const char **all = rhost_alloc(ctx, (n + 1) * sizeof *all);
    rhost_value *list;

    for (size_t i = 0; i < n; i++) {
        const char *link = rhost_str_at(links, i);

        all[i] = rhost_strdup(ctx, strncmp(link, "file:///", 8) == 0 && !strchr(link, '%') ? link + 7 : link);
    }
    if (!n)
        return;
    list = resource->host->put_array(resource, "find_links");
    for (size_t i = 0; i < n; i++)
        rhost_put_str(list, NULL, all[i]);
}

static int32_t
pip_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const keys[] = { "environment", "python", "source", "constraints" };
    const char *name = rhost_str(resource, "name");

    if (name)
        rhost_put_str(resource, "name", environment_canonical_name(ctx, name, strlen(name)));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        rhost_tidy_path(ctx, resource, keys[i]);
    rhost_tidy_id(ctx, resource, "owner", 0);
    tidy_links(ctx, resource);
    return 0;
}

/* The version in the name of a file NAME-VERSION.tar.gz or NAME-VERSION-TAGS.whl, when it is of this package.
 */
static const char *
version_in(rhost_ctx *ctx, const char *path, const char *name)
{
    const char *file = strrchr(path, '/') + 1, *end = strstr(file, ".tar.gz"), *dash;

    if (!end)
        end = strstr(file, ".zip");
    if (end) { /* the name of an older source archive may have a '-' */
        dash = end;
        while (dash > file && *dash != '-')
            dash--;
    } else {
        dash = strchr(file, '-');
        end = strstr(file, ".whl") && dash ? strchr(dash + 1, '-') : NULL;
    }
    if (!end || !dash || dash == file || end == dash + 1
        || strcmp(environment_canonical_name(ctx, file, (size_t)(dash - file)), name) != 0)
        return NULL;
    return rhost_copy(ctx, dash + 1, (size_t)(end - dash - 1));
}

static int32_t
check_urls(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *links = rhost_get(resource, "find_links");
    int found = manager_url_has_credentials(rhost_str_or(resource, "index_url", ""));

    for (size_t i = 0; i < rhost_count(links); i++)
        found |= manager_url_has_credentials(rhost_str_at(links, i));
    return found ? rhost_fail(ctx,
                              "a URL must not have a user or a password, which other users would see: put it "
                              "into the pip.conf of the user that pip runs as")
                 : 0;
}

/* What a path of this machine stands for must be plain, for it is looked at before pip runs. */
static int32_t
check_file_urls(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *links = rhost_get(resource, "find_links");
    const char *index = rhost_str_or(resource, "index_url", "");

    for (size_t i = 0; i < rhost_count(links); i++)
        if (strncmp(rhost_str_at(links, i), "file:", 5) == 0)
            return rhost_fail_attr(ctx, "find_links", "write the path of the directory in place of '%s'",
                                   rhost_str_at(links, i));
    if (strncmp(index, "file:", 5) == 0 && (strncmp(index, "file:///", 8) != 0 || strpbrk(index, "%?#")))
        return rhost_fail_attr(ctx, "index_url", "a URL of a file must be file:///PATH, without '%%'");
    return 0;
}

static int32_t
pip_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *version = rhost_str(resource, "version"), *source = rhost_str(resource, "source"), *in;

    if (version && !pep440_is_wanted(version))
        return rhost_fail_attr(ctx, "version", "'%s' is not a version, nor specifiers such as '>=1.2, <2'",
                               version);
    if (rhost_bool(resource, "no_index", 0) && rhost_has(resource, "index_url"))
        return rhost_fail_attr(ctx, "index_url", "'no_index' says that no index is asked");
    if (check_urls(ctx, resource) < 0 || check_file_urls(ctx, resource) < 0)
        return -1;
    if (!source)
        return 0;
    in = version_in(ctx, source, rhost_str(resource, "name"));
    if (!in)
        return rhost_fail_attr(ctx, "source",
                               "it must be an archive of '%s': NAME-VERSION-TAGS.whl, or NAME-VERSION.tar.gz",
                               rhost_str(resource, "name"));
    if (version && !pep440_matches(in, version))
        return rhost_fail_attr(ctx, "version", "the archive has version '%s'", in);
    if (!strstr(strrchr(source, '/'), ".whl") && !rhost_bool(resource, "build", 0))
        return rhost_fail_attr(
            ctx, "source", "a source archive runs its own code while it is built: it needs 'build: true'");
    return 0;
}

/* Whether the manifest makes the environment. */
static int
will_be_made(rhost_ctx *ctx, const char *path)
{
    const rhost_value *all = rhost_declared_all(ctx, "pip_package");

    for (size_t i = 0; i < rhost_count(all); i++) {
        const rhost_value *should = rhost_get(rhost_at(all, i, NULL), "should");

        if (rhost_bool(should, "create", 0) && strcmp(rhost_str_or(should, "environment", ""), path) == 0)
            return 1;
    }
    return 0;
}

static int32_t
foresee_file(rhost_ctx *ctx, const rhost_value *should, const char *key, const char *type)
{
    const char *path = rhost_str(should, key);
    struct stat st;

    if (!path || rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0 || errno != ENOENT
        || rhost_will_exist(ctx, type, path))
        return 0;
    return rhost_fail_missing(ctx, key, rhost_fmt(ctx, "'%s' does not exist", path));
}

/* Under noop: what is missing for an installation. */
static int32_t
foresee(rhost_ctx *ctx, const struct environment *e)
{
    const rhost_value *should = e->place.should;

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    if (foresee_file(ctx, should, "source", "file") < 0
        || foresee_file(ctx, should, "constraints", "file") < 0 || place_foresee(&e->place) < 0)
        return -1;
    if (e->is_whole || e->managed || !(rhost_bool(should, "create", 0) || will_be_made(ctx, e->place.path)))
        return pip_check(e);
    return e->place.exists ? 0 : rhost_absent_at(ctx, should, e->place.path) < 0 ? -1 : 0;
}

static int32_t
pip_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct installed found;
    struct environment e;

    if (environment_open(ctx, &e, rhost_str(name, "environment"), should) < 0
        || environment_find(&e, rhost_str(name, "name"), &found) < 0)
        return -1;
    if (found.broken)
        rhost_warning(ctx, "package '%s' is half installed, so it counts as absent: %s",
                      rhost_str(name, "name"), found.broken);
    if (!found.version || (found.broken && !rhost_wants_absence(should)))
        return foresee(ctx, &e) < 0 ? -1 : RHOST_ABSENT;
    rhost_put_str(current, "version", found.version);
    return 0;
}

static int32_t
pip_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const char *is = rhost_str(change->is, "version"), *should = rhost_str(change->should, "version");
    const char *source = rhost_str(change->should, "source"), *in;

    if (!is)
        return RHOST_DEFAULT_COMPARISON;
    in = source ? version_in(ctx, source, rhost_str(change->name, "name")) : NULL;
    if ((strcmp(attribute, "version") == 0 || !*attribute) && in && !pep440_matches(is, in))
        return rhost_differs(ctx, "version %s is installed, and '%s' has %s", is, source, in);
    if (strcmp(attribute, "version") != 0 || !should)
        return RHOST_DEFAULT_COMPARISON;
    return pep440_matches(is, should) ? 0 : RHOST_DIFFERS;
}

/* As pip reads it. */
static const char *
requirement(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *extras = rhost_get(change->should, "extras");
    const char *source = rhost_str(change->should, "source"), *version = rhost_str(change->should, "version");
    const char *text = source ? source : rhost_str(change->name, "name");

    for (size_t i = 0; i < rhost_count(extras); i++)
        text = rhost_fmt(ctx, "%s%s%s%s", text, i ? "," : "[", rhost_str_at(extras, i),
                         i + 1 == rhost_count(extras) ? "]" : "");
    return source || !version ? text : rhost_fmt(ctx, "%s%s", text, pep440_specifiers(ctx, version));
}

static int32_t
pip_put(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct installed found;
    struct environment e;

    if (environment_open(ctx, &e, rhost_str(change->name, "environment"), change->should) < 0)
        return -1;
    if (!e.is_whole && !e.managed && rhost_bool(change->should, "create", 0) && pip_make_environment(&e) < 0)
        return -1;
    if (environment_find(&e, rhost_str(change->name, "name"), &found) < 0)
        return -1;
    return pip_install(&e, requirement(ctx, change), found.broken != NULL);
}

static int32_t
pip_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *wanted = change->should ? change->should : change->is;
    struct environment e;

    return environment_open(ctx, &e, rhost_str(change->name, "environment"), wanted) < 0
                   || pip_uninstall(&e, rhost_str(change->name, "name")) < 0
               ? -1
               : 0;
}

static const char *const needs[] = {
    "user[$owner]",
    "write[$environment/../.]",
    "read[$environment]",
    "run[$environment/bin/*]",
    "run[$python]",
    "read[$python]",
    "read[$source]",
    "read[$constraints]",
    "read[$find_links]",
    PLACE_CAPABILITIES,
    NULL,
};

static const struct rhost_provider pip_package_provider = {
    RHOST_PROVIDER("pip_package", "Keep Python packages in virtual environments, by pip."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .irreversible = "packages that came or went with it as dependencies stay or stay away",
    .canonicalize = pip_canonicalize,
    .insync = pip_insync,
    .load = pip_load,
    .validate = pip_validate,
    .create = pip_put,
    .update = pip_put,
    .remove = pip_remove,
    .needs = needs,
};

RHOST_PLUGIN(pip_package, "1.0", &pip_package_provider)
