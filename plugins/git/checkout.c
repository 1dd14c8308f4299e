/* SPDX-License-Identifier: Apache-2.0 */
/* checkout - brings a repository to a revision. */

#include "checkout.h"

#include "local.h"

static int
is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The commit that a name of this repository stands for; NULL: it has no such name. */
static int32_t
find(const struct git *g, const char *name, const char **commit)
{
    return git_ask(g, commit, "rev-parse", "--quiet", "--verify", rhost_fmt(g->ctx, "%s^{commit}", name),
                   NULL);
}

/* Without asking the remote. */
static int
is_at(const struct git *g, const struct repository *r, const char *revision)
{
    const char *tag, *tracking;

    if (strcmp(revision, "HEAD") == 0 || is_same(r->branch, revision))
        return 1;
    if (find(g, rhost_fmt(g->ctx, "refs/tags/%s", revision), &tag) < 0
        || find(g, rhost_fmt(g->ctx, "refs/remotes/%s/%s", g->remote, revision), &tracking) < 0)
        return -1;
    return is_same(r->commit, tag) || (!r->branch && is_same(r->commit, tracking));
}

int
checkout_is_current(const struct git *g, const struct repository *r, struct revision *wanted)
{
    const char *revision = rhost_str_or(g->should, "revision", "HEAD");
    const char *url = rhost_str_or(g->should, "source", r->url), *first;
    int changed;

    *wanted = (struct revision){ .text = revision };
    if (!r->commit)
        return 0;
    if (remote_is_commit(revision)) {
        if (!is_same(r->commit, revision))
            return 0;
    } else if (!rhost_bool(g->should, "update", 1)) {
        int at = is_at(g, r, revision);

        if (at <= 0)
            return at;
    } else {
        if (!url)
            return rhost_fail_attr(g->ctx, "source", "'%s' has no remote '%s': 'source' is missing", g->path,
                                   g->remote);
        if (remote_resolve(g, url, revision, wanted) < 0)
            return -1;
        if (!is_same(r->commit, wanted->commit) || (wanted->branch && !is_same(r->branch, wanted->branch)))
            return 0;
    }
    wanted->commit = r->commit;
    changed = local_is_discarded(g->should) ? local_has_changes(g, r, 0, &first) : 0;
    if (changed != 0)
        return changed < 0 ? -1 : 0;
    return remote_verify(g, wanted) < 0 ? -1 : 1;
}

int32_t
checkout_init(const struct git *g)
{
    return git_run(g, 0, NULL, "init", "--quiet",
                   "--template=", rhost_bool(g->should, "bare", 0) ? "--bare" : "--initial-branch=main",
                   NULL);
}

/* What is so already is not written anew. */
static int32_t
set_config(const struct git *g, const char *key, const char *value)
{
    const char *now;

    if (git_ask(g, &now, "config", "--get", key, NULL) < 0)
        return -1;
    return is_same(now, value) ? 0 : git_run(g, 0, NULL, "config", "--replace-all", key, value, NULL);
}

int32_t
checkout_set_source(const struct git *g, const char *url)
{
    if (set_config(g, rhost_fmt(g->ctx, "remote.%s.url", g->remote), url) < 0)
        return -1;
    return set_config(g, rhost_fmt(g->ctx, "remote.%s.fetch", g->remote),
                      rhost_fmt(g->ctx, "+refs/heads/*:refs/remotes/%s/*", g->remote));
}

static int32_t
place_bare(const struct git *g, const struct revision *v)
{
    const char *ref;

    if (!v->branch)
        return git_run(g, 0, NULL, "update-ref", "--no-deref", "HEAD", v->commit, NULL);
    ref = rhost_fmt(g->ctx, "refs/heads/%s", v->branch);
    return git_run(g, 0, NULL, "update-ref", ref, v->commit, NULL) < 0
                   || git_run(g, 0, NULL, "symbolic-ref", "HEAD", ref, NULL) < 0
               ? -1
               : 0;
}

