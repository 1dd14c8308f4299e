/* SPDX-License-Identifier: Apache-2.0 */
/* source - gets the channel: to a file of our own, where it is verified. */
#include "config.h"

#include "agent/agent.h"

#include "agent/fetch.h"
#include "agent/get.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/new-file.h"
#include "bundle/bundle.h"
#include "bundle/channel.h"

#include <rhost/sha256.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 3600, PAUSE = 1, UNCHANGED = 304 };

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

    if (rh_replaceable(signature, err) < 0 || rh_rename_file(from, path, err) < 0
        || rh_rename_file(from_signature, signature, err) < 0)
        return -1;
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

    if (check_source(agent, err) < 0
        || rh_agent_get_signed(agent, RH_CHANNEL_FILE, path, etag, &answer, err) < 0)
        return -1;
    agent->memory.contact = time(NULL);
    rc = answer.status == UNCHANGED ? 0 : accept_channel(agent, path, answer.etag, &first);
    if (rc <= 0) {
        rh_error_move(err, &first);
        return rc;
    }
    /* The two files may have been replaced meanwhile. */
    (void)sleep(PAUSE);
    if (rh_agent_get_signed(agent, RH_CHANNEL_FILE, path, NULL, &answer, err) < 0)
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
