/* SPDX-License-Identifier: Apache-2.0 */
/* notify - holds order, notifications, duplicates, edits and definitions against what Chef does.
 *
 * Each vector becomes a manifest with resources of step.c, which the real rhost applies, in a worker
 * and inline. What is executed must be what our rules say, which notify-model.c plays through; and
 * that must be what Chef did, save where a reason of the table below applies. Neither the rules nor
 * the reasons know of single vectors.
 *
 * Chef's list has resources with the action "nothing", which it then skips; ours has not, so such
 * turns are left out. It tells of a resource with resources in it before those, and we after; so
 * these are held by what is updated in the end, not by their place. What is within such a resource
 * is not in Chef's list of what was updated, and so not in ours. */
#include "config.h"

#include "notify-model.h"
#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What Chef did. */

static const char *
result_of(const char *result)
{
    return !result ? "" : strncmp(result, "skipped: ", 9) == 0 ? "left alone" : result;
}

static bool
is_container(const char *key)
{
    return strncmp(key, "nest", 4) == 0 || strncmp(key, "unest", 5) == 0;
}

static void
chef_did(struct json_object *vector, struct course *c)
{
    struct json_object *chef = js(vector, "chef19"), *order = js(chef, "order");

    course_init(c);
    c->refused = js(chef, "error") && !js_count(order);
    c->failed = js(chef, "error") != NULL;
    for (size_t i = 0; i < js_count(order); i++) {
        struct json_object *e = js_at(order, i);
        const char *what = js_text(e, "do"), *action = strrchr(what, '.') + 1;
        const char *result = js_text(e, "result"), *via = js_text(e, "via");

        if (strcmp(action, "nothing") == 0 || is_container(what)
            || (js_true(e, "whyrun") && !js_true(vector, "why_run")))
            continue;
        course_add(c, what, via ? via : "", js_text(e, "by") ? js_text(e, "by") : "", result_of(result));
    }
    for (size_t i = 0; i < js_count(js(chef, "updated")); i++)
        course_update(c, json_object_get_string(js_at(js(chef, "updated"), i)));
    course_sort(c);
}

/* What rhost did. */

static const char *
result_of_event(struct json_object *event)
{
    static const char *const updated[] = { "changed", "would_change", "refreshed", "would_refresh" };
    const char *status = js_text(event, "status"), *reason = js_text(event, "reason");

    for (size_t i = 0; i < sizeof updated / sizeof updated[0]; i++)
        if (strcmp(status, updated[i]) == 0)
            return "updated";
    if (strcmp(status, "unchanged") == 0)
        return reason ? "left alone" : "up_to_date";
    return status;
}

/* Definitions have the title in their name: "nest_p". */
static char *
key_of(const char *type, const char *title)
{
    size_t n = is_container(type) ? strcspn(type, "_") : strlen(type);

    return rh_printf("%.*s[%s]", (int)n, type, title);
}

static void
rhost_did(struct json_object *vector, struct json_object *manifest, const char *isolation, bool clone,
          struct course *c, struct run *r)
{
    const char *more[3] = { 0 };
    size_t n = 0;

    if (js_true(vector, "why_run"))
        more[n++] = "--noop";
    if (clone)
        more[n++] = "--duplicates=clone";
    run_apply(r, manifest, isolation, more);
    course_init(c);
    c->refused = r->exit == 1;
    c->failed = r->exit != 0;
    for (size_t i = 0; i < js_count(r->events); i++) {
        struct json_object *e = js_at(r->events, i);
        rh_autofree char *key = key_of(js_text(e, "type"), js_text(e, "title"));
        rh_autofree char *what = rh_printf("%s.%s", key, js_text(e, "action"));
        const char *via = js_text(e, "timing"), *by = js_text(e, "notified_by");
        const char *result = result_of_event(e);
        rh_autofree char *type = NULL;

        if (strcmp(result, "updated") == 0 && !model_is_within(js(vector, "steps"), key))
            course_update(c, key);
        if (is_container(key))
            continue;
        if (via && strcmp(via, "immediately") == 0)
            via = "immediate";
        /* The notifier of what comes at the end is told by us alone. */
        if (!via || strcmp(via, "delayed") == 0)
            by = NULL;
        if (by && is_container(by)) {
            const char *bracket = strchr(by, '[');

            type = rh_printf("%.*s%s", (int)strcspn(by, "_"), by, bracket ? bracket : "");
            by = type;
        }
        course_add(c, what, via ? via : "", by ? by : "", result);
    }
    course_sort(c);
}

