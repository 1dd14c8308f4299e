/* SPDX-License-Identifier: Apache-2.0 */
/* show - what a rollout has come to. */
#include "config.h"

#include "fleet/rollout-parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "collect/store.h"
#include "run/state.h"

#include <stdio.h>

enum { ALL = 100, MOST_NAMES = 20 };

static void
print_names(const char *what, const struct rh_fleet *f, enum rh_health health)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        if (f->hosts[i].health == health && n++ < MOST_NAMES)
            (void)printf("%-12s%s\n", n == 1 ? what : "", f->hosts[i].host);
    if (n > MOST_NAMES)
        (void)printf("            and %zu more\n", n - MOST_NAMES);
}

static void
print(const struct rh_rollout *r, const struct rh_channel *c, const struct rh_fleet *f)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *reason = rh_safe_text(r->stage.reason);

    (void)printf("revision    %lld, before it %lld\nstate       %s%s%s\n", (long long)r->to,
                 (long long)r->from, rh_rollout_state_name(r->stage.state), *reason ? ": " : "", reason);
    if (r->stage.began)
        (void)printf("stage       %lld, since %s\n", (long long)r->stage.number,
                     rh_state_time(a, r->stage.began));
    (void)printf("channel     %lld, until %s\n", (long long)c->serial, rh_state_time(a, c->expires));
    (void)printf("hosts       %zu: %zu ok, %zu failed, %zu waited for, %zu away; %zu not touched\n", f->n,
                 f->counts[RH_HEALTH_OK], f->counts[RH_HEALTH_FAILED], f->counts[RH_HEALTH_WAITING],
                 f->counts[RH_HEALTH_AWAY], f->counts[RH_HEALTH_OTHER]);
    print_names("failed", f, RH_HEALTH_FAILED);
    print_names("waited for", f, RH_HEALTH_WAITING);
}

static void
print_json(const struct rh_rollout *r, const struct rh_channel *c, const struct rh_fleet *f)
{
    static const char *const words[] = { "not_touched", "ok", "failed", "waited_for", "away" };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_value *v = rh_value_new(a, RH_HASH), *hosts = rh_value_new(a, RH_ARRAY),
                    *counts = rh_value_new(a, RH_HASH);

    rh_value_put(v, "revision", rh_value_integer(a, r->to));
    rh_value_put(v, "before", rh_value_integer(a, r->from));
    rh_value_put(v, "state", rh_value_string(a, rh_rollout_state_name(r->stage.state)));
    rh_value_put(v, "reason", rh_value_string(a, r->stage.reason));
    rh_value_put(v, "stage", rh_value_integer(a, r->stage.number));
    rh_value_put(v, "since", rh_value_string(a, rh_state_time(a, r->stage.began)));
    rh_value_put(v, "channel", rh_value_integer(a, c->serial));
    rh_value_put(v, "expires", rh_value_string(a, rh_state_time(a, c->expires)));
    for (size_t i = 0; i < RH_HEALTHS; i++)
        rh_value_put(counts, words[i], rh_value_integer(a, (int64_t)f->counts[i]));
    rh_value_put(v, "counts", counts);
    for (size_t i = 0; i < f->n; i++) {
        struct rh_value *h = rh_value_new(a, RH_HASH);

        if (f->hosts[i].health == RH_HEALTH_OTHER)
            continue;
        rh_value_put(h, "host", rh_value_string(a, f->hosts[i].host));
        rh_value_put(h, "state", rh_value_string(a, words[f->hosts[i].health]));
        rh_value_append(hosts, h);
    }
    rh_value_put(v, "hosts", hosts);
    rh_value_to_json_pretty(&b, v, false);
    (void)printf("%s\n", rh_buf_text(&b));
}

int
rh_rollout_show(const struct rh_rollout_request *q, bool json, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    enum rh_store_fault fault = RH_FAULT_REFUSED;
    rh_autostore struct rh_store *store = NULL;
    struct rh_rollout r;
    struct rh_channel c;
    struct rh_fleet f;

    if (rh_rollout_load(&r, a, q->directory, err) < 0 || rh_rollout_channel(&c, a, q, err) < 0)
        return -1;
    if (r.stage.state == RH_ROLLOUT_NONE)
        return rh_error_set(err, RH_EINPUT, "there has been no rollout in '%s'", q->directory);
    store = rh_store_open(q->database, false, &fault, err);
    if (!store || rh_fleet_read(&f, a, store, &r, &c, err) < 0)
        return -1;
    if (json)
        print_json(&r, &c, &f);
    else
        print(&r, &c, &f);
    return 0;
}
