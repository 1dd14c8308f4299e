/* SPDX-License-Identifier: Apache-2.0 */
/* stage - which hosts the next stage of a rollout has. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/arena.h"
#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 100, LARGEST = 1000000 };

bool
rh_fleet_limit_read(const char *text, struct rh_fleet_limit *limit)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || errno || n > LARGEST || (*end == '%' ? end[1] || n > ALL : *end))
        return false;
    *limit = (struct rh_fleet_limit){ .percent = *end == '%', .n = n };
    return true;
}

bool
rh_fleet_limit_is_exceeded(const struct rh_fleet_limit *limit, size_t n, size_t all)
{
    return limit->percent ? n * ALL > (size_t)limit->n * all : n > (size_t)limit->n;
}

/* Batch `i` of the list, or its last; `sum` gets those up to it. False: the list is none. */
static bool
read_batch(const char *batches, int64_t i, struct rh_fleet_limit *batch, int64_t *sum)
{
    bool percent = strchr(batches, '%');

    *sum = 0;
    for (int64_t k = 0;; k++) {
        size_t n = strcspn(batches, ",");
        char text[32];

        if (n >= sizeof text)
            return false;
        memcpy(text, batches, n);
        text[n] = '\0';
        if (!rh_fleet_limit_read(text, batch) || !batch->n || batch->percent != percent)
            return false;
        *sum += batch->n;
        if (batches[n])
            batches += n + 1;
        else if (k < i) {
            *sum += batch->n * (i - k);
            return true;
        }
        if (k == i)
            return true;
    }
}

int
rh_stage_check_batches(const char *batches, struct rh_error *err)
{
    struct rh_fleet_limit batch;
    int64_t sum;

    if (read_batch(batches, INT32_MAX, &batch, &sum))
        return 0;
    return rh_error_set(
        err, RH_EINPUT,
        "invalid value '%s' for --batch: expected numbers of hosts, or percents such as 10%%, "
        "with commas between",
        batches);
}

static void
add_host(struct rh_stage *stage, const char *host)
{
    stage->hosts[stage->n_hosts++] = host;
}

static bool
has_host(const struct rh_stage *stage, const char *host)
{
    for (size_t i = 0; i < stage->n_hosts; i++)
        if (strcmp(stage->hosts[i], host) == 0)
            return true;
    return false;
}

/* By the name that was given, where the agent of the host has it; else by its id. */
static int
add_canaries(struct rh_arena *a, const char *list, const struct rh_fleet *fleet, struct rh_stage *stage,
             struct rh_error *err)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        const char *name = rh_arena_strndup(a, list, n);
        const struct rh_fleet_host *h = rh_fleet_find(fleet, name);

        if (!n || !h)
            return rh_error_set(err, RH_EINPUT, "host '%s' of --canary has never sent a report", name);
        if (strcmp(h->host, name) == 0 && strcmp(h->name, name) != 0)
            name = h->id;
        if (stage->n_hosts == RH_CHANNEL_HOSTS)
            return rh_error_set(err, RH_EINPUT, "--canary can name %d hosts at most", RH_CHANNEL_HOSTS);
        if (!has_host(stage, name))
            add_host(stage, name);
        list += n + (list[n] == ',');
    }
    return 0;
}

struct candidate {
    const char *id;
    int bucket;
};

static int
compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->bucket != y->bucket ? (x->bucket < y->bucket ? -1 : 1) : strcmp(x->id, y->id);
}

/* So many hosts more, in an order that differs for each revision; all hosts where no more are left. */
static int
add_number(struct rh_arena *a, const struct rh_rollout *r, const struct rh_fleet *fleet, int64_t n,
           struct rh_stage *stage, struct rh_error *err)
{
    struct candidate *left = rh_arena_alloc(a, (fleet->n + 1) * sizeof *left);
    const char *salt = rh_arena_printf(a, "%lld", (long long)r->to);
    size_t count = 0;

    for (size_t i = 0; i < fleet->n; i++) {
        const struct rh_fleet_host *h = &fleet->hosts[i];

        if (*h->id && h->health == RH_HEALTH_OTHER && !has_host(stage, h->id))
            left[count++] = (struct candidate){ h->id, rh_channel_bucket(salt, h->id) };
    }
    qsort(left, count, sizeof *left, compare);
    if (count <= (size_t)n) {
        stage->percent = ALL;
        stage->n_hosts = 0;
        return 0;
    }
    if (stage->n_hosts + (size_t)n > RH_CHANNEL_HOSTS)
        return rh_error_set(err, RH_EINPUT, "a channel can name %d hosts at most: give --batch as a percent",
                            RH_CHANNEL_HOSTS);
    for (int64_t i = 0; i < n; i++)
        add_host(stage, left[i].id);
    return 0;
}

int
rh_stage_plan(struct rh_arena *a, const struct rh_rollout *r, const struct rh_fleet *fleet,
              struct rh_stage *next, struct rh_error *err)
{
    int64_t number = r->stage.number + 1, batch_number = number - (int64_t)r->n_canaries - 1, sum = 0;
    struct rh_fleet_limit batch;

    *next = (struct rh_stage){ .number = number,
                               .state = RH_ROLLOUT_RUNNING,
                               .reason = "",
                               .hosts = rh_arena_alloc(a, (RH_CHANNEL_HOSTS + 1) * sizeof *next->hosts) };
    for (size_t i = 0; i < r->n_canaries && i < (size_t)number; i++)
        if (add_canaries(a, r->canaries[i], fleet, next, err) < 0)
            return -1;
    if (batch_number < 0)
        return 0;
    if (!read_batch(r->batches, batch_number, &batch, &sum))
        return rh_stage_check_batches(r->batches, err);
    if (!batch.percent) {
        for (size_t i = 0; i < r->stage.n_hosts; i++)
            if (!has_host(next, r->stage.hosts[i]))
                add_host(next, r->stage.hosts[i]);
        return add_number(a, r, fleet, batch.n, next, err);
    }
    next->percent = sum < ALL ? sum : ALL;
    if (next->percent == ALL)
        next->n_hosts = 0;
    return 0;
}

void
rh_stage_freeze(struct rh_arena *a, const struct rh_rollout *r, const struct rh_fleet *fleet,
                struct rh_stage *next)
{
    *next = (struct rh_stage){ .number = r->stage.number,
                               .state = RH_ROLLOUT_STOPPED,
                               .hosts = rh_arena_alloc(a, (RH_CHANNEL_HOSTS + 1) * sizeof *next->hosts) };
    for (size_t i = 0; i < fleet->n; i++) {
        const struct rh_fleet_host *h = &fleet->hosts[i];

        if (!h->has_it || h->health == RH_HEALTH_OTHER || !*h->id)
            continue;
        /* More than can be named: a channel that chooses no other hosts than the one that is published. */
        if (next->n_hosts == RH_CHANNEL_HOSTS) {
            next->percent = r->stage.percent;
            next->hosts = r->stage.hosts;
            next->n_hosts = r->stage.n_hosts;
            return;
        }
        add_host(next, h->id);
    }
}
