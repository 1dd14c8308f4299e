/* SPDX-License-Identifier: Apache-2.0 */
/* git - keep a clone of a git repository at a revision. */

#include "checkout.h"
#include "clone.h"
#include "local.h"

#include "../archive/stage.h"
#include "../directory/tree.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <fcntl.h>
#include <unistd.h>

/* Names of files that ssh and git read: without characters that a shell or ssh would change. */
#define TYPE_FILE "Optional[Pattern[/\\A\\/[A-Za-z0-9_.,+@=\\/-]+\\z/]]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the directory that is the clone." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the clone should exist." },
    { .name = "source",
      .type = "Optional[Pattern[/\\A(\\/|(https?|ssh|git|file):\\/\\/"
              "|[A-Za-z0-9_][A-Za-z0-9_.@-]*:(?!:))[^[:cntrl:]]+\\z/]]",
      .desc = "The repository that it is a clone of: a URL (https, http, ssh, git, file), HOST:PATH, or a "
              "path." },
    { .name = "revision",
      .type = "String[1]",
      .default_value = "\"HEAD\"",
      .desc = "The branch, tag or commit (40 digits) that is checked out; HEAD: the default branch." },
    { .name = "commit",
      .type = "Optional[String]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The commit that is checked out." },
    { .name = "bare",
      .type = "Boolean",
      .behaviour = RHOST_INIT_ONLY,
      .initial = "false",
      .desc = "Whether it is a repository without a work tree." },
    { .name = "submodules",
      .type = "Optional[Boolean]",
      .desc = "Whether the submodules are checked out, and those in them." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user that all of it belongs to; as root, git runs as this user." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group that all of it belongs to." },
    { .name = "update",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "true",
      .desc = "Whether a branch or a tag that moves in the remote is followed." },
    { .name = "local_changes",
      .type = "Enum[refuse, discard]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"refuse\"",
      .desc = "What is done when changed files or commits would be lost: the resource fails, or they go." },
    { .name = "depth",
      .type = "Optional[Integer[1, 2147483647]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "How many commits are fetched, and of one branch alone; without: all of all branches." },
    { .name = "remote",
      .type = "Pattern[/\\A[A-Za-z0-9_][A-Za-z0-9_-]*\\z/]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"origin\"",
      .desc = "The name that the remote has in the clone." },
    { .name = "ssh_key",
      .type = TYPE_FILE,
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the private key that ssh uses." },
    { .name = "known_hosts",
      .type = TYPE_FILE,
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the keys of hosts that ssh accepts, as the only ones." },
    { .name = "credentials",
      .type = TYPE_FILE,
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with users and passwords for HTTP, as git-credential-store(1) has it." },
    { .name = "signatures",
      .type = "Enum[none, required]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"none\"",
      .desc = "Whether the tag or the commit must have a good signature." },
    { .name = "allowed_signers",
      .type = TYPE_FILE,
      .behaviour = RHOST_PARAMETER,
      .desc = "A file with the SSH keys whose signatures are good." },
    { .name = "timeout",
      .type = "Integer[1, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "600",
      .desc = "Seconds that each command of git may take." },
    { .name = "parents",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directories that it is to be in are created as well, with 0755." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire package[git]",
    "autorequire git[$source]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "autorequire file[$ssh_key]",
    "autorequire file[$known_hosts]",
    "autorequire file[$credentials]",
    "autorequire file[$allowed_signers]",
    "owns path[$path]",
    "loses what is not in the remote",
    NULL,
};

static int32_t
git_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "source"); /* which is no path in a URL, and stays then */
    rhost_tidy_owners(ctx, resource);
    return 0;
}

static int32_t
git_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *path = rhost_str(resource, "path"), *source = rhost_str(resource, "source");
    const char *revision = rhost_str(resource, "revision");

    if (path && strcmp(path, "/") == 0)
        return rhost_fail_attr(ctx, "path", "'/' cannot be a clone");
    if (source && remote_has_credentials(source))
        /* Not at the attribute: the line of the manifest, which is shown then, has the password in it. */
        return rhost_fail(ctx,
                          "the URL of 'source' must not have a user over HTTP, or a password: name a file "
                          "that has them by 'credentials'");
    if (source && strstr(source, "://-"))
        return rhost_fail_attr(ctx, "source", "the host of a URL must not begin with '-'");
    if (revision && !remote_is_name(revision))
        return rhost_fail_attr(ctx, "revision", "'%s' is not the name of a branch, a tag or a commit",
                               revision);
    if (rhost_bool(resource, "bare", 0) && rhost_bool(resource, "submodules", 0))
        return rhost_fail_attr(ctx, "submodules", "a bare repository has no submodules");
    return 0;
}

/* A user may have put a configuration into the clone, which starts programs: nobody else's git should obey it
 * later. */
static int32_t
check_owner(rhost_ctx *ctx, const rhost_value *should, const struct stat *st)
{
    const char *owner = rhost_str(should, "owner");

    if (geteuid() != 0 || st->st_uid == 0 || !owner)
        return 0;
    return rhost_look_up_id(ctx, 0, owner) == st->st_uid
               ? 0
               : rhost_fail_attr(ctx, "owner",
                                 "the clone belongs to '%s', whose configuration is in it: it is not given "
                                 "to another user; remove it first",
                                 rhost_look_up_name(ctx, 0, st->st_uid));
}

/* Whether the manifest makes what git needs to reach the remote, so that it can't be asked yet. */
static int
is_to_come(rhost_ctx *ctx, const rhost_value *should, const char *owner)
{
    static const char *const files[] = { "ssh_key", "known_hosts", "credentials", "allowed_signers" };
    struct stat st;

    if (owner && rhost_look_up_id(ctx, 0, owner) < 0)
        return 1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path = rhost_str(should, files[i]);

        if (path && rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) < 0
            && rhost_will_exist(ctx, "file", path))
            return 1;
    }
    return 0;
}

