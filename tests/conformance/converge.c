/* SPDX-License-Identifier: Apache-2.0 */
/* converge - holds load and converge against what Chef does.
 *
 * Each vector becomes a type (probe.c) and a manifest, which the real rhost applies, in a worker and
 * inline. What comes of it must be what our rules say; and what our rules say must be what Chef did,
 * save where a reason of the table below applies. Neither the rules nor the reasons know of single
 * vectors. Texts are compared in what they mean. */
#include "config.h"

#include "facts.h"
#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fact_names[] = { "failed", "updated", "blocks", "answers", "changes" };

/* What the vector says of a property. */
struct property {
    const char *name;
    struct json_object *prop, *declared, *current;
    bool is_name, is_state, given, loaded, hidden;
};

static struct json_object *
default_of(const struct property *p)
{
    struct json_object *v = js(p->prop, "default");

    return v ? v : js(p->prop, "lazy_default");
}

static bool
look_up(struct json_object *input, const char *name, struct property *p)
{
    struct json_object *state;

    *p = (struct property){ .name = name, .prop = js(js(input, "props"), name) };
    if (!p->prop)
        return false;
    state = js(p->prop, "desired_state");
    p->is_name = js_true(p->prop, "name_property") || js_true(p->prop, "identity");
    p->is_state = !p->is_name && !(state && !json_object_get_boolean(state));
    p->declared = js(js(input, "declared"), name);
    p->given = p->declared != NULL;
    p->current = js(js(input, "current"), name);
    p->loaded = p->current != NULL;
    if (js_text(input, "current") && strcmp(js_text(input, "current"), "echo_new") == 0) {
        p->current = p->declared;
        p->loaded = p->given;
    }
    p->hidden = (js_true(input, "sensitive") && p->given) || js_true(p->prop, "sensitive");
    return true;
}

static bool
is_missing(struct json_object *input)
{
    struct json_object *current = js(input, "current");

    return !current || (js_text(input, "current") && strcmp(js_text(input, "current"), "none") == 0);
}

static struct json_object *
coerced(const struct property *p, struct json_object *v)
{
    const char *how = js_text(p->prop, "coerce");
    char text[32];

    if (!how || strcmp(how, "octal") != 0 || !json_object_is_type(v, json_type_int))
        return json_object_get(v);
    snprintf(text, sizeof text, "%04o", (unsigned)json_object_get_int64(v));
    return json_object_new_string(text);
}

/* Whether a value is one that the property takes; as far as vectors go. */

static bool
is_of_class(struct json_object *v, const char *name)
{
    static const struct {
        const char *name;
        enum json_type type;
    } classes[] = {
        { "String", json_type_string },     { "Symbol", json_type_string },
        { "Integer", json_type_int },       { "Float", json_type_double },
        { "Array", json_type_array },       { "Hash", json_type_object },
        { "TrueClass", json_type_boolean }, { "FalseClass", json_type_boolean },
        { "true", json_type_boolean },      { "false", json_type_boolean },
        { "NilClass", json_type_null },     { "nil", json_type_null },
    };

    for (size_t i = 0; name && i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(name, classes[i].name) == 0)
            return json_object_is_type(v, classes[i].type);
    return true;
}

static bool
fits(struct json_object *prop, struct json_object *v)
{
    struct json_object *type = js(prop, "type"), *among = js(prop, "equal_to");
    bool any = !js_count(among);

    for (size_t i = 0; i < js_count(among); i++)
        any |= js_equal(v, js_at(among, i));
    if (!any)
        return false;
    if (!json_object_is_type(type, json_type_array))
        return is_of_class(v, json_object_get_string(type));
    for (size_t i = 0; i < js_count(type); i++)
        if (is_of_class(v, json_object_get_string(js_at(type, i))))
            return true;
    return false;
}

/* A null that is refused: by a type that says something, and has a default or must be given. */
static bool
refuses_null(const struct property *p)
{
    struct json_object *type = js(p->prop, "type");
    bool bare = !type && !js(p->prop, "equal_to");

    if (js_true(p->prop, "required"))
        return true;
    return !bare && (p->is_name || default_of(p)) && !fits(p->prop, NULL);
}

/* What our rules say. */

static bool
is_refused(struct json_object *input)
{
    json_object_object_foreach(js(input, "declared"), name, v)
    {
        struct property p;

        if (!look_up(input, name, &p) || (!v && refuses_null(&p)) || (v && !fits(p.prop, v)))
            return true;
    }
    return false;
}

