/* SPDX-License-Identifier: Apache-2.0 */
/* subject - the provider that is checked, in the process of the check. */
#include "config.h"

#include "check/subject.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/source.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/question.h"
#include "plugin/data-types.h"
#include "plugin/load.h"
#include "provider/call.h"
#include "provider/log-record.h"
#include "provider/runtime.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 4096 + 2 * sizeof(void *) }; /* as the first piece of an arena */

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_subject *s = data;

    rh_buf_addf(&s->log, "%s%s: ", record->generated ? "host " : "", rh_level_name(record->level));
    rh_log_record_add_text(&s->log, record);
    rh_buf_addc(&s->log, '\n');
}

static void
on_item(void *data, const struct rh_value *item)
{
    struct rh_subject *s = data;
    struct rh_value *copy = rh_value_copy(s->checker->arena, item);

    rh_value_drop(copy, "title"); /* what it is called in a list: the name says which one it is */
    rh_value_append(s->items, copy);
}

static void
on_busy(void *data, uint32_t milliseconds)
{
    (void)data;
    (void)milliseconds;
}

static void
on_doing(void *data, uint32_t id, const char *verb)
{
    struct rh_subject *s = data;
    const struct rh_fixture *f = s->checker->fixture;

    (void)snprintf(s->checker->doing, RH_CHECK_DOING, "%s%s%s", verb,
                   id != RH_NOBODY && f && id < f->n ? " " : "",
                   id != RH_NOBODY && f && id < f->n ? f->states[id].title : "");
}

static bool
on_ask(void *data, struct rh_arena *a, const char *type, const char *title, const struct rh_value **answer)
{
    (void)data;
    (void)a;
    (void)type;
    (void)title;
    *answer = NULL;
    return true;
}

static void
on_outcome(void *data, const struct rh_outcome *o)
{
    struct rh_subject *s = data;
    struct rh_arena *a = s->checker->arena;

    s->status = o->status;
    s->reason = rh_arena_strdup(a, o->reason ? o->reason : "");
    s->was = o->was ? rh_value_copy(a, o->was) : NULL;
    for (size_t i = 0; i < o->n_differences; i++) {
        const struct rh_difference *d = &o->differences[i];
        struct rh_value *one = rh_value_new(a, RH_HASH);

        if (d->from)
            rh_value_put(one, "from", rh_value_copy(a, d->from));
        if (d->to)
            rh_value_put(one, "to", rh_value_copy(a, d->to));
        rh_value_put(s->differences, rh_arena_strdup(a, d->attribute), one);
    }
}

bool
rh_subject_load(struct rh_subject *s, struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };

    *s = (struct rh_subject){ .checker = c, .reason = "" };
    s->items = rh_value_new(c->arena, RH_ARRAY);
    s->differences = rh_value_new(c->arena, RH_HASH);
    (void)snprintf(c->doing, RH_CHECK_DOING, "being loaded");
    s->plugin = rh_plugin_load(c->options->path, &err);
    if (s->plugin && rh_plugin_types_read(c->arena, c->options->path, &s->types, &err) == 0)
        return true;
    rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
    return false;
}

static bool
start(struct rh_subject *s)
{
    const struct rh_checker *c = s->checker;
    const struct rh_fixture *f = c->fixture;
    struct rh_runtime_options options = { .strict = RH_STRICT_ERROR, .debug = true, .notices = true };
    const struct rh_sink sink = { .data = s,
                                  .outcome = on_outcome,
                                  .log = on_log,
                                  .busy = on_busy,
                                  .item = on_item,
                                  .doing = on_doing,
                                  .ask = on_ask };
    rh_autoerror struct rh_error err = { 0 };
    void *gap = malloc(GAP); /* where the runtime before was, so that this one is elsewhere */

    if (f && f->info && c->type->features & RH_REMOTE_RESOURCE)
        options.remote =
            (struct rh_remote){ .plugin = s->plugin, .name = f->transport->type, .info = f->info };
    options.source = c->questions != NULL;
    options.exec = c->exec;
    s->rt = rh_runtime_new(s->plugin, s->types, c->type->type, c->type->provider, &options, &sink, &err);
    free(s->gap);
    s->gap = gap;
    if (!s->rt)
        rh_check_say(s->checker, RH_CHECK_FAIL, "%s", err.message);
    return s->rt != NULL;
}

