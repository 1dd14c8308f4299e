/* SPDX-License-Identifier: Apache-2.0 */
/* flatpak - keep applications and runtimes of Flatpak in an installation. */

#include "deployed.h"

#include "../flatpak_remote/remotes.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_][A-Za-z0-9_-]*){2,}\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The ID of the application or runtime." },
    { .name = "branch",
      .type = "Pattern[/\\A([A-Za-z0-9_][A-Za-z0-9_.-]*)?\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .default_value = "\"\"",
      .desc = "Its branch; empty: any." },
    INSTALLATION_PATH_ATTR,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether it should be installed." },
    { .name = "remote",
      .type = "Optional[Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z/]]",
      .desc = "The remote that it comes from; without it, any that has it." },
    PLACE_OWNER_ATTR,
    { .name = "dependencies",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether its runtime and what is related to it are installed too." },
    PLACE_TIMEOUT_ATTR,
};

static const char *const title_patterns[] = {
    "\\A(?<name>[^:\\/]+)(?:\\/\\/(?<branch>[^:\\/]+))?(?:: *(?<path>\\/.*))?\\z",
    NULL,
};

static const char *const relations[] = {
    "autorequire directory[$path]",
    "autorequire directory[$path/..]",
    "autorequire mount[$path]",
    "autorequire user[$owner]",
    "autorequire package[flatpak]",
    "autorequire flatpak_remote[{name: $remote, path: $path}]",
    NULL,
};

static int32_t
flatpak_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_id(ctx, resource, "owner", 0);
    return 0;
}

static int32_t
find(rhost_ctx *ctx, struct place *p, struct deployed *found, const rhost_value *name,
     const rhost_value *should)
{
    return place_open(ctx, p, rhost_str(name, "path"), should) < 0
                   || deployed_find(p, rhost_str(name, "name"), rhost_str_or(name, "branch", ""), found) < 0
               ? -1
               : 0;
}

static int32_t
flatpak_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct deployed found;
    struct place p;

    if (find(ctx, &p, &found, name, should) < 0)
        return -1;
    if (found.broken)
        rhost_warning(ctx, "'%s' is half installed, so this branch of it counts as absent: %s",
                      rhost_str(name, "name"), found.broken);
    if (found.remote)
        rhost_put_str(current, "remote", found.remote);
    if (found.remote)
        return 0;
    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    if (place_foresee(&p) < 0)
        return -1;
    return p.exists ? RHOST_ABSENT : rhost_absent_at(ctx, should, p.path);
}

/* flatpak also takes the first word for an ID where there is no such remote, and says that. Remotes of the
 * system come from these directories when flatpak runs next. */
static int32_t
check_remote(const struct place *p, const char *name)
{
    static const char *const directories[] = { "/etc/flatpak/remotes.d", "/usr/share/flatpak/remotes.d" };
    struct remote remote;

    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        if (place_has(p->ctx, rhost_fmt(p->ctx, "%s/%s.flatpakrepo", directories[i], name)))
            return 0;
    if (remotes_find(p, name, &remote) < 0)
        return -1;
    return remote.exists
               ? 0
               : rhost_fail_attr(p->ctx, "remote", "remote '%s' does not exist in '%s'", name, p->path);
}

static int32_t
flatpak_put(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *branch = rhost_str_or(change->name, "branch", "");
    const char *remote = rhost_str(change->should, "remote"), *what = rhost_fmt(ctx, "install '%s'", name);
    struct words w = { .ctx = ctx };
    struct deployed found;
    struct place p;

    if (find(ctx, &p, &found, change->name, change->should) < 0 || (remote && check_remote(&p, remote) < 0))
        return -1;
    for (size_t i = 0; i < found.stale.n; i++)
        if (rhost_path_unlink(ctx, found.stale.all[i], 0) < 0)
            return rhost_fail_path(ctx, "cannot remove '%s'", found.stale.all[i]);
    installation_begin(&p, &w, "install");
    words_add(&w, "--noninteractive");
    if (found.remote)
        words_add(&w, "--reinstall"); /* from another remote */
    if (!rhost_bool(change->should, "dependencies", 1)) {
        words_add(&w, "--no-deps");
        words_add(&w, "--no-related");
    }
    words_add(&w, "--");
    if (remote)
        words_add(&w, remote);
    words_add(&w, *branch ? rhost_fmt(ctx, "%s//%s", name, branch) : name);
    if (installation_run(&p, &w, what) < 0)
        return -1;
    if (!found.broken)
        return 0;
    /* Over what is half installed, flatpak succeeds when it has removed that, and has installed nothing. */
    if (find(ctx, &p, &found, change->name, change->should) < 0)
        return -1;
    return found.remote ? 0 : installation_run(&p, &w, what);
}

/* Each branch, and an application beside a runtime of the same name: flatpak would ask which is meant. */
static int32_t
flatpak_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    struct words w = { .ctx = ctx };
    struct deployed found;
    struct place p;

    if (find(ctx, &p, &found, change->name, change->should ? change->should : change->is) < 0)
        return -1;
    installation_begin(&p, &w, "uninstall");
    words_add(&w, "--noninteractive");
    words_add(&w, "--");
    for (size_t i = 0; i < found.refs.n; i++)
        words_add(&w, found.refs.all[i]);
    return found.refs.n ? installation_run(&p, &w, rhost_fmt(ctx, "remove '%s'", name)) : 0;
}

static const char *const needs[] = { INSTALLATION_NEEDS, NULL };

static const struct rhost_provider flatpak_provider = {
    RHOST_PROVIDER("flatpak", "Keep applications and runtimes of Flatpak in an installation."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .irreversible = "it comes back in the version that the remote has now, and runtimes stay",
    .canonicalize = flatpak_canonicalize,
    .load = flatpak_load,
    .create = flatpak_put,
    .update = flatpak_put,
    .remove = flatpak_remove,
    .needs = needs,
};

RHOST_PLUGIN(flatpak, "1.0", &flatpak_provider)
