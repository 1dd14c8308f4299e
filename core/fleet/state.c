/* SPDX-License-Identifier: Apache-2.0 */
/* state - the file of a rollout: .rollout.json beside the channel, for its owner only. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/trust.h"
#include "base/value.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const names[] = { "none", "running", "stopped", "finished", "rolled back" };

const char *
rh_rollout_state_name(enum rh_rollout_state state)
{
    return names[state];
}

int
rh_rollout_lock(const char *directory, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/.rollout.lock", directory);
    rh_autoclose int fd = -1;

    /* Whoever can put another directory in its place would have root write there. */
    if (geteuid() == 0 && rh_trust_path(directory, RH_TRUST_CALLER, err) < 0)
        return rh_error_prefix(err, "no rollout in '%s'", directory);
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot open '%s'", path);
    while (flock(fd, LOCK_EX) < 0)
        if (errno != EINTR)
            return rh_error_system(err, errno, "cannot lock '%s'", path);
    return rh_take_fd(&fd);
}

static int64_t
number_of(const struct rh_value *v, const char *key)
{
    const struct rh_value *number = rh_value_get(v, key);

    return rh_value_is(number, RH_INTEGER) && number->u.integer >= 0 ? number->u.integer : 0;
}

static const char **
texts_of(struct rh_arena *a, const struct rh_value *list, size_t *n)
{
    const char **texts = rh_arena_alloc(a, (rh_value_count(list) + 1) * sizeof *texts);

    for (size_t i = 0; i < rh_value_count(list); i++)
        texts[i] = rh_value_str(rh_value_at(list, i), "");
    *n = rh_value_count(list);
    return texts;
}

static void
read_stage(struct rh_arena *a, const struct rh_value *v, struct rh_stage *s)
{
    const char *state = rh_value_get_str(v, "state", "none");

    *s = (struct rh_stage){ .number = number_of(v, "number"),
                            .serial = number_of(v, "serial"),
                            .began = number_of(v, "began"),
                            .percent = number_of(v, "percent"),
                            .reason = rh_value_get_str(v, "reason", "") };
    s->hosts = texts_of(a, rh_value_get(v, "hosts"), &s->n_hosts);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], state) == 0)
            s->state = (enum rh_rollout_state)i;
}

static void
read_limit(const struct rh_value *v, const char *key, struct rh_fleet_limit *limit)
{
    if (!rh_fleet_limit_read(rh_value_get_str(v, key, "0"), limit))
        *limit = (struct rh_fleet_limit){ .n = 0 };
}

int
rh_rollout_load(struct rh_rollout *r, struct rh_arena *a, const char *directory, struct rh_error *err)
{
    const struct rh_value *v = rh_state_load(a, directory, RH_ROLLOUT_FILE, err);

    if (!v)
        return -1;
    *r = (struct rh_rollout){ .to = number_of(v, "to"),
                              .from = number_of(v, "from"),
                              .began = number_of(v, "began"),
                              .since = rh_value_get_str(v, "since", ""),
                              .batches = rh_value_get_str(v, "batches", ""),
                              .wait = number_of(v, "wait"),
                              .soak = number_of(v, "soak"),
                              .lasts = number_of(v, "lasts") };
    r->canaries = texts_of(a, rh_value_get(v, "canaries"), &r->n_canaries);
    read_limit(v, "max_failures", &r->failures);
    read_limit(v, "max_silent", &r->silent);
    read_stage(a, rh_value_get(v, "stage"), &r->stage);
    read_stage(a, rh_value_get(v, "next"), &r->next);
    /* It goes into a query. */
    if (strspn(r->since, "0123456789-:.TZ") != strlen(r->since))
        return rh_error_set(err, RH_EINPUT, "'%s/%s' is damaged", directory, RH_ROLLOUT_FILE);
    return 0;
}

static struct rh_value *
texts_value(struct rh_arena *a, const char *const *texts, size_t n)
{
    struct rh_value *v = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < n; i++)
        rh_value_append(v, rh_value_string(a, texts[i]));
    return v;
}

static struct rh_value *
stage_value(struct rh_arena *a, const struct rh_stage *s)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "number", rh_value_integer(a, s->number));
    rh_value_put(v, "serial", rh_value_integer(a, s->serial));
    rh_value_put(v, "began", rh_value_integer(a, s->began));
    rh_value_put(v, "percent", rh_value_integer(a, s->percent));
    rh_value_put(v, "hosts", texts_value(a, s->hosts, s->n_hosts));
    rh_value_put(v, "state", rh_value_string(a, names[s->state]));
    rh_value_put(v, "reason", rh_value_string(a, s->reason ? s->reason : ""));
    return v;
}

static struct rh_value *
limit_value(struct rh_arena *a, const struct rh_fleet_limit *limit)
{
    return rh_value_string(a, rh_arena_printf(a, "%lld%s", (long long)limit->n, limit->percent ? "%" : ""));
}

int
rh_rollout_save(const struct rh_rollout *r, const char *directory, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "to", rh_value_integer(a, r->to));
    rh_value_put(v, "from", rh_value_integer(a, r->from));
    rh_value_put(v, "began", rh_value_integer(a, r->began));
    rh_value_put(v, "since", rh_value_string(a, r->since));
    rh_value_put(v, "canaries", texts_value(a, r->canaries, r->n_canaries));
    rh_value_put(v, "batches", rh_value_string(a, r->batches));
    rh_value_put(v, "wait", rh_value_integer(a, r->wait));
    rh_value_put(v, "soak", rh_value_integer(a, r->soak));
    rh_value_put(v, "lasts", rh_value_integer(a, r->lasts));
    rh_value_put(v, "max_failures", limit_value(a, &r->failures));
    rh_value_put(v, "max_silent", limit_value(a, &r->silent));
    rh_value_put(v, "stage", stage_value(a, &r->stage));
    if (r->next.serial)
        rh_value_put(v, "next", stage_value(a, &r->next));
    return rh_state_save(directory, RH_ROLLOUT_FILE, v, err);
}
