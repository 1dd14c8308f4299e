/* SPDX-License-Identifier: Apache-2.0 */
/* bundles - gets bundles: to a file of our own, where they are verified. What is there stays until then. */
#include "config.h"

#include "agent/agent.h"

#include "agent/fetch.h"
#include "agent/get.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/new-file.h"
#include "bundle/bundle.h"

#include <rhost/sha256.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 32 << 10, DIGEST = 64 };

char *
rh_agent_bundle_path(const struct rh_agent *agent, int64_t revision)
{
    return rh_printf("%s/bundles/r%lld.json", agent->directory, (long long)revision);
}

/* Whether the archive is there, with the size and digest of its description. */
static bool
is_intact(const char *path, const struct rh_description *d)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char piece[PIECE], digest[65];
    struct rhost_sha256 sum;
    struct stat st;
    ssize_t n;

    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size != (off_t)d->size)
        return false;
    rhost_sha256_init(&sum);
    while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            rhost_sha256_add(&sum, piece, (size_t)n);
    rhost_sha256_hex(&sum, digest);
    return n == 0 && strcmp(digest, d->sha256) == 0;
}

/* The one that is there stays until another one is whole. */
static int
get_archive(const struct rh_agent *agent, const struct rh_bundle *b, const char *path, struct rh_error *err)
{
    const struct rh_description *d = &b->description;
    rh_autofree char *archive = rh_bundle_archive_path(path, d->sha256);
    rh_autofree char *name = rh_printf("%s" RH_BUNDLE_SUFFIX, d->sha256);
    rh_autofree char *part = rh_printf("%s.part", archive);
    struct rh_agent_getting g = { name, part, NULL, (size_t)d->size, agent->settings.timeout, true };
    struct rh_fetch_answer answer;
    rh_autobundle struct rh_bundle whole = { 0 };

    if (!is_intact(archive, d)) {
        if (rh_agent_get(agent, &g, &answer, err) < 0)
            return -1;
        if (!is_intact(part, d)) {
            rh_autofree char *url = rh_printf("%s/%s", agent->settings.source, name);

            (void)unlink(part);
            return rh_error_set(err, RH_EINPUT,
                                "'%s' is damaged: it has not the size and digest of its description", url);
        }
        if (rh_rename_file(part, archive, err) < 0)
            return -1;
    }
    return rh_bundle_open(&whole, path, agent->settings.signers, err);
}

/* Gets it to a directory of its own, since its name counts: only one that was verified takes the place of the
 * one that is there. Where the second rename is not reached, the pair does not verify, and is got again. */
static int
get_description(const struct rh_agent *agent, int64_t revision, const char *path, struct rh_bundle *b,
                struct rh_error *err)
{
    rh_autofree char *directory = rh_printf("%s/bundles/.new", agent->directory),
                     *name = rh_printf("r%lld.json", (long long)revision),
                     *fresh = rh_printf("%s/%s", directory, name),
                     *fresh_signature = rh_printf("%s.sig", fresh), *signature = rh_printf("%s.sig", path);
    struct rh_fetch_answer answer;
    int rc = -1;

    if (rh_make_directory(directory, 0700, err) < 0)
        return -1;
    if (rh_agent_get_signed(agent, name, fresh, NULL, &answer, err) == 0
        && rh_bundle_describe(b, fresh, agent->settings.signers, err) == 0)
        rc = rh_replaceable(path, err) < 0 || rh_rename_file(fresh_signature, signature, err) < 0
                     || rh_rename_file(fresh, path, err) < 0
                 ? -1
                 : 0;
    (void)unlink(fresh);
    (void)unlink(fresh_signature);
    return rc;
}

int
rh_agent_get_bundle(struct rh_agent *agent, int64_t revision, struct rh_error *err)
{
    rh_autofree char *path = rh_agent_bundle_path(agent, revision),
                     *directory = rh_printf("%s/bundles", agent->directory);
    struct rh_agent_memory *m = &agent->memory;
    rh_autobundle struct rh_bundle b = { 0 };

    if (rh_bundle_describe(&b, path, agent->settings.signers, NULL) < 0) {
        rh_bundle_clear(&b);
        if (get_description(agent, revision, path, &b, err) < 0)
            return -1;
    }
    if (get_archive(agent, &b, path, err) < 0)
        return -1;
    /* The release key says that there are revisions so high: the rollout key alone cannot put an end to all.
     */
    if (m->min_revision < m->announced && m->announced <= revision)
        m->min_revision = m->announced;
    return rh_sync_directory(directory, err);
}

/* Whether one of the revisions that are kept has this file. */
static bool
is_kept(const struct rh_agent *agent, const char *name)
{
    const struct rh_agent_memory *m = &agent->memory;
    const int64_t kept[] = { m->good, m->previous, m->trying, m->wanted };

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        rh_autofree char *path = rh_agent_bundle_path(agent, kept[i]);
        rh_autobundle struct rh_bundle b = { 0 };
        rh_autofree char *own = rh_printf("r%lld.json", (long long)kept[i]);
        size_t n = strlen(own);

        if (kept[i] && strncmp(name, own, n) == 0)
            return true;
        if (!kept[i] || access(path, F_OK) < 0)
            continue;
        /* Which archive it had is not known where it cannot be read. */
        if (rh_bundle_describe(&b, path, NULL, NULL) < 0 ? *name != 'r'
                                                         : strncmp(name, b.description.sha256, DIGEST) == 0)
            return true;
    }
    return false;
}

void
rh_agent_remove_bundles(const struct rh_agent *agent)
{
    rh_autofree char *directory = rh_printf("%s/bundles", agent->directory);
    rh_autoclosedir DIR *d = opendir(directory);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.' && !is_kept(agent, e->d_name))
            (void)unlinkat(dirfd(d), e->d_name, 0);
}