static bool
fails_before(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)look_up(input, name, &p);
        if (!is_missing(input) && p.loaded && p.is_state && !fits(prop, p.current))
            return true;
        if (is_missing(input) && js_true(prop, "required") && !p.given && !p.is_name)
            return true;
    }
    return false;
}

/* Whether a property of a group is to be changed. `told`: only when that was not noted yet. */
static bool
is_to_change(struct json_object *input, const struct property *p, struct facts *f)
{
    struct json_object *to = p->declared;
    bool differs;

    if (!p->is_state)
        return false;
    if (!to && is_missing(input))
        to = default_of(p);
    if (!to)
        return false;
    if (!is_missing(input) && p->loaded) {
        struct json_object *a = coerced(p, p->current), *b = coerced(p, to);

        differs = !js_equal(a, b);
        json_object_put(a);
        json_object_put(b);
        if (!differs)
            return false;
    }
    for (size_t i = 0; i < js_count(f->changes); i++)
        if (strcmp(json_object_get_string(js_at(js_at(f->changes, i), 0)), p->name) == 0)
            return true;
    {
        struct json_object *from = is_missing(input) ? NULL : coerced(p, p->current);
        struct json_object *shown = coerced(p, to);

        facts_add_change(f, p->name, from, shown, p->hidden);
        json_object_put(from);
        json_object_put(shown);
    }
    return true;
}

/* In the order in which the type declares its properties. */
static void
sort_changes(struct json_object *input, struct facts *f)
{
    struct json_object *sorted = json_object_new_array();

    json_object_object_foreach(js(input, "props"), name, prop)
    {
        (void)prop;
        for (size_t i = 0; i < js_count(f->changes); i++)
            if (strcmp(json_object_get_string(js_at(js_at(f->changes, i), 0)), name) == 0)
                json_object_array_add(sorted, json_object_get(js_at(f->changes, i)));
    }
    json_object_put(f->changes);
    f->changes = sorted;
}

/* One call of changed(); false when the run ends there. */
static bool
expect_group(struct json_object *input, size_t i, struct json_object *names, struct facts *f)
{
    bool noop = js_true(input, "why_run"), differs = is_missing(input);
    struct property p;

    for (size_t k = 0; k < js_count(names); k++)
        if (!look_up(input, json_object_get_string(js_at(names, k)), &p) || !p.is_state) {
            /* The provider's error; it is told "no", and fails when it has returned. */
            json_object_array_add(f->answers, json_object_new_boolean(false));
            return false;
        }
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        (void)prop;
        (void)look_up(input, name, &p);
        if (!js_count(names) || js_has_text(names, name))
            differs |= is_to_change(input, &p, f);
    }
    f->updated |= differs;
    if (differs && !noop)
        json_object_array_add(f->blocks, json_object_new_int64((int64_t)i));
    if (differs && !noop && js_true(js(input, "opts"), "raise_in_block"))
        return false;
    json_object_array_add(f->answers, json_object_new_boolean(differs && !noop));
    return true;
}

static void
expect(struct json_object *input, struct facts *f)
{
    struct json_object *calls = js(input, "calls");
    size_t n = calls ? js_count(calls) : 1;
    bool ok = true;

    facts_init(f);
    if (is_refused(input) || fails_before(input)) {
        facts_fail(f);
        return;
    }
    for (size_t i = 0; i < n; i++)
        ok &= expect_group(input, i, js_at(calls, i), f);
    sort_changes(input, f);
    if (!ok)
        facts_fail(f);
}

/* What rhost did. */

static struct json_object *
manifest_of(struct json_object *input)
{
    struct json_object *manifest = json_object_new_object(), *list = json_object_new_array();
    struct json_object *entry = json_object_new_object(), *secret = json_object_new_array();
    const char *name = js_text(input, "name");

    json_object_object_add(entry, "probe", json_object_new_string(name ? name : "blah"));
    json_object_object_foreach(js(input, "declared"), key, v)
    {
        json_object_object_add(entry, key, json_object_get(v));
        if (js_true(input, "sensitive"))
            json_object_array_add(secret, json_object_new_string(key));
    }
    if (js_count(secret))
        json_object_object_add(entry, "sensitive", secret);
    else
        json_object_put(secret);
    json_object_array_add(list, entry);
    json_object_object_add(manifest, "resources", list);
    return manifest;
}

static bool
is_hidden(struct json_object *v)
{
    const char *text = json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";

    return strcmp(text, "[redacted]") == 0;
}

