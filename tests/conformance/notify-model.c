/* SPDX-License-Identifier: Apache-2.0 */
/* notify-model - what our rules say of a vector of notify.json. */
#include "config.h"

#include "notify-model.h"

#include "notify-steps.h"
#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, DEEPEST = 32 };

/* Courses. */

void
course_init(struct course *c)
{
    *c = (struct course){ .order = json_object_new_array(), .updated = json_object_new_array() };
}

void
course_clear(struct course *c)
{
    json_object_put(c->order);
    json_object_put(c->updated);
}

void
course_add(struct course *c, const char *what, const char *via, const char *by, const char *result)
{
    struct json_object *e = json_object_new_array();

    json_object_array_add(e, json_object_new_string(what));
    json_object_array_add(e, json_object_new_string(via));
    json_object_array_add(e, json_object_new_string(by));
    json_object_array_add(e, json_object_new_string(result));
    json_object_array_add(c->order, e);
}

void
course_update(struct course *c, const char *key)
{
    if (!js_has_text(c->updated, key))
        json_object_array_add(c->updated, json_object_new_string(key));
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(json_object_get_string(*(struct json_object *const *)a),
                  json_object_get_string(*(struct json_object *const *)b));
}

void
course_sort(struct course *c)
{
    json_object_array_sort(c->updated, by_text);
}

/* The set. */

struct notice {
    size_t from, to;
    const char *action, *timing;
};

struct thing {
    char *key;
    struct json_object *said; /* what was said of it last */
    size_t parent;            /* MOST: none */
    bool container, lost, changed;
};

struct slot {
    size_t to;
    const char *action;
};

struct play {
    struct json_object *vector;
    struct thing things[MOST];
    size_t n;
    struct notice notices[MOST];
    size_t n_notices;
    struct slot queue[MOST];
    size_t n_queue;
    struct slot stack[DEEPEST];
    size_t depth;
    unsigned traits;
    bool refused;
    struct course *c;
};

static size_t
find(const struct play *p, const char *key)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->things[i].key, key) == 0)
            return i;
    return MOST;
}

static void
refuse(struct play *p, unsigned trait)
{
    p->refused = true;
    p->traits |= trait;
}

/* What an edit says replaces what was said; notifications are added elsewhere. */
static void
say(struct thing *t, struct json_object *step)
{
    json_object_object_foreach(step, key, v)
    {
        if (strcmp(key, "notifies") != 0 && strcmp(key, "subscribes") != 0)
            json_object_object_add(t->said, key, json_object_get(v));
    }
}

static bool
actions_are_good(struct json_object *action)
{
    if (json_object_is_type(action, json_type_array)) {
        for (size_t i = 0; i < js_count(action); i++)
            if (!actions_are_good(js_at(action, i)))
                return false;
        return true;
    }
    return !action || step_is_action(json_object_get_string(action))
           || strcmp(json_object_get_string(action), "nothing") == 0;
}

/* First what is declared, then what is edited: an edit may stand before what it edits. */
static void
collect(struct play *p, struct json_object *steps, size_t parent, bool editing)
{
    for (size_t i = 0; i < js_count(steps) && p->n < MOST; i++) {
        struct json_object *step = js_at(steps, i);
        rh_autofree char *key =
            js_text(step, "name") ? rh_printf("%s[%s]", step_type(step), js_text(step, "name")) : NULL;
        size_t at = key ? find(p, key) : MOST;

        if (js(step, "in"))
            p->traits |= ELSEWHERE;
        if (js(step, "delayed_action"))
            p->traits |= DELAYED_ACTION;
        if (strncmp(step_type(step), "unest", 5) == 0)
            p->traits |= UNIFIED;
        if (!step_declares(step) && !step_edits(step))
            p->traits |= FOR_RECIPES;
        if ((!step_declares(step) && !step_edits(step)) || step_is_deleted(steps, i)) {
            continue;
        } else if (step_edits(step) && editing && at == MOST) {
            refuse(p, EDITS_NOTHING);
        } else if (step_edits(step) && editing) {
            say(&p->things[at], step);
        } else if (step_declares(step) && !editing && at != MOST) {
            refuse(p, TWICE);
            if (p->things[at].parent != parent)
                p->traits |= REACHES_IN;
        } else if (step_declares(step) && !editing) {
            at = p->n++;
            p->things[at] = (struct thing){
                .key = rh_take(&key),
                .said = json_object_new_object(),
                .parent = parent,
                .container = step_is_container(step_type(step)),
            };
            say(&p->things[at], step);
        }
        if (!step_is_container(step_type(step)) && !actions_are_good(js(step, "action")))
            refuse(p, BAD_TARGET);
        if (js(step, "sub") && at != MOST)
            collect(p, js(step, "sub"), at, editing);
    }
}

