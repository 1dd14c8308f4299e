/* SPDX-License-Identifier: Apache-2.0 */
/* local - what is in a tree and not in the remote: changed files, and commits. */

#include "local.h"

#include "remote.h"

#include <rhost/private.h>

static const char noted[] = "commit";

int
local_is_discarded(const rhost_value *should)
{
    return strcmp(rhost_str_or(should, "local_changes", "refuse"), "discard") == 0;
}

int
local_has_changes(const struct git *g, const struct repository *r, int untracked, const char **first)
{
    struct rhost_output output;

    *first = NULL;
    if (r->kind == REPOSITORY_BARE || (!r->commit && !untracked))
        return 0;
    if (git_run(g, RHOST_EXEC_READS, &output, "status", "--porcelain", "--ignore-submodules=all",
                untracked ? "--untracked-files=normal" : "--untracked-files=no", NULL)
        < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(g->ctx, "cannot read the state of '%s': %s", g->path,
                          git_complaint(g->ctx, &output));
    if (output.out_len > 3)
        *first = rhost_copy(g->ctx, output.out + 3, strcspn(output.out + 3, "\n"));
    return *first != NULL;
}

static int
exists(const struct git *g, const char *name)
{
    const char *line;

    if (git_ask(g, &line, "rev-parse", "--quiet", "--verify", rhost_fmt(g->ctx, "%s^{commit}", name), NULL)
        < 0)
        return -1;
    return line != NULL;
}

int
local_has_commits(const struct git *g, const struct repository *r, const rhost_value *name,
                  const char *branch)
{
    const char *last = rhost_private_get(g->ctx, name, noted);
    const char *words[10] = { "rev-list", "--max-count=1" };
    const char *own = branch ? rhost_fmt(g->ctx, "refs/heads/%s", branch) : "--branches";
    struct rhost_output output;
    size_t n = 2;
    int there;

    if (r->commit)
        words[n++] = "HEAD";
    there = branch ? exists(g, own) : 1;
    if (there < 0)
        return -1;
    if (there)
        words[n++] = own;
    if (n == 2)
        return 0;
    words[n++] = "--not";
    words[n++] = "--remotes";
    words[n++] = "--tags";
    there = last && remote_is_commit(last) ? exists(g, last) : 0;
    if (there < 0)
        return -1;
    if (there)
        words[n++] = last;
    words[n++] = "--";
    if (git_run_words(g, RHOST_EXEC_READS, &output, words) < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(g->ctx, "cannot read the commits of '%s': %s", g->path,
                          git_complaint(g->ctx, &output));
    return output.out_len > 0;
}

int
local_has_stash(const struct git *g)
{
    return exists(g, "refs/stash");
}

int32_t
local_note(rhost_ctx *ctx, const rhost_value *name, const char *commit)
{
    const char *now = rhost_private_get(ctx, name, noted);

    if ((!now && !commit) || (now && commit && strcmp(now, commit) == 0))
        return 0;
    return rhost_private_put(ctx, name, noted, commit);
}

int32_t
local_refuse(const struct git *g, const char *what)
{
    return rhost_fail_attr(g->ctx, "local_changes",
                           "%s; 'local_changes: discard' discards what is not in the remote", what);
}