/* What stood in force in a block: what is wanted, else what is there, else (on creation) the default. */
static bool
block_saw_right(struct json_object *input, struct json_object *values)
{
    bool right = true;

    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct json_object *due, *seen = js(values, name);
        struct property p;

        (void)prop;
        (void)look_up(input, name, &p);
        if (!p.is_state)
            continue;
        due = p.given ? p.declared : is_missing(input) ? default_of(&p) : p.current;
        due = coerced(&p, due);
        right &= js_equal(due, seen);
        json_object_put(due);
    }
    return right;
}

static void
rhost_did(struct json_object *vector, const char *isolation, struct facts *f, struct run *r)
{
    static const char *const noop[] = { "--noop", NULL };
    struct json_object *input = js(vector, "input"), *manifest = manifest_of(input), *event;
    const char *status;

    facts_init(f);
    runs_write("probe", json_object_to_json_string(input));
    if (setenv("RHOST_PROBE", runs_path("probe"), 1) < 0)
        abort();
    run_apply(r, manifest, isolation, js_true(input, "why_run") ? noop : NULL);
    json_object_put(manifest);
    event = js_at(r->events, 0);
    status = js_text(event, "status") ? js_text(event, "status") : "";
    f->updated = strcmp(status, "changed") == 0 || strcmp(status, "would_change") == 0;
    for (size_t i = 0; i < js_count(r->log); i++) {
        struct json_object *line = js_at(r->log, i);

        if (js(line, "block"))
            json_object_array_add(f->blocks, json_object_get(js(line, "block")));
        else
            json_object_array_add(f->answers, json_object_get(js(line, "answer")));
        if (js(line, "block") && !block_saw_right(input, js(line, "values")))
            json_object_array_add(f->blocks, json_object_new_string("with other values in force"));
    }
    for (size_t i = 0; i < js_count(js(event, "changes")); i++) {
        struct json_object *c = js_at(js(event, "changes"), i);
        bool hidden = is_hidden(js(c, "to")) || is_hidden(js(c, "from"));

        facts_add_change(f, js_text(c, "attribute"), js(c, "from"), js(c, "to"), hidden);
    }
    if (r->exit != 0 || !event)
        facts_fail(f);
}

/* Why Chef differs. `may` are the facts that each can explain. */

static bool
defaults_are_for_creating(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)prop;
        (void)look_up(input, name, &p);
        if (!is_missing(input) && p.is_state && !p.given && default_of(&p)
            && !js_equal(p.current, default_of(&p)))
            return true;
    }
    return false;
}

static bool
lists_what_is_wanted(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)prop;
        (void)look_up(input, name, &p);
        if (is_missing(input) && !p.given && !default_of(&p))
            return true;
    }
    return false;
}

static bool
unknown_is_no_default(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)prop;
        (void)look_up(input, name, &p);
        if (!is_missing(input) && p.is_state && p.given && !p.loaded && default_of(&p))
            return true;
    }
    return false;
}

static bool
null_is_nothing(struct json_object *input)
{
    json_object_object_foreach(js(input, "declared"), name, v)
    {
        (void)name;
        if (!v)
            return true;
    }
    return false;
}

static bool
required_for_creating(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)look_up(input, name, &p);
        if (!is_missing(input) && js_true(prop, "required") && !p.given)
            return true;
    }
    return false;
}

static bool
only_properties_differ(struct json_object *input)
{
    struct json_object *calls = js(input, "calls");

    for (size_t i = 0; i < js_count(calls); i++)
        for (size_t k = 0; k < js_count(js_at(calls, i)); k++) {
            struct property p;

            if (!look_up(input, json_object_get_string(js_at(js_at(calls, i), k)), &p) || !p.is_state)
                return true;
        }
    return false;
}

static bool
names_are_no_change(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)prop;
        (void)look_up(input, name, &p);
        if (p.is_name && (p.loaded || is_missing(input)))
            return true;
    }
    return false;
}

static bool
noop_needs_no_code(struct json_object *input)
{
    return js_true(input, "why_run");
}

static bool
told_once(struct json_object *input)
{
    struct json_object *calls = js(input, "calls");
    size_t named = 0;

    json_object_object_foreach(js(input, "props"), name, prop)
    {
        (void)prop;
        named = 0;
        for (size_t i = 0; i < js_count(calls); i++)
            named += !js_count(js_at(calls, i)) || js_has_text(js_at(calls, i), name);
        if (named > 1)
            return true;
    }
    return false;
}

