/* SPDX-License-Identifier: Apache-2.0 */
/* channel-make - makes the next channel of a directory of bundles, and has it signed. */
#include "config.h"

#include "bundle/channel.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/channel-parts.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { ALL = 100, SALT = 8 /* bytes */ };

/* The channel that is there; serial 0: none. */
static int
read_last(struct rh_arena *a, const struct rh_channel_request *r, const char *path, struct rh_channel *last,
          struct rh_error *err)
{
    rh_autosigned struct rh_signed s = { 0 };

    *last = (struct rh_channel){ 0 };
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, r->signers, err) < 0)
        return rh_error_suggest(
            err, NULL,
            "where the last command was cut off, or the key has changed: move the channel "
            "and its signature away, and give --serial and --min-revision, which must not "
            "be below those that machines have ('rhost agent status --format=json')");
    if (rh_channel_read(a, s.text, s.n, last, err) < 0)
        return rh_error_prefix(err, "'%s' is no channel", path);
    return 0;
}

int
rh_channel_check_revision(const struct rh_channel_request *r, int64_t revision, struct rh_error *err)
{
    rh_autobundle struct rh_bundle b = { 0 };
    rh_autofree char *path = rh_printf("%s/r%lld.json", r->directory, (long long)revision);

    return rh_bundle_open(&b, path, r->signers, err);
}

int
rh_channel_take_salt(struct rh_arena *a, struct rh_channel *c, struct rh_error *err)
{
    unsigned char bytes[SALT];
    rh_autobuf struct rh_buf hex = { 0 };

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return rh_error_system(err, errno, "cannot get random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        rh_buf_addf(&hex, "%02x", bytes[i]);
    c->salt = rh_arena_strdup(a, rh_buf_text(&hex));
    return 0;
}

/* What the others get: what was asked for, or what they have. */
static int64_t
other_revision(const struct rh_channel_request *r, const struct rh_channel *last, int percent)
{
    if (r->other)
        return r->other;
    if (percent == ALL)
        return r->want;
    return last->want == r->want ? last->other : last->want;
}

static int
plan(struct rh_arena *a, const struct rh_channel_request *r, const struct rh_channel *last,
     struct rh_channel *c, struct rh_error *err)
{
    int percent = r->percent >= 0 ? r->percent : r->n_hosts ? 0 : ALL;

    *c = (struct rh_channel){ .serial = r->serial ? r->serial : last->serial + 1,
                              .issued = time(NULL),
                              .want = r->want,
                              .other = other_revision(r, last, percent),
                              .percent = percent,
                              .n_hosts = r->n_hosts,
                              .min_revision = r->min_revision          ? r->min_revision
                                              : last->min_revision > 0 ? last->min_revision
                                                                       : 1 };
    c->expires = c->issued + r->lasts;
    if (c->serial <= last->serial)
        return rh_error_set(err, RH_EINPUT, "serial %lld is not above that of the last channel, %lld",
                            (long long)c->serial, (long long)last->serial);
    if (last->serial && c->serial - last->serial > RH_CHANNEL_JUMP)
        return rh_error_set(err, RH_EINPUT,
                            "serial %lld is more than %d above that of the last channel, %lld: no machine "
                            "would take it",
                            (long long)c->serial, RH_CHANNEL_JUMP, (long long)last->serial);
    if (c->min_revision < last->min_revision)
        return rh_error_set(err, RH_EINPUT, "'min_revision' can only go up: it was %lld",
                            (long long)last->min_revision);
    if (!c->other)
        return rh_error_set(err, RH_EINPUT,
                            "the first channel must say what the others get: give --else=REVISION");
    if (r->n_hosts > RH_CHANNEL_HOSTS)
        return rh_error_set(err, RH_EINPUT, "'hosts' must be a list of %d names at most", RH_CHANNEL_HOSTS);
    c->hosts = rh_arena_alloc(a, (r->n_hosts + 1) * sizeof *c->hosts);
    for (size_t i = 0; i < r->n_hosts; i++)
        c->hosts[i] = rh_arena_strdup(a, r->hosts[i]);
    if (last->serial && last->want == r->want)
        c->salt = last->salt;
    else if (rh_channel_take_salt(a, c, err) < 0)
        return -1;
    return rh_channel_check_revision(r, c->want, err) < 0
                   || (c->other != c->want && rh_channel_check_revision(r, c->other, err) < 0)
               ? -1
               : 0;
}

int
rh_channel_make(struct rh_arena *a, const struct rh_channel_request *r, struct rh_channel *made,
                struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/" RH_CHANNEL_FILE, r->directory);
    rh_autoclose int lock = rh_channel_lock(r->directory, err);
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_channel last, c, again;

    if (lock < 0 || rh_channel_recover_file(r->directory, RH_CHANNEL_FILE, r->signers, err) < 0
        || read_last(a, r, path, &last, err) < 0 || plan(a, r, &last, &c, err) < 0)
        return -1;
    rh_channel_write(&text, &c);
    if (rh_channel_read(a, text.s, text.n, &again, err) < 0
        || rh_channel_publish(r, RH_CHANNEL_FILE, &text, err) < 0)
        return -1;
    *made = c;
    return 0;
}
