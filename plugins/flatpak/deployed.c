/* SPDX-License-Identifier: Apache-2.0 */
/* deployed - what flatpak has installed, read from the directories of an installation. */

#include "deployed.h"

#include <rhost/path.h>

enum { LARGEST = 1 << 22 };

/* The names in a directory; none where it does not exist. -1 with the reason given. */
static ssize_t
list(const struct place *p, const char *path, const char ***names)
{
    ssize_t n = rhost_path_list(p->ctx, path, 0, names);

    if (n < 0 && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    return n < 0 ? rhost_fail_path(p->ctx, "cannot read '%s'", path) : n;
}

/* The link "active" leads to a directory whose file "deploy" begins with the name of the remote. */
static int32_t
look(const struct place *p, const char *ref, struct deployed *found)
{
    const char *active = rhost_fmt(p->ctx, "%s/%s/active", p->path, ref), *deploy, *text;
    char commit[128];
    size_t len;
    ssize_t n = rhost_path_readlink(p->ctx, active, commit, sizeof commit);

    if (n < 0 && errno != ENOENT && errno != ENOTDIR && errno != EINVAL)
        return rhost_fail_path(p->ctx, "cannot read '%s'", active);
    if (n <= 0 || strchr(commit, '/') || *commit == '.') {
        found->broken = rhost_fmt(p->ctx, "'%s' leads nowhere", active);
        return 0;
    }
    deploy = rhost_fmt(p->ctx, "%s/%s/%s/deploy", p->path, ref, commit);
    text = rhost_path_read(p->ctx, deploy, 0, LARGEST, &len, NULL);
    if (!text && errno != ENOENT && errno != ENOTDIR)
        return rhost_fail_path(p->ctx, "cannot read '%s'", deploy);
    if (!text || !*text || strlen(text) == len) {
        found->broken = rhost_fmt(p->ctx, "'%s' %s", deploy, text ? "is damaged" : "does not exist");
        words_add(&found->stale, active);
        return 0;
    }
    found->remote = text;
    words_add(&found->refs, ref);
    return 0;
}

/* The branches of one architecture. */
static int32_t
find_branches(const struct place *p, const char *ref, const char *branch, struct deployed *found)
{
    const char **names;
    ssize_t n = list(p, rhost_fmt(p->ctx, "%s/%s", p->path, ref), &names);

    for (ssize_t i = 0; i < n; i++) {
        if (*branch && strcmp(branch, names[i]) != 0)
            continue;
        if (look(p, rhost_fmt(p->ctx, "%s/%s", ref, names[i]), found) < 0)
            return -1;
    }
    return n < 0 ? -1 : 0;
}

int32_t
deployed_find(const struct place *p, const char *id, const char *branch, struct deployed *found)
{
    static const char *const kinds[] = { "app", "runtime" };

    *found = (struct deployed){ .refs = { .ctx = p->ctx }, .stale = { .ctx = p->ctx } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *ref = rhost_fmt(p->ctx, "%s/%s", kinds[k], id), **names;
        ssize_t n = list(p, rhost_fmt(p->ctx, "%s/%s", p->path, ref), &names);

        if (n < 0)
            return -1;
        for (ssize_t i = 0; i < n; i++) /* "current" is a link to a branch */
            if (strcmp(names[i], "current") != 0
                && find_branches(p, rhost_fmt(p->ctx, "%s/%s", ref, names[i]), branch, found) < 0)
                return -1;
    }
    return 0;
}