static bool
defaults_are_public(struct json_object *input)
{
    json_object_object_foreach(js(input, "props"), name, prop)
    {
        struct property p;

        (void)prop;
        (void)look_up(input, name, &p);
        if (js_true(input, "sensitive") && is_missing(input) && !p.given && default_of(&p))
            return true;
    }
    return false;
}

static const struct {
    bool (*applies)(struct json_object *input);
    unsigned may;
} causes[] = {
    { defaults_are_for_creating, ALL & ~(unsigned)FAILED },
    { lists_what_is_wanted, CHANGES },
    { unknown_is_no_default, ALL & ~(unsigned)FAILED },
    { null_is_nothing, ALL },
    { required_for_creating, ALL },
    { only_properties_differ, ALL },
    { names_are_no_change, ALL & ~(unsigned)FAILED },
    { noop_needs_no_code, ANSWERS },
    { told_once, CHANGES },
    { defaults_are_public, CHANGES },
};

static struct rule rules[] = {
    { .reason = "a property that nobody asked for keeps its value: `initial` is for creating only" },
    { .reason = "on creation only what is wanted is listed, not each property without a value" },
    { .reason = "what load did not report is unknown, not equal to the default" },
    { .reason = "null is 'not given', or refused where the type has no place for it; never the default" },
    { .reason = "required attributes are required for creating, not for what exists" },
    { .reason = "only properties can be asked for with changed(): anything else is the provider's error" },
    { .reason = "a name is not a property: it is neither compared nor listed as a change" },
    { .reason = "under noop changed() answers no, so that no provider needs code for it" },
    { .reason = "a change is told once for each resource, however many groups name it" },
    { .reason = "a default of a type is no secret of a resource, unless its type says so" },
};

static void
show(const char *who, const struct facts *f)
{
    printf("    %-6s %s%s blocks %s", who, f->failed ? "failed " : "", f->updated ? "updated" : "same",
           json_object_to_json_string_ext(f->blocks, JSON_C_TO_STRING_PLAIN));
    printf(" answers %s", json_object_to_json_string_ext(f->answers, JSON_C_TO_STRING_PLAIN));
    printf(" changes %s\n", json_object_to_json_string_ext(f->changes, JSON_C_TO_STRING_PLAIN));
}

/* Whether each difference from Chef has a reason; counts those that are needed. */
static bool
explain(struct json_object *input, unsigned differs, struct rule *counted, bool *needed)
{
    unsigned left = differs;

    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (differs & causes[i].may && causes[i].applies(input)) {
            left &= ~causes[i].may;
            counted[i].vectors++;
            *needed = true;
        }
    return !left;
}

static bool
matches(struct json_object *vector, const struct facts *due, const char *isolation)
{
    struct facts ours;
    struct run r;
    unsigned differs;

    rhost_did(vector, isolation, &ours, &r);
    differs = facts_compare(due, &ours);
    if (differs) {
        say_failure(js_text(vector, "id"), isolation, "%s", js_text(vector, "title"));
        for (size_t i = 0; i < sizeof fact_names / sizeof fact_names[0]; i++)
            if (differs & 1U << i)
                printf("    other than our rules say: %s\n", fact_names[i]);
        show("rules", due);
        show("rhost", &ours);
        printf("    exit %d, %s\n", r.exit, r.said);
    }
    facts_clear(&ours);
    run_clear(&r);
    return !differs;
}

int
main(int argc, char **argv)
{
    struct json_object *vectors = runs_vectors(argc, argv, "converge.json");
    size_t passed = 0, differing = 0, failed = 0;

    runs_open("converge");
    for (size_t i = 0; i < js_count(vectors); i++) {
        struct json_object *vector = js_at(vectors, i), *input = js(vector, "input");
        struct facts due, chef;
        unsigned differs;
        bool explained, needed = false;

        expect(input, &due);
        facts_of_chef(vector, &chef);
        differs = facts_compare(&due, &chef);
        explained = explain(input, differs, rules, &needed);
        if (!explained) {
            say_failure(js_text(vector, "id"), "rules", "Chef differs for no reason that is known: %s",
                        js_text(vector, "title"));
            show("rules", &due);
            show("chef", &chef);
        }
        explained &= matches(vector, &due, "worker");
        explained &= matches(vector, &due, "none");
        if (!explained)
            failed++;
        else if (needed)
            differing++;
        else
            passed++;
        facts_clear(&due);
        facts_clear(&chef);
    }
    json_object_put(vectors);
    runs_close();
    return say_counts("load and converge", passed, differing, failed, rules, sizeof rules / sizeof rules[0]);
}
