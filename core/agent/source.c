/* SPDX-License-Identifier: Apache-2.0 */
/* source - gets the channel and bundles. Everything is got to a file of our own and verified there. */
#include "config.h"

#include "agent/agent.h"

#include "agent/fetch.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "bundle/bundle.h"
#include "bundle/channel.h"

#include <rhost/sha256.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SECONDS = 60,
    LARGEST_SMALL = 1 << 20,
    DAY = 24 * 3600,
    PAUSE = 1,
    PIECE = 32 << 10,
    DIGEST = 64,
    OK = 200,
    PART = 206,
    UNCHANGED = 304
};

/* A request that gets a file of the source into a new file `path`, or behind what is there. */
struct getting {
    const char *name, *path, *etag;
    size_t limit;
    long seconds;
    bool resumes;
};

static int
get(const struct rh_agent *agent, const struct getting *g, struct rh_fetch_answer *answer,
    struct rh_error *err)
{
    rh_autofree char *url = rh_printf("%s/%s", agent->settings.source, g->name);
    struct rh_fetch_request r = { .url = url, .etag = g->etag, .limit = g->limit, .seconds = g->seconds };
    rh_autoclose int fd =
        open(g->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (g->resumes ? 0 : O_TRUNC), 0600);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open '%s'", g->path);
    if (g->resumes && (size_t)st.st_size < g->limit)
        r.from = (size_t)st.st_size;
    if (rh_fetch(&agent->settings, &r, fd, answer, err) < 0)
        return -1;
    if (answer->status != OK && answer->status != PART && !(answer->status == UNCHANGED && g->etag)) {
        /* What cannot be gone on from is not kept. */
        rh_discard(ftruncate(fd, 0));
        return rh_error_set(err, RH_EINPUT, "cannot get '%s': the server answered with status %d", url,
                            answer->status);
    }
    if (ftruncate(fd, (off_t)answer->n) < 0 || fsync(fd) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", g->path);
    return 0;
}

/* FILE and FILE.sig beside it. */
static int
get_signed(const struct rh_agent *agent, const char *name, const char *path, const char *etag,
           struct rh_fetch_answer *answer, struct rh_error *err)
{
    rh_autofree char *signature = rh_printf("%s.sig", name), *signature_path = rh_printf("%s.sig", path);
    struct getting g = { name, path, etag, LARGEST_SMALL, SECONDS, false };
    struct rh_fetch_answer of_signature;

    if (get(agent, &g, answer, err) < 0)
        return -1;
    if (answer->status == UNCHANGED)
        return 0;
    g = (struct getting){ signature, signature_path, NULL, LARGEST_SMALL, SECONDS, false };
    return get(agent, &g, &of_signature, err);
}

static char *
channel_path(const struct rh_agent *agent)
{
    return rh_printf("%s/" RH_CHANNEL_FILE, agent->directory);
}

static void
digest_of(const struct rh_signed *s, char digest[65])
{
    struct rhost_sha256 sum;

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, s->text, s->n);
    rhost_sha256_hex(&sum, digest);
}

static int
check_time(const struct rh_channel *c, struct rh_error *err)
{
    time_t now = time(NULL);

    if (now >= c->expires)
        return rh_error_set(err, RH_EINPUT, "the channel with serial %lld has expired: make a new one",
                            (long long)c->serial);
    if (now < c->issued - DAY)
        return rh_error_set(err, RH_EINPUT,
                            "the channel with serial %lld was issued in the future: check the "
                            "clock of this machine",
                            (long long)c->serial);
    return 0;
}

static int
check_channel(const struct rh_agent *agent, const struct rh_channel *c, const char *digest,
              struct rh_error *err)
{
    const struct rh_agent_memory *m = &agent->memory;

    if (c->serial < m->serial)
        return rh_error_set(err, RH_EINPUT,
                            "the channel is older than the one that this machine has: serial "
                            "%lld, and not %lld",
                            (long long)c->serial, (long long)m->serial);
    /* Whoever has the rollout key for a day must not use up all serials. */
    if (m->serial && c->serial - m->serial > RH_CHANNEL_JUMP)
        return rh_error_set(err, RH_EINPUT,
                            "serial %lld of the channel is more than %d above that of the last channel, %lld",
                            (long long)c->serial, RH_CHANNEL_JUMP, (long long)m->serial);
    if (c->serial == m->serial && *m->digest && strcmp(digest, m->digest) != 0)
        return rh_error_set(err, RH_EINPUT, "there are two different channels with serial %lld",
                            (long long)c->serial);
    if (c->min_revision < m->min_revision)
        return rh_error_set(err, RH_EINPUT, "'min_revision' of the channel went down, from %lld to %lld",
                            (long long)m->min_revision, (long long)c->min_revision);
    return check_time(c, err);
}

/* What the memory has is of one source: another one may have another site, with the same revisions. */
static int
check_source(const struct rh_agent *agent, struct rh_error *err)
{
    const char *was = agent->memory.source, *is = agent->settings.source;
    size_t n = strlen(was), m = strlen(is);

    while (n && was[n - 1] == '/')
        n--;
    while (m && is[m - 1] == '/')
        m--;
    if (!n || (n == m && strncmp(was, is, n) == 0))
        return 0;
    return rh_error_set(err, RH_EINPUT,
                        "the source was '%s', and is now '%s': to start anew with it, stop the agent and "
                        "remove '%s/agent.json'",
                        was, is, agent->directory);
}

/* Takes the place of the one that is there. The memory comes last: what it has was on disk before. Its
 * min_revision stays until a revision was verified that is not below that of the channel. */
