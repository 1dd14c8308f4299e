/* SPDX-License-Identifier: Apache-2.0 */
/* remote - what a revision is in the repository that a tree is a clone of, and how it gets here. */

#include "remote.h"

#include <stdlib.h>

enum { HEX = 40 };

int
remote_is_commit(const char *text)
{
    return strlen(text) == HEX && strspn(text, "0123456789abcdef") == HEX;
}

int
remote_is_name(const char *text)
{
    size_t n = strlen(text);

    if (!n || *text == '-' || *text == '/' || text[n - 1] == '/' || text[n - 1] == '.')
        return 0;
    if (strstr(text, "..") || strstr(text, "@{") || strstr(text, "//") || strstr(text, "/-")
        || strstr(text, "/."))
        return 0;
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("~^:?*[\\", *p))
            return 0;
    return *text != '.' && strcmp(text, "@") != 0;
}

/* Where the user of a URL begins and ends (at the '@'); 0: it has none. */
static int
find_user(const char *url, const char **from, const char **to)
{
    const char *host = strstr(url, "://"), *end;

    if (!host)
        return 0;
    host += 3;
    end = host + strcspn(host, "/?#");
    *from = host;
    *to = NULL;
    for (const char *p = host; p < end; p++)
        if (*p == '@')
            *to = p;
    return *to != NULL;
}

int
remote_has_credentials(const char *url)
{
    const char *from, *to;

    return find_user(url, &from, &to)
           && (strncmp(url, "http", 4) == 0 || memchr(from, ':', (size_t)(to - from)) != NULL);
}

const char *
remote_shown(rhost_ctx *ctx, const char *url)
{
    const char *from, *to;

    if (!remote_has_credentials(url) || !find_user(url, &from, &to))
        return url;
    return rhost_fmt(ctx, "%.*s[redacted]%s", (int)(from - url), url, to);
}

/* One line of `git ls-remote --symref`: "ref: refs/heads/main\tHEAD", or a commit and a name. */
static void
take_line(rhost_ctx *ctx, const char *line, struct revision *r)
{
    static const char heads[] = "refs/heads/", tags[] = "refs/tags/";
    const char *tab = strchr(line, '\t'), *name = tab ? tab + 1 : "";
    size_t n = tab ? (size_t)(tab - line) : 0;

    if (strncmp(line, "ref: refs/heads/", 16) == 0 && strcmp(name, "HEAD") == 0) {
        if (strcmp(r->text, "HEAD") == 0)
            r->branch = rhost_copy(ctx, line + 16, n - 16);
        return;
    }
    if (n != HEX || strspn(line, "0123456789abcdef") != HEX)
        return;
    if (strcmp(name, r->text) == 0 && (strcmp(name, "HEAD") == 0 || strncmp(name, "refs/", 5) == 0)) {
        r->commit = rhost_copy(ctx, line, n);
    } else if (strncmp(name, heads, sizeof heads - 1) == 0 && strcmp(name + sizeof heads - 1, r->text) == 0) {
        r->commit = rhost_copy(ctx, line, n);
        r->branch = r->text;
        r->tag = NULL;
    } else if (!r->branch && strncmp(name, tags, sizeof tags - 1) == 0) {
        size_t len = strlen(r->text);

        name += sizeof tags - 1;
        if (strncmp(name, r->text, len) != 0 || (name[len] && strcmp(name + len, "^{}") != 0))
            return;
        if (!r->commit || name[len]) /* of a tag with a message, the commit is the second */
            r->commit = rhost_copy(ctx, line, n);
        r->tag = r->text;
    }
}

static int32_t
fail_unknown(const struct git *g, const char *url, const char *revision)
{
    if (strcmp(revision, "HEAD") == 0)
        return rhost_fail_attr(g->ctx, "source", "'%s' has no default branch, or no commit on it",
                               remote_shown(g->ctx, url));
    return rhost_fail_attr(
        g->ctx, "revision",
        "'%s' has no branch and no tag '%s'; a commit is given by its 40 hexadecimal digits",
        remote_shown(g->ctx, url), revision);
}

int32_t
remote_resolve(const struct git *g, const char *url, const char *revision, struct revision *r)
{
    struct rhost_output output;
    int is_full = strcmp(revision, "HEAD") == 0 || strncmp(revision, "refs/", 5) == 0;
    const char *first = is_full ? revision : rhost_fmt(g->ctx, "refs/heads/%s", revision);
    const char *second = is_full ? NULL : rhost_fmt(g->ctx, "refs/tags/%s", revision);
    const char *third = is_full ? NULL : rhost_fmt(g->ctx, "refs/tags/%s^{}", revision);

    *r = (struct revision){ .text = revision };
    if (remote_is_commit(revision)) {
        r->commit = revision;
        return 0;
    }
    if (git_run(g, RHOST_EXEC_READS, &output, "ls-remote", "--symref", "--", url, first, second, third, NULL)
        < 0)
        return -1;
    if (output.status != 0)
        return rhost_fail_attr(g->ctx, "source", "cannot read '%s': %s", remote_shown(g->ctx, url),
                               git_complaint(g->ctx, &output));
    for (const char *line = output.out; *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n");

        take_line(g->ctx, rhost_copy(g->ctx, line, n), r);
        line += n;
    }
    if (!r->commit)
        return fail_unknown(g, url, revision);
    return !r->branch || remote_is_name(r->branch)
               ? 0
               : rhost_fail_attr(g->ctx, "source", "the name of its default branch is not valid");
}