/* Why Chef differs. */

enum { REFUSED = 1, FAILED = 2, UPDATED = 4, ORDER = 8, ALL = 15 };

static const struct {
    unsigned trait, may;
    const char *reason;
} causes[] = {
    { TWICE, ALL, "what is declared twice is refused, unless --duplicates=clone; then both are done" },
    { EDITS_NOTHING, ALL, "an edit of what is not declared is refused" },
    { BAD_TARGET, ALL, "targets, notifiers and actions are looked up before anything runs" },
    { FOR_RECIPES, ALL, "finding, deleting and running while it is read belong to recipes" },
    { DELAYED_ACTION, ALL, "no resource queues itself for the end: it is notified, or triggered there" },
    { ELSEWHERE, ALL, "what a definition declares is part of it, in the one set and in its own list" },
    { FAILS, FAILED | UPDATED | ORDER, "a failure stops what depends on it, and nothing else" },
    { TELLS_BEFORE, UPDATED | ORDER,
      "`before` asks the comparison; the notifier is not tried out, which Chef counts as an update" },
    { SAID_TWICE, ORDER, "the same notification said twice is one" },
    { DELAYED_WITHIN, ORDER | UPDATED, "`delayed` is the end of the run, inside of a definition too" },
    { UNIFIED, ALL, "a definition is read as a whole before anything in it is done" },
    { REACHES_IN, ALL, "there is one set: what is in a definition is found from everywhere" },
    { CIRCLE, ALL, "notifications that form a cycle are ended with an error" },
    { REFRESHES_PARTS, ORDER | UPDATED,
      "who notifies an instance of a definition refreshes what can be refreshed in it" },
    { GUARDED, ORDER, "what is part of an instance that its guard leaves alone is told of, each" },
};

enum { N_CAUSES = sizeof causes / sizeof causes[0] };

static unsigned
compare(const struct course *a, const struct course *b)
{
    unsigned set = 0;

    set |= a->refused != b->refused ? REFUSED : 0;
    set |= a->failed != b->failed ? FAILED : 0;
    set |= !js_equal(a->updated, b->updated) ? UPDATED : 0;
    set |= !js_equal(a->order, b->order) ? ORDER : 0;
    return set;
}

static bool
explain(unsigned differs, unsigned traits, struct rule *counted, bool *needed)
{
    unsigned left = differs;

    for (size_t i = 0; i < N_CAUSES; i++)
        if (traits & causes[i].trait && differs & causes[i].may) {
            left &= ~causes[i].may;
            counted[i].vectors++;
            *needed = true;
        }
    return !left;
}

static void
show(const char *who, const struct course *c)
{
    printf("    %-6s%s%s updated %s\n", who, c->refused ? " refused" : "", c->failed ? " failed" : "",
           json_object_to_json_string_ext(c->updated, JSON_C_TO_STRING_PLAIN));
    for (size_t i = 0; i < js_count(c->order); i++)
        printf("             %s\n",
               json_object_to_json_string_ext(js_at(c->order, i), JSON_C_TO_STRING_PLAIN));
}