static int
keep_channel(struct rh_agent *agent, const struct rh_channel *c, const char *from, const char *digest,
             const char *etag, struct rh_error *err)
{
    rh_autofree char *path = channel_path(agent), *signature = rh_printf("%s.sig", path),
                     *from_signature = rh_printf("%s.sig", from);

    if (rename(from, path) < 0 || rename(from_signature, signature) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", path);
    if (rh_sync_directory(agent->directory, err) < 0)
        return -1;
    /* A memory that is new knows no bundle: what is there may be of another source. */
    if (!agent->memory.serial && !agent->memory.good)
        rh_agent_remove_bundles(agent);
    agent->memory.serial = c->serial;
    agent->memory.fetched = time(NULL);
    agent->memory.source = rh_arena_strdup(agent->arena, agent->settings.source);
    agent->memory.digest = rh_arena_strdup(agent->arena, digest);
    agent->memory.etag = rh_arena_strdup(agent->arena, etag);
    return rh_agent_memory_save(&agent->memory, agent->directory, err);
}

/* 1 with an error where the two files do not belong together. */
static int
accept_channel(struct rh_agent *agent, const char *path, const char *etag, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autosigned struct rh_signed s = { 0 };
    struct rh_channel c;
    char digest[65];

    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, agent->settings.signers, err) < 0)
        return 1;
    if (rh_channel_read(a, s.text, s.n, &c, err) < 0)
        return rh_error_prefix(err, "'%s/" RH_CHANNEL_FILE "' is no channel", agent->settings.source);
    digest_of(&s, digest);
    return check_channel(agent, &c, digest, err) < 0 ? -1 : keep_channel(agent, &c, path, digest, etag, err);
}

static int
read_kept(const struct rh_agent *agent, struct rh_arena *a, struct rh_signed *s, struct rh_channel *c,
          struct rh_error *err)
{
    rh_autofree char *path = channel_path(agent);

    return rh_signed_open(s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, agent->settings.signers, err) < 0
                   || rh_channel_read(a, s->text, s->n, c, err) < 0
               ? -1
               : 0;
}

/* The ETag of the channel that is there; NULL where that one is of no use, and once a day in any case. */
static const char *
etag_of_kept(const struct rh_agent *agent)
{
    const struct rh_agent_memory *m = &agent->memory;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autosigned struct rh_signed s = { 0 };
    time_t now = time(NULL);
    struct rh_channel c;
    char digest[65];

    if (!*m->etag || now < m->fetched || now >= m->fetched + DAY || read_kept(agent, a, &s, &c, NULL) < 0
        || check_time(&c, NULL) < 0)
        return NULL;
    digest_of(&s, digest);
    return strcmp(digest, m->digest) == 0 ? m->etag : NULL;
}

int
rh_agent_get_channel(struct rh_agent *agent, struct rh_error *err)
{
    rh_autofree char *kept = channel_path(agent), *path = rh_printf("%s.new", kept);
    const char *etag = etag_of_kept(agent);
    rh_autoerror struct rh_error first = { 0 };
    struct rh_fetch_answer answer;
    int rc;

    if (check_source(agent, err) < 0 || get_signed(agent, RH_CHANNEL_FILE, path, etag, &answer, err) < 0)
        return -1;
    agent->memory.contact = time(NULL);
    rc = answer.status == UNCHANGED ? 0 : accept_channel(agent, path, answer.etag, &first);
    if (rc <= 0) {
        rh_error_move(err, &first);
        return rc;
    }
    /* The two files may have been replaced meanwhile. */
    (void)sleep(PAUSE);
    if (get_signed(agent, RH_CHANNEL_FILE, path, NULL, &answer, err) < 0)
        return -1;
    return accept_channel(agent, path, answer.etag, err) == 0 ? 0 : -1;
}

int
rh_agent_wanted(struct rh_agent *agent, int64_t *revision, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autosigned struct rh_signed s = { 0 };
    int64_t least = agent->settings.min_revision;
    struct rh_channel c;

    if (!agent->memory.serial)
        return rh_error_set(err, RH_EINPUT, "this machine has got no channel yet");
    if (check_source(agent, err) < 0 || read_kept(agent, a, &s, &c, err) < 0 || check_time(&c, err) < 0)
        return -1;
    if (least < agent->memory.min_revision)
        least = agent->memory.min_revision;
    *revision = rh_channel_choose(&c, agent->id, agent->name);
    if (*revision < least)
        return rh_error_set(err, RH_EINPUT,
                            "the channel wants revision %lld, which is below the lowest, %lld",
                            (long long)*revision, (long long)least);
    agent->memory.wanted = *revision;
    agent->memory.announced = c.min_revision;
    return 0;
}

/* Bundles. */

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
    struct getting g = { name, part, NULL, (size_t)d->size, agent->settings.timeout, true };
    struct rh_fetch_answer answer;
    rh_autobundle struct rh_bundle whole = { 0 };

    if (!is_intact(archive, d)) {
        if (get(agent, &g, &answer, err) < 0)
            return -1;
        if (!is_intact(part, d)) {
            rh_autofree char *url = rh_printf("%s/%s", agent->settings.source, name);

            (void)unlink(part);
            return rh_error_set(err, RH_EINPUT,
                                "'%s' is damaged: it has not the size and digest of its description", url);
        }
        if (rename(part, archive) < 0)
            return rh_error_system(err, errno, "cannot write '%s'", archive);
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
    if (get_signed(agent, name, fresh, NULL, &answer, err) == 0
        && rh_bundle_describe(b, fresh, agent->settings.signers, err) == 0)
        rc = rename(fresh_signature, signature) < 0 || rename(fresh, path) < 0
                 ? rh_error_system(err, errno, "cannot write '%s'", path)
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
