/* SPDX-License-Identifier: Apache-2.0 */
/* repository - what is at a path: a repository, an empty directory, or something else. */

#include "repository.h"

#include <rhost/path.h>

#include <unistd.h>

static int
has(rhost_ctx *ctx, const char *path, const char *name, struct stat *st)
{
    return rhost_path_stat(ctx, rhost_fmt(ctx, "%s/%s", path, name), 0, st) == 0;
}

int32_t
repository_find(rhost_ctx *ctx, const char *path, struct repository *r)
{
    const char **names;
    struct stat st;
    ssize_t n;

    *r = (struct repository){ .kind = REPOSITORY_TREE };
    if (has(ctx, path, ".git", &st))
        return S_ISDIR(st.st_mode)
                   ? 0
                   : rhost_fail(
                       ctx, "'%s' is a linked work tree or a submodule, which belongs to another repository",
                       path);
    if (errno != ENOENT)
        return rhost_fail_path(ctx, "cannot stat '%s/.git'", path);
    r->kind = REPOSITORY_BARE;
    if (has(ctx, path, "HEAD", &st) && has(ctx, path, "objects", &st) && has(ctx, path, "refs", &st))
        return 0;
    r->kind = REPOSITORY_EMPTY;
    n = rhost_path_list(ctx, path, 0, &names);
    if (n < 0)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    return n == 0 ? 0 : rhost_fail(ctx, "'%s' is not empty, and it is not a git repository", path);
}

/* A file that root's git obeys. */
static int32_t
check_file(const struct git *g, const char *path)
{
    struct stat st;

    if (rhost_path_trusted(g->ctx, path) < 0 && errno != ENOENT)
        return rhost_fail_path(g->ctx, "cannot run git in '%s' as root", g->path);
    if (rhost_path_stat(g->ctx, path, 0, &st) < 0)
        return errno == ENOENT ? 0 : rhost_fail_path(g->ctx, "cannot stat '%s'", path);
    if (st.st_uid == 0 && (S_ISLNK(st.st_mode) || !(st.st_mode & 022)))
        return 0;
    return rhost_fail(g->ctx, "cannot run git in '%s' as root: another user can change '%s'", g->path, path);
}

int32_t
repository_check_trust(const struct git *g, const struct repository *r)
{
    static const char *const obeyed[] = { "config", "HEAD", "index", "modules" };
    const char *git = r->kind == REPOSITORY_BARE ? "" : "/.git";

    if (g->uid != 0)
        return 0;
    if (r->kind == REPOSITORY_EMPTY)
        return check_file(g, g->path);
    if (check_file(g, rhost_fmt(g->ctx, "%s%s", g->path, git)) < 0)
        return -1;
    for (size_t i = 0; i < sizeof obeyed / sizeof *obeyed; i++)
        if (check_file(g, rhost_fmt(g->ctx, "%s%s/%s", g->path, git, obeyed[i])) < 0)
            return -1;
    return 0;
}

int32_t
repository_read(const struct git *g, struct repository *r)
{
    struct rhost_output output;

    if (git_run(g, RHOST_EXEC_READS, &output, "rev-parse", "--git-dir", NULL) < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(g->ctx, "cannot read the repository '%s': %s", g->path,
                          git_complaint(g->ctx, &output));
    return git_ask(g, &r->commit, "rev-parse", "--quiet", "--verify", "HEAD^{commit}", NULL) < 0
                   || git_ask(g, &r->branch, "symbolic-ref", "--quiet", "--short", "HEAD", NULL) < 0
                   || git_ask(g, &r->url, "config", "--get", rhost_fmt(g->ctx, "remote.%s.url", g->remote),
                              NULL)
                          < 0
               ? -1
               : 0;
}
