/* SPDX-License-Identifier: Apache-2.0 */
/* notify-model - what our rules say of a vector of notify.json. */
#include "config.h"

#include "notify-model.h"

#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, DEEPEST = 32 };

/* The manifest. */

static const char *const all_actions[] = { "run",  "start",  "stop", "restart",
                                           "reload", "a", "b", "c" };
enum { N_ACTIONS = sizeof all_actions / sizeof all_actions[0] };

static bool
is_action(const char *name)
{
    for (size_t i = 0; name && i < N_ACTIONS; i++)
        if (strcmp(name, all_actions[i]) == 0)
            return true;
    return false;
}

static const char *
type_of(struct json_object *step)
{
    return js_text(step, "type") ? js_text(step, "type") : "t";
}

static bool
is_container(const char *type)
{
    return strncmp(type, "nest", 4) == 0 || strncmp(type, "unest", 5) == 0;
}

/* "declare", "edit", or what manifests don't have. */
static bool
declares(struct json_object *step)
{
    const char *word = js_text(step, "step");

    return !word || strcmp(word, "declare") == 0;
}

static bool
edits(struct json_object *step)
{
    const char *word = js_text(step, "step");

    return word && strncmp(word, "edit", 4) == 0;
}

/* "nest[p]" is "nest_p[p]" in a manifest: each has a definition of its own. */
static char *
reference(const char *key)
{
    size_t type = strcspn(key, "["), n = strlen(key);

    if (!is_container(key) || n < type + 2)
        return rh_xstrdup(key);
    return rh_printf("%.*s_%.*s%s", (int)type, key, (int)(n - type - 2), key + type + 1, key + type);
}

static struct json_object *
references(struct json_object *keys)
{
    struct json_object *list;
    rh_autofree char *one = NULL;

    if (!json_object_is_type(keys, json_type_array)) {
        one = reference(json_object_get_string(keys));
        return json_object_new_string(one);
    }
    list = json_object_new_array();
    for (size_t i = 0; i < js_count(keys); i++)
        json_object_array_add(list, references(js_at(keys, i)));
    return list;
}

static const char *
timing_of(struct json_object *notification)
{
    const char *word = json_object_get_string(js_at(notification, 2));

    return !word ? "delayed" : strcmp(word, "immediate") == 0 ? "immediately" : word;
}

static struct json_object *
notifications(struct json_object *all)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < js_count(all); i++) {
        struct json_object *n = js_at(all, i), *one = json_object_new_array();
        struct json_object *target = js_at(n, 1);
        bool inside = !json_object_is_type(target, json_type_array)
                      && is_container(json_object_get_string(target));

        json_object_array_add(one, inside ? json_object_new_string("refresh")
                                          : json_object_get(js_at(n, 0)));
        json_object_array_add(one, references(target));
        json_object_array_add(one, json_object_new_string(timing_of(n)));
        json_object_array_add(list, one);
    }
    return list;
}

static void
add_guard(struct json_object *entry, struct json_object *step, const char *word)
{
    struct json_object *v = js(step, word), *command;

    if (!v)
        return;
    command = json_object_new_array();
    json_object_array_add(command, json_object_new_string(json_object_get_boolean(v) ? "true"
                                                                                     : "false"));
    json_object_object_add(entry, word, command);
}

/* What a step says of a resource, beside its name. */
static void
add_said(struct json_object *entry, struct json_object *step)
{
    static const char *const kept[] = { "ignore_failure", "retries" };
    struct json_object *action = js(step, "action"), *changes = js(step, "changes");
    bool inside = is_container(type_of(step));
    bool nothing = action && strcmp(json_object_get_string(action), "nothing") == 0;

    if (action && (!inside || nothing))
        json_object_object_add(entry, "action", json_object_get(action));
    if (js(step, "notifies"))
        json_object_object_add(entry, "notifies", notifications(js(step, "notifies")));
    if (js(step, "subscribes"))
        json_object_object_add(entry, "subscribes", notifications(js(step, "subscribes")));
    add_guard(entry, step, "only_if");
    add_guard(entry, step, "not_if");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (js(step, kept[i]))
            json_object_object_add(entry, kept[i], json_object_get(js(step, kept[i])));
    if (js(step, "retries"))
        json_object_object_add(entry, "retry_delay", json_object_new_int(0));
    if (inside)
        return;
    if (js(step, "val"))
        json_object_object_add(entry, "val", json_object_get(js(step, "val")));
    /* Said of each, so that clones have their own. */
    if (changes) {
        json_object_object_add(entry, "changes", json_object_get(changes));
    } else if (declares(step)) {
        changes = json_object_new_array();
        for (size_t i = 0; i < N_ACTIONS; i++)
            json_object_array_add(changes, json_object_new_string(all_actions[i]));
        json_object_object_add(entry, "changes", changes);
    }
    if (js(step, "fails") || declares(step))
        json_object_object_add(entry, "fails",
                               js(step, "fails") ? json_object_get(js(step, "fails"))
                                                 : json_object_new_array());
}

/* Whether a later step takes the resource away again: its author would leave it out. */
static bool
is_deleted(struct json_object *steps, size_t at)
{
    struct json_object *step = js_at(steps, at);

    for (size_t i = at + 1; i < js_count(steps); i++) {
        const char *word = js_text(js_at(steps, i), "step");

        if (word && strncmp(word, "delete", 6) == 0
            && strcmp(type_of(js_at(steps, i)), type_of(step)) == 0
            && strcmp(js_text(js_at(steps, i), "name"), js_text(step, "name")) == 0)
            return true;
    }
    return false;
}

