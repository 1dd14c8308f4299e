/* SPDX-License-Identifier: Apache-2.0 */
/* notify-steps - the steps of a vector of notify.json, and the manifest that they are. */
#include "config.h"

#include "notify-steps.h"

#include "notify-model.h"
#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <string.h>

/* The manifest. */

static const char *const all_actions[] = { "run", "start", "stop", "restart", "reload", "a", "b", "c" };
enum { N_ACTIONS = sizeof all_actions / sizeof all_actions[0] };

bool
step_is_action(const char *name)
{
    for (size_t i = 0; name && i < N_ACTIONS; i++)
        if (strcmp(name, all_actions[i]) == 0)
            return true;
    return false;
}

const char *
step_type(struct json_object *step)
{
    return js_text(step, "type") ? js_text(step, "type") : "t";
}

bool
step_is_container(const char *type)
{
    return strncmp(type, "nest", 4) == 0 || strncmp(type, "unest", 5) == 0;
}

/* "declare", "edit", or what manifests don't have. */
bool
step_declares(struct json_object *step)
{
    const char *word = js_text(step, "step");

    return !word || strcmp(word, "declare") == 0;
}

bool
step_edits(struct json_object *step)
{
    const char *word = js_text(step, "step");

    return word && strncmp(word, "edit", 4) == 0;
}

/* "nest[p]" is "nest_p[p]" in a manifest: each has a definition of its own. */
static char *
reference(const char *key)
{
    size_t type = strcspn(key, "["), n = strlen(key);

    if (!step_is_container(key) || n < type + 2)
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

const char *
step_timing(struct json_object *notification)
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
                      && step_is_container(json_object_get_string(target));

        json_object_array_add(one, inside ? json_object_new_string("refresh") : json_object_get(js_at(n, 0)));
        json_object_array_add(one, references(target));
        json_object_array_add(one, json_object_new_string(step_timing(n)));
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
    json_object_array_add(command, json_object_new_string(json_object_get_boolean(v) ? "true" : "false"));
    json_object_object_add(entry, word, command);
}

/* What a step says of a resource, beside its name. */
static void
add_said(struct json_object *entry, struct json_object *step)
{
    static const char *const kept[] = { "ignore_failure", "retries" };
    struct json_object *action = js(step, "action"), *changes = js(step, "changes");
    bool inside = step_is_container(step_type(step));
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
    } else if (step_declares(step)) {
        changes = json_object_new_array();
        for (size_t i = 0; i < N_ACTIONS; i++)
            json_object_array_add(changes, json_object_new_string(all_actions[i]));
        json_object_object_add(entry, "changes", changes);
    }
    if (js(step, "fails") || step_declares(step))
        json_object_object_add(
            entry, "fails", js(step, "fails") ? json_object_get(js(step, "fails")) : json_object_new_array());
}

/* Whether a later step takes the resource away again: its author would leave it out. */
bool
step_is_deleted(struct json_object *steps, size_t at)
{
    struct json_object *step = js_at(steps, at);

    for (size_t i = at + 1; i < js_count(steps); i++) {
        const char *word = js_text(js_at(steps, i), "step");

        if (word && strncmp(word, "delete", 6) == 0
            && strcmp(step_type(js_at(steps, i)), step_type(step)) == 0
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

        if ((!step_declares(step) && !step_edits(step)) || step_is_deleted(steps, i))
            continue;
        key = rh_printf("%s[%s]", step_type(step), js_text(step, "name"));
        ref = reference(key);
        type = rh_xstrndup(ref, strcspn(ref, "["));
        if (step_is_container(type) && step_declares(step)) {
            definition = json_object_new_object();
            within = json_object_new_array();
            add_entries(within, js(step, "sub"));
            json_object_object_add(definition, "define", json_object_new_string(type));
            json_object_object_add(definition, "resources", within);
            json_object_array_add(list, definition);
        }
        entry = json_object_new_object();
        if (step_edits(step))
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
        rh_autofree char *own =
            rh_printf("%s[%s]", step_type(step), js_text(step, "name") ? js_text(step, "name") : "");

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