/* Under noop, of a clone that does not exist: the remote has the revision, or will. */
static int32_t
foresee(rhost_ctx *ctx, const rhost_value *should)
{
    const char *source = rhost_str(should, "source"), *local;
    struct revision v;
    struct stat st;
    int64_t uid;
    struct git g;

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    if (!source)
        return rhost_fail_attr(ctx, "source", "a clone that does not exist needs a 'source'");
    if (rhost_foresee_owners(ctx, should, NULL) < 0)
        return -1;
    local = strncmp(source, "file://", 7) == 0 ? source + 7 : source;
    if (*local == '/' && rhost_path_stat(ctx, local, RHOST_PATH_FOLLOW, &st) < 0)
        return rhost_will_exist(ctx, "git", local) || rhost_will_exist(ctx, "directory", local)
                   ? 0
                   : rhost_fail_missing(ctx, "source", rhost_fmt(ctx, "'%s' does not exist", local));
    if (is_to_come(ctx, should, rhost_str(should, "owner")))
        return 0;
    if (rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0)
        return -1;
    git_command_open(ctx, &g, should, "/", uid < 0 ? 0 : uid, -1);
    return remote_resolve(&g, source, rhost_str_or(should, "revision", "HEAD"), &v);
}

static int32_t
load_absent(rhost_ctx *ctx, const rhost_value *should, const char *path)
{
    return foresee(ctx, should) < 0 ? -1 : rhost_absent_at(ctx, should, path);
}

/* For git in a directory that is there: as its owner. */
static int32_t
open_there(rhost_ctx *ctx, struct git *g, struct repository *r, const rhost_value *should, const char *path,
           const struct stat *st)
{
    if (repository_find(ctx, path, r) < 0)
        return -1;
    git_command_open(ctx, g, should, path, st->st_uid, -1);
    if (r->kind == REPOSITORY_EMPTY)
        return 0;
    return repository_check_trust(g, r) < 0 || repository_read(g, r) < 0 ? -1 : 0;
}