static int32_t
has_commit(const struct git *g, const char *commit)
{
    struct rhost_output output;

    if (git_run(g, RHOST_EXEC_READS, &output, "cat-file", "-e", rhost_fmt(g->ctx, "%s^{commit}", commit),
                NULL)
        < 0)
        return -1;
    return output.status == 0;
}

/* Refspecs end with NULL. */
static int32_t
fetch(const struct git *g, int tolerant, const char *const *refspecs)
{
    int64_t depth = rhost_int(g->should, "depth", 0);
    const char *words[12] = { "fetch", "--quiet", "--force", "--no-recurse-submodules",
                              "--no-write-fetch-head" };
    struct rhost_output output;
    size_t n = 5;

    words[n++] = depth ? rhost_fmt(g->ctx, "--depth=%lld", (long long)depth) : "--prune";
    words[n++] = "--";
    words[n++] = g->remote;
    while (*refspecs && n < 11)
        words[n++] = *refspecs++;
    if (git_run_words(g, RHOST_EXEC_STOPPABLE, &output, words) < 0)
        return -1;
    return output.status == 0 || tolerant
               ? 0
               : rhost_fail(g->ctx, "cannot fetch from '%s': %s",
                            remote_shown(g->ctx, rhost_str_or(g->should, "source", g->remote)),
                            git_complaint(g->ctx, &output));
}

static int32_t
fetch_commit(const struct git *g, const struct revision *r, const char *all)
{
    int32_t there = has_commit(g, r->commit);
    int whole = !rhost_int(g->should, "depth", 0);

    if (there == 0 && whole) {
        if (fetch(g, 0, (const char *const[]){ all, NULL }) < 0)
            return -1;
        there = has_commit(g, r->commit);
    }
    if (there == 0) {
        if (fetch(g, 1, (const char *const[]){ r->commit, NULL }) < 0)
            return -1;
        there = has_commit(g, r->commit);
    }
    if (there == 0)
        return rhost_fail_attr(g->ctx, "revision", "the remote has no commit %s", r->commit);
    return there < 0 ? -1 : 0;
}

int32_t
remote_fetch(const struct git *g, struct revision *r)
{
    const char *all = rhost_fmt(g->ctx, "+refs/heads/*:refs/remotes/%s/*", g->remote);
    const char *tracking = "refs/rhost/revision", *own = rhost_fmt(g->ctx, "+%s:%s", r->text, tracking);
    int whole = !rhost_int(g->should, "depth", 0);

    if (remote_is_commit(r->text))
        return fetch_commit(g, r, all);
    if (r->branch) {
        tracking = rhost_fmt(g->ctx, "refs/remotes/%s/%s", g->remote, r->branch);
        own = rhost_fmt(g->ctx, "+refs/heads/%s:%s", r->branch, tracking);
    } else if (r->tag) {
        tracking = rhost_fmt(g->ctx, "refs/tags/%s", r->tag);
        own = rhost_fmt(g->ctx, "+refs/tags/%s:%s", r->tag, tracking);
    }
    if (whole && fetch(g, 0, (const char *const[]){ all, NULL }) < 0)
        return -1;
    if ((!whole || !r->branch) && fetch(g, 0, (const char *const[]){ own, NULL }) < 0)
        return -1;
    /* What is there may have moved since it was asked for. */
    if (git_ask(g, &r->commit, "rev-parse", "--quiet", "--verify", rhost_fmt(g->ctx, "%s^{commit}", tracking),
                NULL)
        < 0)
        return -1;
    return r->commit ? 0 : rhost_fail_attr(g->ctx, "revision", "'%s' is not a commit", r->text);
}

int32_t
remote_verify(const struct git *g, const struct revision *r)
{
    struct rhost_output output;
    const char *kind = NULL;

    if (strcmp(rhost_str_or(g->should, "signatures", "none"), "required") != 0)
        return 0;
    if (r->tag && git_ask(g, &kind, "cat-file", "-t", rhost_fmt(g->ctx, "refs/tags/%s", r->tag), NULL) < 0)
        return -1;
    if (kind && strcmp(kind, "tag") == 0) {
        if (git_run(g, RHOST_EXEC_READS, &output, "verify-tag", rhost_fmt(g->ctx, "refs/tags/%s", r->tag),
                    NULL)
            < 0)
            return -1;
        return output.status == 0
                   ? 0
                   : rhost_fail_attr(g->ctx, "signatures", "tag '%s' has no good signature: %s", r->tag,
                                     git_complaint(g->ctx, &output));
    }
    if (git_run(g, RHOST_EXEC_READS, &output, "verify-commit", r->commit, NULL) < 0)
        return -1;
    return output.status == 0 ? 0
                              : rhost_fail_attr(g->ctx, "signatures", "commit %s has no good signature: %s",
                                                r->commit, git_complaint(g->ctx, &output));
}
