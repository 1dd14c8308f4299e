/* SPDX-License-Identifier: Apache-2.0 */
/* worker-ask - what a worker is asked besides applying resources. */
#include "config.h"

#include "plugin/worker.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/secrets.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/incoming.h"
#include "plugin/load.h"
#include "plugin/privileges.h"
#include "plugin/talk.h"
#include "schema/type.h"

#include <limits.h>
#include <string.h>

/* Seconds. */
enum {
    DESCRIBE_LIMIT = 10,
    SUITS_LIMIT = 10, /* it may only look */
    FACT_LIMIT = 10,
};

int
rh_worker_read(struct rh_worker *w, const struct rh_value *names, const struct rh_sink *sink,
               struct rh_error *err)
{
    size_t frame;

    if ((names ? rh_renew_for_names(w, names, err) : rh_renew_for_list(w, err)) < 0)
        return -1;
    frame = rh_seat_begin(w, RH_READ);
    rh_put_u8(&w->link->out, names ? RH_READ_NAMED : RH_READ_ALL);
    if (names)
        rh_put_value(&w->link->out, names);
    rh_frame_end(&w->link->out, frame);
    return rh_talk_run(w, sink, err);
}

int
rh_worker_list(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err)
{
    size_t frame;

    if (rh_renew_for_list(w, err) < 0)
        return -1;
    frame = rh_seat_begin(w, RH_READ);
    rh_put_u8(&w->link->out, RH_READ_KNOWN);
    rh_frame_end(&w->link->out, frame);
    return rh_talk_run(w, sink, err);
}

int
rh_worker_facts(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err)
{
    rh_frame_end(&w->link->out, rh_seat_begin(w, RH_FACTS));
    return rh_talk_run(w, sink, err);
}

void
rh_worker_take_answer(void *to, const struct rh_value *item)
{
    struct rh_value *answer = to;
    const struct rh_value *v = rh_value_get(item, "value");

    if (v)
        rh_value_put(answer, "value", rh_value_copy(rh_value_arena(answer), v));
}

int
rh_worker_lookup(struct rh_worker *w, const struct rh_type *lookup, const char *name,
                 const struct rh_value *parameters, const struct rh_sink *sink, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = parameters ? NULL : rh_arena_new(NULL);
    unsigned limit = w->options.time_limit;
    size_t frame;
    int rc;

    if (lookup && rh_renew_for_question(w, lookup, parameters, err) < 0)
        return -1;
    frame = rh_seat_begin(w, RH_LOOKUP);
    rh_put_u8(&w->link->out, !parameters);
    rh_put_text(&w->link->out, name);
    rh_put_value(&w->link->out, parameters ? parameters : rh_value_new(a, RH_HASH));
    rh_frame_end(&w->link->out, frame);
    rh_secrets_learn(w->secrets, parameters, false);
    if (!parameters && (!limit || limit > FACT_LIMIT))
        w->options.time_limit = FACT_LIMIT;
    rc = rh_talk_run(w, sink, err);
    w->options.time_limit = limit;
    return rc;
}

int
rh_worker_validate(struct rh_worker *w, const struct rh_value *resources, const bool *names,
                   const struct rh_sink *sink, struct rh_error *err)
{
    const struct rh_text_way way = rh_worker_text_way(w);
    struct rh_buf *out = &w->link->out;
    size_t n = rh_value_count(resources), i = 0;

    do { /* in parts: the worker starts with the first while we write the next */
        size_t frame = rh_seat_begin(w, RH_VALIDATE);
        size_t last = out->n;

        rh_put_u8(out, 0);
        while (i < n && out->n - frame < RH_PART_BYTES) {
            rh_secrets_learn(w->secrets, rh_value_at(resources, i), false);
            rh_put_u8(out, names && !names[i]);
            rh_put_value_by(out, rh_value_at(resources, i++), &way);
        }
        out->s[last] = i == n;
        rh_frame_end(out, frame);
        rh_large_texts_trim(&w->texts, w->link);
        if (!w->gone)
            (void)rh_link_move(w->link, 0);
    } while (i < n);
    return rh_talk_run(w, sink, err);
}