static void
add_entries(struct json_object *list, struct json_object *steps)
{
    for (size_t i = 0; i < js_count(steps); i++) {
        struct json_object *step = js_at(steps, i), *entry, *definition, *within;
        rh_autofree char *key = NULL;
        rh_autofree char *ref = NULL;
        rh_autofree char *type = NULL;

        if ((!declares(step) && !edits(step)) || is_deleted(steps, i))
            continue;
        key = rh_printf("%s[%s]", type_of(step), js_text(step, "name"));
        ref = reference(key);
        type = rh_xstrndup(ref, strcspn(ref, "["));
        if (is_container(type) && declares(step)) {
            definition = json_object_new_object();
            within = json_object_new_array();
            add_entries(within, js(step, "sub"));
            json_object_object_add(definition, "define", json_object_new_string(type));
            json_object_object_add(definition, "resources", within);
            json_object_array_add(list, definition);
        }
        entry = json_object_new_object();
        if (edits(step))
            json_object_object_add(entry, "edit", json_object_new_string(ref));
        else
            json_object_object_add(entry, type, json_object_get(js(step, "name")));
        add_said(entry, step);
        json_object_array_add(list, entry);
    }
}

/* Definitions stand at the top, whatever uses them. */
static void
lift_definitions(struct json_object *top, struct json_object *list)
{
    for (size_t i = 0; i < js_count(list); i++) {
        struct json_object *e = js_at(list, i);

        if (!js(e, "define"))
            continue;
        lift_definitions(top, js(e, "resources"));
        json_object_array_add(top, json_object_get(e));
        json_object_array_del_idx(list, i--, 1);
    }
}

struct json_object *
model_manifest(struct json_object *steps)
{
    struct json_object *manifest = json_object_new_object(), *list = json_object_new_array();
    struct json_object *all = json_object_new_array();

    add_entries(list, steps);
    lift_definitions(all, list);
    for (size_t i = 0; i < js_count(list); i++)
        json_object_array_add(all, json_object_get(js_at(list, i)));
    json_object_put(list);
    json_object_object_add(manifest, "resources", all);
    return manifest;
}

static bool
stands_in(struct json_object *steps, const char *key, bool deep)
{
    for (size_t i = 0; i < js_count(steps); i++) {
        struct json_object *step = js_at(steps, i);
        rh_autofree char *own = rh_printf("%s[%s]", type_of(step),
                                          js_text(step, "name") ? js_text(step, "name") : "");

        if (strcmp(own, key) == 0 || (deep && stands_in(js(step, "sub"), key, true)))
            return true;
    }
    return false;
}

bool
model_is_within(struct json_object *steps, const char *key)
{
    return !stands_in(steps, key, false) && stands_in(steps, key, true);
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
    json_object_object_foreach(step, key, v) {
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
    return !action || is_action(json_object_get_string(action))
           || strcmp(json_object_get_string(action), "nothing") == 0;
}

/* First what is declared, then what is edited: an edit may stand before what it edits. */
static void
collect(struct play *p, struct json_object *steps, size_t parent, bool editing)
{
    for (size_t i = 0; i < js_count(steps) && p->n < MOST; i++) {
        struct json_object *step = js_at(steps, i);
        rh_autofree char *key =
            js_text(step, "name") ? rh_printf("%s[%s]", type_of(step), js_text(step, "name")) : NULL;
        size_t at = key ? find(p, key) : MOST;

        if (js(step, "in"))
            p->traits |= ELSEWHERE;
        if (js(step, "delayed_action"))
            p->traits |= DELAYED_ACTION;
        if (strncmp(type_of(step), "unest", 5) == 0)
            p->traits |= UNIFIED;
        if (!declares(step) && !edits(step))
            p->traits |= FOR_RECIPES;
        if ((!declares(step) && !edits(step)) || is_deleted(steps, i)) {
            continue;
        } else if (edits(step) && editing && at == MOST) {
            refuse(p, EDITS_NOTHING);
        } else if (edits(step) && editing) {
            say(&p->things[at], step);
        } else if (declares(step) && !editing && at != MOST) {
            refuse(p, TWICE);
            if (p->things[at].parent != parent)
                p->traits |= REACHES_IN;
        } else if (declares(step) && !editing) {
            at = p->n++;
            p->things[at] = (struct thing){
                .key = rh_take(&key),
                .said = json_object_new_object(),
                .parent = parent,
                .container = is_container(type_of(step)),
            };
            say(&p->things[at], step);
        }
        if (!is_container(type_of(step)) && !actions_are_good(js(step, "action")))
            refuse(p, BAD_TARGET);
        if (js(step, "sub") && at != MOST)
            collect(p, js(step, "sub"), at, editing);
    }
}

static void
add_notice(struct play *p, const char *from, const char *to, struct json_object *n)
{
    struct notice notice = { .from = find(p, from), .to = find(p, to), .timing = timing_of(n),
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
    } else if (!is_action(notice.action)) {
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

        if ((!declares(step) && !edits(step)) || is_deleted(steps, i))
            continue;
        key = rh_printf("%s[%s]", type_of(step), js_text(step, "name"));
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
        would |= p->things[i].parent == at && guards_agree(p, i)
                 && strcmp(json_object_get_string(js(p->things[i].said, "action"))
                               ? json_object_get_string(js(p->things[i].said, "action"))
                               : "run",
                           "nothing") != 0
                 && changes(&p->things[i], js_text(p->things[i].said, "action")
                                               ? js_text(p->things[i].said, "action")
                                               : "run");
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
