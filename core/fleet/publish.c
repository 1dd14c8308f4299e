/* SPDX-License-Identifier: Apache-2.0 */
/* publish - brings what a rollout plans and what is published together. The plan is on disk before it is
 * published, with the serial of its channel: so it is known afterwards whether it was. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "bundle/bundle.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ALL = 100 };

int
rh_rollout_channel(struct rh_channel *c, struct rh_arena *a, const struct rh_rollout_request *q,
                   struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/" RH_CHANNEL_FILE, q->directory);
    rh_autosigned struct rh_signed s = { 0 };

    *c = (struct rh_channel){ 0 };
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, q->signers, err) < 0)
        return -1;
    if (rh_channel_read(a, rh_arena_strndup(a, s.text, s.n), s.n, c, err) < 0)
        return rh_error_prefix(err, "'%s' is no channel", path);
    return 0;
}

static int
take_stage(struct rh_rollout *r, const char *directory, struct rh_error *err)
{
    r->stage = r->next;
    r->stage.began = time(NULL);
    r->next = (struct rh_stage){ .serial = 0 };
    return rh_rollout_save(r, directory, err);
}

int
rh_rollout_open(struct rh_rollout *r, struct rh_channel *c, struct rh_arena *a,
                const struct rh_rollout_request *q, struct rh_error *err)
{
    if (rh_rollout_load(r, a, q->directory, err) < 0 || rh_channel_recover(q->directory, q->signers, err) < 0
        || rh_rollout_channel(c, a, q, err) < 0)
        return -1;
    if (r->next.serial && c->serial == r->next.serial)
        return take_stage(r, q->directory, err);
    r->next = (struct rh_stage){ .serial = 0 };
    if ((r->stage.state == RH_ROLLOUT_RUNNING || r->stage.state == RH_ROLLOUT_STOPPED) && r->stage.serial
        && c->serial != r->stage.serial) {
        (void)rh_error_set(err, RH_EINPUT,
                           "the channel in '%s' is none of the rollout: it has serial %lld, and not %lld",
                           q->directory, (long long)c->serial, (long long)r->stage.serial);
        return rh_error_suggest(err, NULL,
                                "'rhost fleet rollback' or a new 'rhost fleet run' goes on from it");
    }
    return 0;
}

/* What the hosts get that are chosen, and what the others get. */
static int64_t
revision_of(const struct rh_rollout *r, const struct rh_stage *s)
{
    return s->state == RH_ROLLOUT_BACK ? r->from : r->to;
}

int
rh_rollout_publish(struct rh_rollout *r, struct rh_channel *c, struct rh_arena *a,
                   const struct rh_rollout_request *q, const struct rh_stage *next, struct rh_error *err)
{
    struct rh_channel_request make = { .directory = q->directory,
                                       .signers = q->signers,
                                       .key = q->key,
                                       .want = revision_of(r, next),
                                       .other = next->percent == ALL ? revision_of(r, next) : r->from,
                                       .serial = c->serial + 1,
                                       .lasts = r->lasts,
                                       .percent = (int)next->percent,
                                       .hosts = next->hosts,
                                       .n_hosts = next->n_hosts };

    r->next = *next;
    r->next.serial = make.serial;
    if (rh_rollout_save(r, q->directory, err) < 0 || rh_channel_make(a, &make, c, err) < 0
        || take_stage(r, q->directory, err) < 0)
        return -1;
    rh_rollout_hint(a, q);
    return 0;
}