static void
add_notice(struct play *p, const char *from, const char *to, struct json_object *n)
{
    struct notice notice = { .from = find(p, from),
                             .to = find(p, to),
                             .timing = step_timing(n),
                             .action = json_object_get_string(js_at(n, 0)) };
    static const char *const timings[] = { "delayed", "immediately", "before" };
    const struct thing *a, *b;
    bool timely = false;

    for (size_t i = 0; i < 3; i++)
        timely |= strcmp(notice.timing, timings[i]) == 0;
    if (notice.from == MOST || notice.to == MOST || !timely) {
        refuse(p, BAD_TARGET);
        return;
    }
    a = &p->things[notice.from];
    b = &p->things[notice.to];
    if (b->container) {
        notice.action = "refresh";
        p->traits |= REFRESHES_PARTS;
    } else if (!step_is_action(notice.action)) {
        refuse(p, BAD_TARGET);
    }
    if (strcmp(notice.timing, "before") == 0)
        p->traits |= TELLS_BEFORE;
    if (strcmp(notice.timing, "delayed") == 0 && a->parent != MOST && b->parent != MOST)
        p->traits |= DELAYED_WITHIN;
    if (b->parent != MOST && b->parent != a->parent)
        p->traits |= REACHES_IN;
    for (size_t i = 0; i < p->n_notices; i++) {
        const struct notice *o = &p->notices[i];

        if (o->from == notice.from && o->to == notice.to && strcmp(o->timing, notice.timing) == 0
            && strcmp(o->action, notice.action) == 0) {
            p->traits |= SAID_TWICE;
            return;
        }
    }
    if (p->n_notices < MOST)
        p->notices[p->n_notices++] = notice;
}

static void
each_other(struct play *p, const char *key, struct json_object *others, struct json_object *n,
           bool subscribes)
{
    const char *other = json_object_get_string(others);

    if (json_object_is_type(others, json_type_array)) {
        for (size_t i = 0; i < js_count(others); i++)
            each_other(p, key, js_at(others, i), n, subscribes);
        return;
    }
    add_notice(p, subscribes ? other : key, subscribes ? key : other, n);
}

static void
connect(struct play *p, struct json_object *steps)
{
    static const char *const words[] = { "notifies", "subscribes" };

    for (size_t i = 0; i < js_count(steps); i++) {
        struct json_object *step = js_at(steps, i);
        rh_autofree char *key = NULL;

        if ((!step_declares(step) && !step_edits(step)) || step_is_deleted(steps, i))
            continue;
        key = rh_printf("%s[%s]", step_type(step), js_text(step, "name"));
        for (size_t w = 0; w < 2; w++)
            for (size_t k = 0; k < js_count(js(step, words[w])); k++) {
                struct json_object *n = js_at(js(step, words[w]), k);

                each_other(p, key, js_at(n, 1), n, w == 1);
            }
        connect(p, js(step, "sub"));
    }
}

/* Execution. */

static bool
guards_agree(struct play *p, size_t at)
{
    struct thing *t = &p->things[at];

    if (t->parent != MOST && !guards_agree(p, t->parent))
        return false;
    if (js(t->said, "only_if") && !js_true(t->said, "only_if"))
        return false;
    return !js_true(t->said, "not_if");
}

static bool
changes(const struct thing *t, const char *action)
{
    return !js(t->said, "changes") || js_has_text(js(t->said, "changes"), action);
}

static bool
fails(const struct thing *t, const char *action)
{
    return js_has_text(js(t->said, "fails"), action);
}

static bool deliver(struct play *p, size_t to, const char *action, const char *via, size_t by);

static bool
push(struct play *p, size_t to, const char *action)
{
    for (size_t i = 0; i < p->depth; i++)
        if (p->stack[i].to == to && strcmp(p->stack[i].action, action) == 0)
            return false;
    if (p->depth == DEEPEST)
        return false;
    p->stack[p->depth++] = (struct slot){ to, action };
    return true;
}

static void
tell(struct play *p, size_t from)
{
    for (size_t i = 0; i < p->n_notices; i++)
        if (p->notices[i].from == from && strcmp(p->notices[i].timing, "immediately") == 0)
            deliver(p, p->notices[i].to, p->notices[i].action, "immediate", from);
    for (size_t i = 0; i < p->n_notices; i++) {
        const struct notice *n = &p->notices[i];
        bool known = false;

        if (n->from != from || strcmp(n->timing, "delayed") != 0)
            continue;
        for (size_t k = 0; k < p->n_queue; k++)
            known |= p->queue[k].to == n->to && strcmp(p->queue[k].action, n->action) == 0;
        if (!known && p->n_queue < MOST)
            p->queue[p->n_queue++] = (struct slot){ n->to, n->action };
    }
}

/* Whether all who are to be told before have been. */
static bool
tell_before(struct play *p, size_t from)
{
    bool ok = true;

    for (size_t i = 0; i < p->n_notices; i++)
        if (p->notices[i].from == from && strcmp(p->notices[i].timing, "before") == 0)
            ok &= deliver(p, p->notices[i].to, p->notices[i].action, "before", from);
    return ok;
}