bool
rh_subject_open(struct rh_subject *s, struct rh_checker *c)
{
    rh_autoerror struct rh_error why = { 0 };

    if (!rh_subject_load(s, c))
        return false;
    if (c->type->features & RH_REMOTE_RESOURCE && (!c->fixture || !c->fixture->info)) {
        rh_check_say(c, RH_CHECK_SKIP, "it manages a device: add 'target' to the fixture");
        return false;
    }
    if (!start(s))
        return false;
    if (c->questions || rh_runtime_suits(s->rt, &why) > 0)
        return true;
    rh_check_say(c, RH_CHECK_SKIP, "it does not suit this machine: %s", why.message);
    rh_subject_close(s);
    return false;
}

/* As at the end of a batch: what the host keeps open until then is no descriptor of the plugin. */
static void
stop(struct rh_subject *s)
{
    rh_autoerror struct rh_error err = { 0 };

    if (s->rt && rh_runtime_sync(s->rt, &err) < 0)
        rh_check_say(s->checker, RH_CHECK_WARN, "%s", err.message);
    rh_runtime_free(s->rt);
    s->rt = NULL;
}

void
rh_subject_close(struct rh_subject *s)
{
    stop(s);
    rh_arena_free(s->before);
    free(s->gap);
    s->before = NULL;
    s->gap = NULL;
    rh_buf_clear(&s->log);
}

bool
rh_subject_again(struct rh_subject *s)
{
    stop(s);
    return start(s);
}

int
rh_subject_read(struct rh_subject *s, const struct rh_value *names, struct rh_error *err)
{
    s->items = rh_value_new(s->checker->arena, RH_ARRAY);
    return rh_runtime_read(s->rt, s->checker->arena, names, err);
}

/* The state held against its type, as a manifest's; false with the first complaint as the reason. */
static bool
hold(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
     struct rh_validated *held)
{
    const struct rh_checker *c = s->checker;
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_value *given = rh_value_copy(c->arena, state->given);
    bool fits;

    for (size_t i = 0; i < rh_value_count(over); i++)
        rh_value_put(given, rh_value_entry(over, i)->key,
                     rh_value_copy(c->arena, rh_value_entry(over, i)->value));
    fits =
        rh_validate(c->arena, c->type, state->title, (struct rh_place){ 0 }, given, held, &complaints) == 0;
    if (!fits) {
        struct rh_value *list = rh_value_new(c->arena, RH_ARRAY);

        rh_complaints_to_value(&complaints, list);
        s->reason = rh_value_get_str(rh_value_at(list, 0), "message", "it does not fit its type");
        s->status = RH_FAILED;
    }
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return fits;
}

struct rh_value *
rh_subject_name(struct rh_subject *s, const struct rh_fixture_state *state)
{
    struct rh_validated held;

    return hold(s, state, NULL, &held) ? rh_value_copy(s->checker->arena, held.name) : NULL;
}

const struct rh_value *
rh_subject_canonical_name(struct rh_subject *s, const struct rh_fixture_state *state)
{
    struct rh_value *name = rh_subject_name(s, state);
    rh_autoerror struct rh_error err = { 0 };

    if (name && s->checker->type->slots & RH_HAS_CANONICALIZE
        && rh_runtime_canonicalize(s->rt, s->checker->arena, name, NULL, &err) < 0)
        return NULL;
    return name;
}

static uint32_t
number_of(const struct rh_checker *c, const struct rh_fixture_state *state)
{
    const struct rh_fixture *f = c->fixture;

    for (size_t i = 0; f && i < f->n; i++)
        if (&f->states[i] == state)
            return (uint32_t)i;
    return 0;
}

bool
rh_subject_want(struct rh_subject *s, struct rh_arena *a, const struct rh_fixture_state *state,
                const struct rh_value *over, bool gone, struct rh_want *want)
{
    const struct rh_checker *c = s->checker;
    struct rh_validated held;

    *want = (struct rh_want){
        .id = number_of(c, state),
        .title = state->title,
        .action = c->type->default_action ? c->type->default_action : "converge",
    };
    if (!hold(s, state, over, &held))
        return false;
    want->name = rh_value_copy(a, held.name);
    want->should = gone ? NULL : rh_value_copy(a, held.should);
    return true;
}

static void
clear_outcome(struct rh_subject *s)
{
    s->differences = rh_value_new(s->checker->arena, RH_HASH);
    s->was = NULL;
    s->reason = "";
    s->status = RH_STATUS_UNKNOWN;
}

