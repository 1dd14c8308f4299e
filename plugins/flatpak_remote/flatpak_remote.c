/* SPDX-License-Identifier: Apache-2.0 */
/* flatpak_remote - keep remotes of Flatpak, which applications and runtimes are installed from. */

#include "remotes.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_.-]*\\z/]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "The name of the remote." },
    INSTALLATION_PATH_ATTR,
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the remote should exist." },
    { .name = "url",
      .type = "Optional[Pattern[/\\A(https?|file|oci\\+https):\\/\\/[^[:cntrl:][:space:]]+\\z/]]",
      .desc = "The URL of its repository; a new remote needs one." },
    { .name = "label",
      .type = "Optional[Pattern[/\\A[^[:cntrl:]]+\\z/]]",
      .desc = "What people see as its name." },
    { .name = "enabled", .type = "Optional[Boolean]", .desc = "Whether flatpak looks into it." },
    { .name = "gpg_verify",
      .type = "Optional[Boolean]",
      .desc = "Whether what comes from it must be signed; a new remote says true without it." },
    { .name = "gpg_key",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the keys that a new remote, or one whose URL changes, is signed with." },
    PLACE_OWNER_ATTR,
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
    "autorequire package[flatpak]",
    "autorequire file[$gpg_key]",
    NULL,
};

static int32_t
remote_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "gpg_key");
    rhost_tidy_id(ctx, resource, "owner", 0);
    return 0;
}

static int32_t
remote_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    if (manager_url_has_credentials(rhost_str_or(resource, "url", "")))
        return rhost_fail(ctx,
                          "the URL of 'url' must not have a user or a password, which other users would see");
    if (rhost_has(resource, "gpg_key") && !rhost_bool(resource, "gpg_verify", 1))
        return rhost_fail_attr(ctx, "gpg_key", "with 'gpg_verify: false' no key is used");
    return 0;
}

static int32_t
foresee(const struct place *p)
{
    const char *key = rhost_str(p->should, "gpg_key");
    struct stat st;

    if (!rhost_looks_ahead(p->ctx, p->should))
        return RHOST_ABSENT;
    if (key && rhost_path_stat(p->ctx, key, RHOST_PATH_FOLLOW, &st) < 0 && errno == ENOENT
        && !rhost_will_exist(p->ctx, "file", key)
        && rhost_fail_missing(p->ctx, "gpg_key", rhost_fmt(p->ctx, "'%s' does not exist", key)) < 0)
        return -1;
    if (place_foresee(p) < 0)
        return -1;
    return p->exists ? RHOST_ABSENT : rhost_absent_at(p->ctx, p->should, p->path);
}

static int32_t
remote_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct remote found;
    struct place p;

    if (place_open(ctx, &p, rhost_str(name, "path"), should) < 0
        || remotes_find(&p, rhost_str(name, "name"), &found) < 0)
        return -1;
    if (!found.exists)
        return foresee(&p);
    if (found.url)
        rhost_put_str(current, "url", found.url);
    if (found.title)
        rhost_put_str(current, "label", found.title);
    rhost_put_bool(current, "enabled", found.enabled);
    rhost_put_bool(current, "gpg_verify", found.gpg_verify);
    return 0;
}

static int32_t
check_key(const struct place *p, const char *key)
{
    const char *const all[] = { key, NULL };

    return key ? place_check_trust(p, "flatpak", all) : 0;
}

static void
add_common(struct words *w, const rhost_value *should)
{
    const char *title = rhost_str(should, "label"), *key = rhost_str(should, "gpg_key");

    if (!rhost_bool(should, "gpg_verify", 1))
        words_add(w, "--no-gpg-verify");
    if (title)
        words_add(w, rhost_fmt(w->ctx, "--title=%s", title));
    if (key)
        words_add(w, rhost_fmt(w->ctx, "--gpg-import=%s", key));
}

/* flatpak only warns of a server that does not answer now. */
static int32_t
remote_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *url = rhost_str(change->should, "url");
    struct words w = { .ctx = ctx };
    struct place p;

    if (!url)
        return rhost_fail_attr(ctx, "url", "'url' is required: remote '%s' does not exist", name);
    if (place_open(ctx, &p, rhost_str(change->name, "path"), change->should) < 0
        || check_key(&p, rhost_str(change->should, "gpg_key")) < 0)
        return -1;
    installation_begin(&p, &w, "remote-add");
    add_common(&w, change->should);
    if (!rhost_bool(change->should, "enabled", 1))
        words_add(&w, "--disable");
    words_add(&w, "--");
    words_add(&w, name);
    words_add(&w, url);
    return installation_run(&p, &w, rhost_fmt(ctx, "add remote '%s'", name));
}

static int32_t
remote_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *url = rhost_str(change->should, "url");
    struct words w = { .ctx = ctx };
    struct place p;

    if (place_open(ctx, &p, rhost_str(change->name, "path"), change->should) < 0
        || check_key(&p, rhost_str(change->should, "gpg_key")) < 0)
        return -1;
    installation_begin(&p, &w, "remote-modify");
    add_common(&w, change->should);
    if (rhost_bool(change->should, "gpg_verify", 0))
        words_add(&w, "--gpg-verify");
    if (url)
        words_add(&w, rhost_fmt(ctx, "--url=%s", url));
    if (rhost_has(change->should, "enabled"))
        words_add(&w, rhost_bool(change->should, "enabled", 1) ? "--enable" : "--disable");
    words_add(&w, "--");
    words_add(&w, name);
    return installation_run(&p, &w, rhost_fmt(ctx, "change remote '%s'", name));
}

static int32_t
remote_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name");
    struct words w = { .ctx = ctx };
    struct place p;

    if (place_open(ctx, &p, rhost_str(change->name, "path"), change->should ? change->should : change->is)
        < 0)
        return -1;
    installation_begin(&p, &w, "remote-delete");
    words_add(&w, "--");
    words_add(&w, name);
    return installation_run(&p, &w, rhost_fmt(ctx, "remove remote '%s'", name));
}

static const char *const needs[] = { INSTALLATION_NEEDS, "read[$gpg_key]", NULL };

static const struct rhost_provider flatpak_remote_provider = {
    RHOST_PROVIDER("flatpak_remote",
                   "Keep remotes of Flatpak, which applications and runtimes are installed from."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .title_patterns = title_patterns,
    .relations = relations,
    .irreversible = "the keys of a removed remote are not restored",
    .canonicalize = remote_canonicalize,
    .load = remote_load,
    .validate = remote_validate,
    .create = remote_create,
    .update = remote_update,
    .remove = remote_remove,
    .needs = needs,
};

RHOST_PLUGIN(flatpak_remote, "1.0", &flatpak_remote_provider)