/* Why a clone must not be removed: something would be lost with it. */
static int32_t
check_removable(const struct git *g, const struct repository *r, const rhost_value *name)
{
    const char *first;
    int found;

    if (r->kind == REPOSITORY_EMPTY || local_is_discarded(g->should))
        return 0;
    found = local_has_changes(g, r, 1, &first);
    if (found > 0)
        return local_refuse(g, rhost_fmt(g->ctx, "'%s' has local changes, such as in '%s'", g->path, first));
    found = found < 0 ? -1 : local_has_commits(g, r, name, NULL);
    if (found > 0)
        return local_refuse(g, rhost_fmt(g->ctx, "'%s' has commits that are not in the remote", g->path));
    found = found < 0 ? -1 : local_has_stash(g);
    return found > 0 ? local_refuse(g, rhost_fmt(g->ctx, "'%s' has stashed changes", g->path)) : found;
}

/* Where it is at the revision that is desired, that is what is reported; and else the commit, to which an
 * undo goes back. */
static int32_t
report_revision(const struct git *g, const struct repository *r, rhost_value *current)
{
    struct revision wanted = { 0 };
    int is_current = g->should && !rhost_wants_absence(g->should) ? checkout_is_current(g, r, &wanted) : 0;

    if (is_current < 0)
        return -1;
    if (r->commit)
        rhost_put_str(current, "commit", r->commit);
    if (!is_current && wanted.commit)
        rhost_info(g->ctx, "'%s' is at commit %s in the remote", wanted.text, wanted.commit);
    if (is_current)
        rhost_put_str(current, "revision", wanted.text);
    else if (r->commit)
        rhost_put_str(current, "revision", r->commit);
    return 0;
}

static int32_t
report(const struct git *g, const struct repository *r, const struct stat *st, rhost_value *current)
{
    int submodules;

    rhost_put_str(current, "owner", rhost_look_up_name(g->ctx, 0, st->st_uid));
    rhost_put_str(current, "group", rhost_look_up_name(g->ctx, 1, st->st_gid));
    rhost_put_bool(current, "bare", r->kind == REPOSITORY_BARE);
    if (r->url)
        rhost_put_str(current, "source", remote_shown(g->ctx, r->url));
    if (rhost_has(g->should, "submodules") && !rhost_wants_absence(g->should)) {
        submodules = checkout_has_submodules(g, r);
        if (submodules < 0)
            return -1;
        rhost_put_bool(current, "submodules", submodules);
    }
    return report_revision(g, r, current);
}

static int32_t
git_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    struct repository r;
    struct stat st;
    struct git g;

    if (rhost_path_stat(ctx, path, 0, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(ctx, "cannot stat '%s'", path);
        if (rhost_wants_absence(should) && stage_is_left(ctx, name, path))
            return 0; /* the rest of a run that was killed */
        return load_absent(ctx, should, path);
    }
    if (!S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a directory", path);
    if (open_there(ctx, &g, &r, should, path, &st) < 0)
        return -1;
    if (r.kind == REPOSITORY_EMPTY)
        return load_absent(ctx, should, path);
    if (report(&g, &r, &st, current) < 0 || rhost_foresee_owners(ctx, should, current) < 0)
        return -1;
    if (!rhost_noop(ctx) || !should)
        return 0;
    return rhost_wants_absence(should) ? check_removable(&g, &r, name) : check_owner(ctx, should, &st);
}

static int32_t
git_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    (void)ctx;
    /* Those that are there stay. */
    if (strcmp(attribute, "submodules") == 0 && !rhost_bool(change->should, "submodules", 0))
        return 0;
    return RHOST_DEFAULT_COMPARISON;
}