static unsigned
code_at(const struct rh_value *item, size_t i)
{
    const struct rh_value *v = rh_value_at(item, i);

    return rh_value_is(v, RH_INTEGER) && v->u.integer > 0 && v->u.integer <= 9999 ? (unsigned)v->u.integer
                                                                                  : 0;
}

unsigned
rh_worker_refusal_code(const struct rh_value *item)
{
    return code_at(item, 5);
}

struct answer {
    int how_well;
    struct rh_error *why;
};

static void
take_suits(void *data, const struct rh_value *item)
{
    struct answer *a = data;
    const struct rh_value *n = rh_value_at(item, 0);

    if (rh_value_is(n, RH_INTEGER) && n->u.integer > 0 && n->u.integer <= INT_MAX)
        a->how_well = (int)n->u.integer;
    else
        rh_error_set_code(a->why, RH_EPROVIDER, code_at(item, 2), "%s",
                          rh_value_str(rh_value_at(item, 1), ""));
}

int
rh_worker_suits(struct rh_worker *w, const struct rh_sink *logs, struct rh_error *why)
{
    struct answer a = { .why = why };
    const struct rh_sink sink = { .data = &a, .item = take_suits, .log = logs->log };
    unsigned limit = w->options.time_limit;

    if (!(w->type->slots & RH_HAS_SUITS))
        return 1;
    rh_frame_end(&w->link->out, rh_seat_begin(w, RH_SUITS));
    if (!limit || limit > SUITS_LIMIT)
        w->options.time_limit = SUITS_LIMIT;
    if (rh_talk_run(w, &sink, why) < 0)
        a.how_well = 0;
    w->options.time_limit = limit;
    if (!a.how_well)
        rh_error_set(why, RH_EPROVIDER, "it did not answer");
    return a.how_well;
}

struct rh_value *
rh_worker_describe(struct rh_arena *a, const char *path, enum rh_isolation isolation, bool confined,
                   struct rh_error *err)
{
    /* Nothing is known of what it needs: it gets nothing, but to be read. Of an executable provider, no code
     * runs; links in its directory are looked at wherever they lead. */
    rh_autoprivileges struct rh_privileges *p =
        confined && !rh_bridge_is_file(path) ? rh_privileges_new(path, NULL) : NULL;
    struct rh_link link;
    struct rh_value *v = NULL;
    double until = rh_now() + DESCRIBE_LIMIT;
    uint32_t type = 0;
    char *payload;
    size_t n, frame;
    bool late = false;

    if (rh_link_open(&link, isolation == RH_ISOLATION_WORKER, p, err) < 0)
        return NULL;
    frame = rh_frame_begin(&link.out, RH_DESCRIBE);
    rh_put_text(&link.out, path);
    rh_frame_end(&link.out, frame);
    while (!rh_link_next(&link, &type, &payload, &n) && !link.dead) {
        late = rh_now() > until;
        if (late)
            rh_link_kill(&link, "did not describe itself in time");
        else
            (void)rh_link_move(&link, 1000);
    }
    if (link.dead && !type) /* what it said before it ended */
        (void)rh_link_next(&link, &type, &payload, &n);
    if (type) {
        const struct rh_intake intake = { .arena = a };
        struct rh_incoming in;
        bool good = rh_incoming_take(&intake, type, payload, n, &in);

        if (good && type == RH_READY)
            v = rh_value_from_json(a, in.text, strlen(in.text), err);
        else if (good && type == RH_REFUSED)
            rh_error_set_code(err, in.passing ? RH_ESYSTEM : RH_EINPUT, in.code, "%s", in.text);
        else
            rh_error_set(err, RH_EPROVIDER, "it sent an invalid answer");
        if (!v && type != RH_REFUSED)
            err->kind = RH_EPROVIDER;
    } else {
        /* A machine that was too busy is not the plugin's fault. */
        rh_error_set(err, late ? RH_ESYSTEM : RH_EPROVIDER, "it %s, while being described",
                     link.how ? link.how : "ended");
    }
    rh_frame_end(&link.out, rh_frame_begin(&link.out, RH_BYE));
    (void)rh_link_move(&link, 0);
    rh_link_end(&link);
    rh_talk_log_commands(&link, &(struct rh_intake){ .arena = a }, path);
    rh_link_close(&link);
    return v;
}