/* Retries are no events; the plugin counts them. */
static bool
tried_often_enough(struct json_object *vector, const struct run *r)
{
    struct json_object *order = js(js(vector, "chef19"), "order");

    for (size_t i = 0; i < js_count(order); i++) {
        struct json_object *e = js_at(order, i);
        int64_t tries = json_object_get_int64(js(e, "retries")) + 1, seen = 0;

        for (size_t k = 0; k < js_count(r->log); k++) {
            rh_autofree char *what = rh_printf("t[%s].%s", js_text(js_at(r->log, k), "title"),
                                               js_text(js_at(r->log, k), "action"));

            seen += strcmp(what, js_text(e, "do")) == 0;
        }
        if (tries > 1 && seen != tries)
            return false;
    }
    return true;
}

static bool
matches(struct json_object *vector, struct json_object *manifest, const struct course *due,
        const char *isolation)
{
    struct course ours;
    struct run r;
    bool same;

    rhost_did(vector, manifest, isolation, false, &ours, &r);
    same = !compare(due, &ours) && (due->refused || tried_often_enough(vector, &r));
    if (!same) {
        say_failure(js_text(vector, "id"), isolation, "%s", js_text(vector, "title"));
        show("rules", due);
        show("rhost", &ours);
        printf("    exit %d, %s\n    %s\n", r.exit, r.said, json_object_to_json_string(manifest));
    }
    course_clear(&ours);
    run_clear(&r);
    return same;
}

/* The turns of the list, without what was notified. */
static struct json_object *
turns_of(const struct course *c)
{
    struct json_object *turns = json_object_new_array();

    for (size_t i = 0; i < js_count(c->order); i++)
        if (!*json_object_get_string(js_at(js_at(c->order, i), 1)))
            json_object_array_add(turns, json_object_get(js_at(c->order, i)));
    return turns;
}

/* With --duplicates=clone the list is Chef's. */
static bool
clones_match(struct json_object *vector, struct json_object *manifest, const struct course *chef,
             const char *isolation)
{
    struct json_object *due = turns_of(chef), *turns;
    struct course ours;
    struct run r;
    bool same;

    rhost_did(vector, manifest, isolation, true, &ours, &r);
    turns = turns_of(&ours);
    same = js_equal(due, turns);
    if (!same) {
        say_failure(js_text(vector, "id"), isolation, "--duplicates=clone: %s", js_text(vector, "title"));
        show("chef", chef);
        show("rhost", &ours);
        printf("    exit %d, %s\n    %s\n", r.exit, r.said, json_object_to_json_string(manifest));
    }
    json_object_put(due);
    json_object_put(turns);
    course_clear(&ours);
    run_clear(&r);
    return same;
}

static bool
hold(struct json_object *vector, struct rule *rules, bool *needed)
{
    struct json_object *manifest = model_manifest(js(vector, "steps"));
    struct course due, chef;
    unsigned traits, differs;
    bool ok;

    traits = model_play(vector, &due);
    chef_did(vector, &chef);
    differs = compare(&due, &chef);
    ok = explain(differs, traits, rules, needed);
    if (!ok) {
        say_failure(js_text(vector, "id"), "rules", "Chef differs for no reason that is known: %s",
                    js_text(vector, "title"));
        show("rules", &due);
        show("chef", &chef);
    }
    ok &= matches(vector, manifest, &due, "worker");
    ok &= matches(vector, manifest, &due, "none");
    if (traits == TWICE)
        ok &= clones_match(vector, manifest, &chef, "worker");
    json_object_put(manifest);
    course_clear(&due);
    course_clear(&chef);
    return ok;
}

int
main(int argc, char **argv)
{
    struct json_object *vectors = runs_vectors(argc, argv, "notify.json");
    struct rule rules[N_CAUSES] = { { 0 } };
    size_t passed = 0, differing = 0, failed = 0;

    for (size_t i = 0; i < N_CAUSES; i++)
        rules[i].reason = causes[i].reason;
    runs_open("notify");
    for (size_t i = 0; i < js_count(vectors); i++) {
        bool needed = false;

        if (!hold(js_at(vectors, i), rules, &needed))
            failed++;
        else if (needed)
            differing++;
        else
            passed++;
    }
    json_object_put(vectors);
    runs_close();
    return say_counts("order and notifications", passed, differing, failed, rules, N_CAUSES);
}