static int32_t
place(const struct git *g, const struct repository *r, const struct revision *v)
{
    const char *words[12] = { "checkout", "--quiet", "--no-recurse-submodules" };
    size_t n = 3;

    if (r->kind == REPOSITORY_BARE)
        return place_bare(g, v);
    words[n++] = local_is_discarded(g->should) ? "--force" : "--no-overwrite-ignore";
    if (v->branch) {
        words[n++] = "--no-track";
        words[n++] = "-B";
        words[n++] = v->branch;
    } else {
        words[n++] = "--detach";
    }
    words[n++] = v->commit;
    words[n++] = "--";
    if (git_run_words(g, 0, NULL, words) < 0)
        return -1;
    if (!v->branch)
        return 0;
    return set_config(g, rhost_fmt(g->ctx, "branch.%s.remote", v->branch), g->remote) < 0
                   || set_config(g, rhost_fmt(g->ctx, "branch.%s.merge", v->branch),
                                 rhost_fmt(g->ctx, "refs/heads/%s", v->branch))
                          < 0
               ? -1
               : 0;
}

int32_t
checkout_bring(const struct git *g, struct repository *r, const rhost_value *name)
{
    const char *revision = rhost_str_or(g->should, "revision", "HEAD");
    const char *url = rhost_str_or(g->should, "source", r->url), *first;
    int discard = local_is_discarded(g->should), changed, commits = 0;
    struct revision v;

    if (!url)
        return rhost_fail_attr(g->ctx, "source", "'%s' has no remote '%s': 'source' is missing", g->path,
                               g->remote);
    if (remote_resolve(g, url, revision, &v) < 0)
        return -1;
    changed = discard ? 0 : local_has_changes(g, r, 0, &first);
    if (changed > 0)
        return local_refuse(g, rhost_fmt(g->ctx, "'%s' has local changes, such as in '%s'", g->path, first));
    if (changed == 0 && !discard)
        commits = local_has_commits(g, r, name, v.branch ? v.branch : r->branch);
    if (changed < 0 || commits < 0 || remote_fetch(g, &v) < 0 || remote_verify(g, &v) < 0)
        return -1;
    if (commits) /* they may have come to the remote meanwhile */
        commits = local_has_commits(g, r, name, v.branch ? v.branch : r->branch);
    if (commits > 0)
        return local_refuse(g, rhost_fmt(g->ctx, "'%s' has commits that are not in the remote", g->path));
    if (commits < 0 || place(g, r, &v) < 0)
        return -1;
    r->commit = v.commit;
    r->branch = v.branch;
    return local_note(g->ctx, name, v.commit);
}

int
checkout_has_submodules(const struct git *g, const struct repository *r)
{
    struct rhost_output output;

    if (r->kind == REPOSITORY_BARE || !r->commit)
        return 0;
    if (git_run(g, RHOST_EXEC_READS, &output, "submodule", "status", "--recursive", NULL) < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail(g->ctx, "cannot read the submodules of '%s': %s", g->path,
                          git_complaint(g->ctx, &output));
    for (const char *line = output.out; *line; line += *line == '\n') {
        if (*line != ' ')
            return 0;
        line += strcspn(line, "\n");
    }
    return 1;
}

int32_t
checkout_bring_submodules(const struct git *g)
{
    const char *words[10] = { "submodule", "--quiet", "update", "--init", "--recursive" };
    const char *depth = rhost_fmt(g->ctx, "--depth=%lld", (long long)rhost_int(g->should, "depth", 0));
    size_t n = 5;

    if (rhost_int(g->should, "depth", 0))
        words[n++] = depth;
    if (local_is_discarded(g->should))
        words[n++] = "--force";
    if (git_run(g, 0, NULL, "submodule", "--quiet", "sync", "--recursive", NULL) < 0)
        return -1;
    return git_run_words(g, RHOST_EXEC_STOPPABLE, NULL, words);
}