static int32_t
git_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    struct repository r;
    int32_t result;
    int fd;

    if (rhost_bool(change->should, "parents", 0) && rhost_make_parents(ctx, path) < 0)
        return -1;
    fd = rhost_path_open(ctx, path, 0, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    if (fd >= 0 && repository_find(ctx, path, &r) < 0)
        result = -1;
    else if (fd >= 0 && r.kind != REPOSITORY_EMPTY)
        result = rhost_fail(ctx, "'%s' became a repository while this run went on", path);
    else
        result = clone_create(ctx, change, fd);
    rhost_path_close(fd);
    return result;
}

/* The owner and the group of all of it. */
static int32_t
adjust_owner(rhost_ctx *ctx, const char *path, int fd, const rhost_value *should, const struct stat *st)
{
    struct tree_rule rule = { .mode = NULL };

    if (check_owner(ctx, should, st) < 0 || rhost_wanted_id(ctx, should, "owner", 0, &rule.uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &rule.gid) < 0)
        return -1;
    if ((rule.uid < 0 || rule.uid == st->st_uid) && (rule.gid < 0 || rule.gid == st->st_gid))
        return 0;
    if (rhost_path_own(ctx, fd, rule.uid, rule.gid, -1) < 0)
        return rhost_fail_errno(ctx, "cannot change the owner of '%s'", path);
    rhost_touched(ctx, path);
    return tree_apply(ctx, fd, &rule);
}

static int32_t
update_clone(rhost_ctx *ctx, const struct rhost_change *change, int fd)
{
    const char *path = rhost_str(change->name, "path"), *source = rhost_str(change->should, "source");
    struct revision wanted;
    struct repository r;
    struct stat st;
    struct git g;
    int is_current;

    if (fstat(fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", path);
    if (adjust_owner(ctx, path, fd, change->should, &st) < 0)
        return -1;
    if (fstat(fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", path);
    if (open_there(ctx, &g, &r, change->should, path, &st) < 0)
        return -1;
    if (g.user && rhost_has(change->should, "group"))
        git_command_open(ctx, &g, change->should, path, st.st_uid, st.st_gid);
    if (r.kind == REPOSITORY_EMPTY)
        return rhost_fail(ctx, "'%s' was emptied while this run went on", path);
    rhost_touched(ctx, path);
    if (source && (!r.url || strcmp(source, r.url) != 0) && checkout_set_source(&g, source) < 0)
        return -1;
    is_current = checkout_is_current(&g, &r, &wanted);
    if (is_current < 0 || (!is_current && checkout_bring(&g, &r, change->name) < 0))
        return -1;
    if (!rhost_bool(change->should, "submodules", 0))
        return 0;
    return checkout_bring_submodules(&g);
}

static int32_t
git_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return stage_with(ctx, change, update_clone);
}

static int32_t
may_go(rhost_ctx *ctx, const struct rhost_change *change, int fd)
{
    const char *path = rhost_str(change->name, "path");
    /* The parameters are in `should` when that is there, and in `is` in any case. */
    const rhost_value *from = change->should ? change->should : change->is;
    struct repository r;
    struct stat st;
    struct git g;

    if (fstat(fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", path);
    return open_there(ctx, &g, &r, from, path, &st) < 0 ? -1 : check_removable(&g, &r, change->name);
}

static int32_t
git_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    return stage_remove(ctx, change, may_go) < 0 ? -1 : local_note(ctx, change->name, NULL);
}

static const char *const needs[] = { "user[$owner]",
                                     "write[$path/../.]",
                                     "run[git]",
                                     "read[$source]",
                                     "read[$ssh_key]",
                                     "read[$known_hosts]",
                                     "read[$credentials]",
                                     "read[$allowed_signers]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider git_provider = {
    RHOST_PROVIDER("git", "Keep a clone of a git repository at a revision."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = git_canonicalize,
    .insync = git_insync,
    .load = git_load,
    .validate = git_validate,
    .create = git_create,
    .update = git_update,
    .remove = git_remove,
    .needs = needs,
};

RHOST_PLUGIN(git, "1.0", &git_provider)