/* Memory for one call. That of the call before is overwritten and gone, and elsewhere than this one: who has
 * kept what it was given reads something else. */
static struct rh_arena *
arena_of_call(struct rh_subject *s)
{
    struct rh_arena *a = rh_arena_new_from(&rh_host_table, s->memory);

    rh_arena_free(s->before);
    s->before = a;
    (void)rh_arena_alloc(a,
                         16 * (++s->calls % 61)); /* the same memory holds the same things again, elsewhere */
    return a;
}

static void
converge(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
         enum rh_converge_mode mode, bool gone, const char *action, const struct rh_watch *watch)
{
    struct rh_arena *a = arena_of_call(s);
    struct rh_want want;

    clear_outcome(s);
    if (!rh_subject_want(s, a, state, over, gone, &want))
        return;
    want.noop = mode == RH_CONVERGE_NOOP || mode == RH_CONVERGE_TRIAL;
    want.replace = mode == RH_CONVERGE_REPLACE;
    want.trial = mode == RH_CONVERGE_TRIAL;
    want.watch = watch;
    if (action)
        want.action = action;
    rh_runtime_converge(s->rt, a, &want, 1);
    rh_runtime_forget(s->rt);
}

int
rh_subject_ask(struct rh_subject *s, const struct rh_fixture_question *q, const struct rh_value **answer,
               struct rh_error *err)
{
    struct rh_arena *a = arena_of_call(s);
    struct rh_value *parameters = q->lookup ? rh_value_copy(a, q->parameters) : NULL;
    int rc;

    s->items = rh_value_new(s->checker->arena, RH_ARRAY);
    s->checker->asked = q->lookup;
    rc = rh_runtime_lookup(s->rt, a, q->name, !q->lookup, parameters, err);
    s->checker->asked = NULL;
    *answer = rc == 0 ? rh_value_get(rh_value_at(s->items, 0), "value") : NULL;
    return rc;
}

void
rh_subject_act(struct rh_subject *s, const struct rh_fixture_state *state, const char *action, bool noop)
{
    converge(s, state, NULL, noop ? RH_CONVERGE_NOOP : RH_CONVERGE_APPLY, false, action, NULL);
}

void
rh_subject_converge_all(struct rh_subject *s,
                        struct rh_value *(*over_of)(struct rh_checker *c,
                                                    const struct rh_fixture_state *state))
{
    struct rh_arena *a = arena_of_call(s);
    const struct rh_fixture *f = s->checker->fixture;
    struct rh_want *wants = rh_arena_alloc(a, f->n * sizeof *wants);
    size_t n = 0;

    clear_outcome(s);
    for (size_t i = 0; i < f->n; i++) {
        struct rh_value *over = over_of ? over_of(s->checker, &f->states[i]) : NULL;

        if ((!over_of || over) && rh_subject_want(s, a, &f->states[i], over, false, &wants[n]))
            n++;
    }
    rh_runtime_converge(s->rt, a, wants, n);
    rh_runtime_forget(s->rt);
}

void
rh_subject_converge(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over,
                    enum rh_converge_mode mode, bool gone)
{
    converge(s, state, over, mode, gone, NULL, NULL);
}

const struct rh_value *
rh_subject_look(struct rh_subject *s, const struct rh_fixture_state *state, const struct rh_value *over)
{
    const struct rh_type *t = s->checker->type;
    const char **names = rh_arena_alloc(s->checker->arena, t->n_attrs * sizeof *names);
    bool *secret = rh_arena_alloc(s->checker->arena, t->n_attrs * sizeof *secret);
    struct rh_watch watch = { .names = names, .secret = secret, .salt = "rhost-check", .only = true };

    for (size_t i = 0; i < t->n_attrs; i++)
        if (rh_attr_is_property(&t->attrs[i]))
            names[watch.n++] = t->attrs[i].name;
    converge(s, state, over, RH_CONVERGE_NOOP, false, NULL, &watch);
    return s->status == RH_FAILED ? NULL : s->was;
}

void
rh_subject_prepare(struct rh_subject *s)
{
    const struct rh_fixture *f = s->checker->fixture;

    for (size_t i = 0; f && i < f->n; i++)
        rh_subject_converge(s, &f->states[i], NULL, RH_CONVERGE_APPLY, false);
    rh_buf_clear(&s->log);
}