/* One action of one resource; false when it failed, and that counts. */
static bool
execute(struct play *p, size_t at, const char *action, const char *via, size_t by)
{
    struct thing *t = &p->things[at];
    rh_autofree char *what = rh_printf("%s.%s", t->key, action);
    const char *who = by < MOST && strcmp(via, "delayed") != 0 ? p->things[by].key : "";
    bool noop = js_true(p->vector, "why_run");

    if (!guards_agree(p, at)) {
        p->traits |= t->parent != MOST && !guards_agree(p, t->parent) ? (unsigned)GUARDED : 0;
        course_add(p->c, what, via, who, "left alone");
        return true;
    }
    if ((changes(t, action) || fails(t, action)) && !tell_before(p, at)) {
        course_add(p->c, what, via, who, "skipped");
        t->lost = true;
        return false;
    }
    if (fails(t, action) && !noop) {
        course_add(p->c, what, via, who, "failed");
        p->traits |= FAILS;
        if (js_true(t->said, "ignore_failure"))
            return true;
        t->lost = true;
        p->c->failed = true;
        return false;
    }
    t->changed = changes(t, action) || fails(t, action);
    course_add(p->c, what, via, who, t->changed ? "updated" : "up_to_date");
    if (!t->changed)
        return true;
    if (t->parent == MOST)
        course_update(p->c, t->key);
    if (push(p, at, action)) {
        tell(p, at);
        p->depth--;
    }
    return true;
}

static bool
deliver(struct play *p, size_t to, const char *action, const char *via, size_t by)
{
    struct thing *t = &p->things[to];
    rh_autofree char *what = rh_printf("%s.%s", t->key, action);
    const char *who = by < MOST && strcmp(via, "delayed") != 0 ? p->things[by].key : "";
    bool ok = true;

    for (size_t i = 0; i < p->depth; i++)
        if (p->stack[i].to == to && strcmp(p->stack[i].action, action) == 0) {
            course_add(p->c, what, via, who, "skipped");
            p->traits |= CIRCLE;
            p->c->failed = true;
            return false;
        }
    if (t->lost) {
        course_add(p->c, what, via, who, "skipped");
        return false;
    }
    if (!t->container)
        return execute(p, to, action, via, by);
    for (size_t i = 0; i < p->n; i++)
        if (p->things[i].parent == to)
            ok &= execute(p, i, "run", via, by);
    return ok;
}

static void run_list(struct play *p, size_t parent);

static void
run_container(struct play *p, size_t at)
{
    struct thing *t = &p->things[at];
    bool changed = false, lost = false, would = false;

    for (size_t i = 0; i < p->n; i++)
        would |=
            p->things[i].parent == at && guards_agree(p, i)
            && strcmp(json_object_get_string(js(p->things[i].said, "action"))
                          ? json_object_get_string(js(p->things[i].said, "action"))
                          : "run",
                      "nothing")
                   != 0
            && changes(&p->things[i],
                       js_text(p->things[i].said, "action") ? js_text(p->things[i].said, "action") : "run");
    if (would)
        (void)tell_before(p, at);
    run_list(p, at);
    for (size_t i = 0; i < p->n; i++)
        if (p->things[i].parent == at) {
            changed |= p->things[i].changed;
            lost |= p->things[i].lost;
        }
    if (lost) {
        t->lost = true;
        return;
    }
    if (!changed)
        return;
    t->changed = true;
    if (t->parent == MOST)
        course_update(p->c, t->key);
    if (push(p, at, "converge")) {
        tell(p, at);
        p->depth--;
    }
}

static void
run_list(struct play *p, size_t parent)
{
    for (size_t i = 0; i < p->n; i++) {
        struct thing *t = &p->things[i];
        struct json_object *action = js(t->said, "action");
        size_t n = json_object_is_type(action, json_type_array) ? js_count(action) : 1;

        if (t->parent != parent)
            continue;
        for (size_t k = 0; k < n; k++) {
            struct json_object *one =
                json_object_is_type(action, json_type_array) ? js_at(action, k) : action;
            const char *name = one ? json_object_get_string(one) : "run";

            if (strcmp(name, "nothing") == 0)
                continue;
            if (t->container)
                run_container(p, i);
            else
                (void)execute(p, i, name, "", MOST);
        }
    }
}

unsigned
model_play(struct json_object *vector, struct course *c)
{
    struct play p = { .vector = vector, .c = c };

    course_init(c);
    collect(&p, js(vector, "steps"), MOST, false);
    collect(&p, js(vector, "steps"), MOST, true);
    connect(&p, js(vector, "steps"));
    if (p.refused) {
        c->refused = c->failed = true;
    } else {
        run_list(&p, MOST);
        for (size_t i = 0; i < p.n_queue; i++)
            (void)deliver(&p, p.queue[i].to, p.queue[i].action, "delayed", MOST);
    }
    course_sort(c);
    for (size_t i = 0; i < p.n; i++) {
        free(p.things[i].key);
        json_object_put(p.things[i].said);
    }
    return p.traits;
}
