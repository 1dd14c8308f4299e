/* SPDX-License-Identifier: Apache-2.0 */
/* answers-confined - whether lookups and facts answer when the kernel refuses what they do not declare. They
 * are asked by a worker as a run has it with --isolation=confined. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/question.h"
#include "plugin/spawn.h"
#include "plugin/worker.h"
#include "sandbox/confinement.h"
#include "schema/type.h"

static void
on_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

static void
ask(struct rh_checker *c, struct rh_worker *w, const struct rh_fixture_question *q)
{
    const char *name = rh_question_name(c->arena, q);
    struct rh_value *to = rh_value_new(c->arena, RH_HASH);
    const struct rh_sink sink = { .data = to, .item = rh_worker_take_answer, .log = on_log };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *answer;
    int rc = rh_worker_lookup(w, q->lookup, q->name, q->lookup ? q->parameters : NULL, &sink, &err);

    answer = rh_value_get(to, "value");
    if (rc < 0 && !q->fails)
        rh_check_say(c, RH_CHECK_FAIL, "with what it declares, %s fails: %s", name, err.message);
    else if (rc == 0 && q->wanted && !answer)
        rh_check_say(c, RH_CHECK_FAIL, "with what it declares, %s has no answer", name);
    else if (rc == 0 && q->wanted && !rh_value_equal(q->wanted, answer))
        rh_check_say(c, RH_CHECK_FAIL, "with what it declares, %s has another answer", name);
}

void
rh_answers_confined(struct rh_checker *c)
{
    const struct rh_worker_options options = {
        .isolation = RH_ISOLATION_WORKER,
        .strict = RH_STRICT_ERROR,
        .time_limit = rh_check_seconds(c->options),
        .confined = true,
    };
    const struct rh_questions *all = c->questions;
    struct rh_type source = *all->facts;
    struct rh_mechanisms m;
    struct rh_worker *w;

    rh_mechanisms_read(&m);
    source.path = c->options->path;
    source.source = true;
    source.lookups = all->lookups;
    source.n_lookups = all->n_lookups;
    if (rh_type_undeclared(&source))
        rh_check_say(c, RH_CHECK_SKIP, "not each lookup and fact declares what it needs");
    else if (rh_check_is_program(c->options))
        rh_check_say(c, RH_CHECK_SKIP, "its program is not confined");
    else if (!m.landlock || !m.seccomp)
        rh_check_say(c, RH_CHECK_SKIP, "this kernel, or this build, cannot confine a process");
    else if (!all->n)
        rh_check_say(c, RH_CHECK_SKIP, "no question of a fixture asks a lookup");
    if (c->verdict != RH_CHECK_PASS)
        return;
    w = rh_worker_start(&source, &options, NULL);
    for (size_t i = 0; i < all->n; i++)
        ask(c, w, &all->list[i]);
    rh_worker_stop(w);
}
