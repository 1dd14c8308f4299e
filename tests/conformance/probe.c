/* SPDX-License-Identifier: Apache-2.0 */
/* probe - a type that is what a vector of converge.json says: its attributes, what load finds, and
 * the groups that converge asks for.
 *
 * RHOST_PROBE names a file with the vector's input; RHOST_PROBE_LOG one that gets a line of JSON for
 * each answer of changed(), and for each block of work with the values that would be in force in it.
 * The description is made once for each process: a fixture may, a plugin has it in its text. */
#include <rhost/provider.h>

#include <json.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 32, LONGEST = 256 };

static struct json_object *input;

static struct json_object *
get(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    if (json_object_is_type(o, json_type_object))
        json_object_object_get_ex(o, key, &v);
    return v;
}

static int
is_true(struct json_object *o, const char *key)
{
    return json_object_get_boolean(get(o, key));
}

static void
tell(struct json_object *line)
{
    const char *path = getenv("RHOST_PROBE_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;

    if (f) {
        fprintf(f, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
        fclose(f);
    }
    json_object_put(line);
}

/* Values, there and back. */

static void put(rhost_value *in, const char *key, struct json_object *v);

static void
put_parts(rhost_value *in, struct json_object *v)
{
    if (json_object_is_type(v, json_type_object)) {
        json_object_object_foreach(v, key, part) put(in, key, part);
        return;
    }
    for (size_t i = 0; i < json_object_array_length(v); i++)
        put(in, NULL, json_object_array_get_idx(v, i));
}

static void
put(rhost_value *in, const char *key, struct json_object *v)
{
    switch (json_object_get_type(v)) {
    case json_type_boolean:
        rhost_put_bool(in, key, json_object_get_boolean(v));
        return;
    case json_type_int:
        rhost_put_int(in, key, json_object_get_int64(v));
        return;
    case json_type_double:
        in->host->put_real(in, key, json_object_get_double(v));
        return;
    case json_type_string:
        rhost_put_str(in, key, json_object_get_string(v));
        return;
    case json_type_object:
        put_parts(in->host->put_hash(in, key), v);
        return;
    case json_type_array:
        put_parts(in->host->put_array(in, key), v);
        return;
    default:
        in->host->put_undef(in, key);
    }
}

static struct json_object *
to_json(const rhost_value *v)
{
    struct json_object *o;

    switch (v ? v->host->kind(v) : RHOST_UNDEF) {
    case RHOST_BOOLEAN:
        return json_object_new_boolean(v->host->boolean(v, 0));
    case RHOST_INTEGER:
        return json_object_new_int64(v->host->integer(v, 0));
    case RHOST_FLOAT:
        return json_object_new_double(v->host->real(v, 0));
    case RHOST_STRING:
        return json_object_new_string(v->host->string(v, NULL));
    case RHOST_ARRAY:
        o = json_object_new_array();
        for (size_t i = 0; i < rhost_count(v); i++)
            json_object_array_add(o, to_json(rhost_at(v, i, NULL)));
        return o;
    case RHOST_HASH:
        o = json_object_new_object();
        for (size_t i = 0; i < rhost_count(v); i++) {
            const char *key;
            const rhost_value *part = rhost_at(v, i, &key);

            json_object_object_add(o, key, to_json(part));
        }
        return o;
    default:
        return NULL;
    }
}

/* The one way of coercing that the vectors know: the mode of a file, as a number or a text. */
static struct json_object *
coerce(struct json_object *prop, struct json_object *v)
{
    const char *how = json_object_get_string(get(prop, "coerce"));
    char text[32];

    if (how && strcmp(how, "octal") == 0 && json_object_is_type(v, json_type_int)) {
        snprintf(text, sizeof text, "%04o", (unsigned)json_object_get_int64(v));
        return json_object_new_string(text);
    }
    return json_object_get(v);
}

/* Callbacks. */

static int32_t
probe_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    (void)ctx;
    json_object_object_foreach(get(input, "props"), name, prop)
    {
        const rhost_value *now = rhost_get(resource, name);
        struct json_object *before = to_json(now);
        struct json_object *after = coerce(prop, before);

        if (after != before)
            put(resource, name, after);
        json_object_put(before);
        json_object_put(after);
    }
    return 0;
}

static int32_t
probe_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    struct json_object *found = get(input, "current");
    const char *word = json_object_is_type(found, json_type_string) ? json_object_get_string(found) : "";

    (void)ctx;
    (void)name;
    if (!found)
        return RHOST_ABSENT;
    json_object_object_foreach(get(input, "props"), key, prop)
    {
        struct json_object *v = get(found, key);

        if (get(prop, "desired_state") && !is_true(prop, "desired_state"))
            continue;
        if (strcmp(word, "echo_new") == 0)
            rhost_put_copy(current, key, rhost_get(should, key));
        else if (json_object_object_get_ex(found, key, NULL)) {
            v = coerce(prop, v);
            put(current, key, v);
            json_object_put(v);
        }
    }
    return 0;
}

/* One group: asks, and does the work of its block, which is to say that it ran. */
static int
do_group(rhost_ctx *ctx, const struct rhost_change *change, size_t i, struct json_object *names)
{
    struct json_object *line = json_object_new_object(), *values;
    const char *attributes[MOST];
    size_t n = 0;
    int32_t answer;

    for (; n < MOST && n < json_object_array_length(names); n++)
        attributes[n] = json_object_get_string(json_object_array_get_idx(names, n));
    answer = ctx->host->changed(ctx, change, attributes, n);
    if (answer) {
        values = json_object_new_object();
        json_object_object_foreach(get(input, "props"), key, prop)
        {
            (void)prop;
            json_object_object_add(values, key, to_json(rhost_value_of(change, key)));
        }
        json_object_object_add(line, "block", json_object_new_int64((int64_t)i));
        json_object_object_add(line, "values", values);
        tell(line);
        if (is_true(get(input, "opts"), "raise_in_block"))
            return rhost_fail(ctx, "boom");
        line = json_object_new_object();
    }
    json_object_object_add(line, "group", json_object_new_int64((int64_t)i));
    json_object_object_add(line, "answer", json_object_new_boolean(answer));
    tell(line);
    return 0;
}

static int32_t
probe_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct json_object *calls = get(input, "calls"), *all = json_object_new_array();
    int rc = 0;

    if (!json_object_is_type(calls, json_type_array))
        rc = do_group(ctx, change, 0, all);
    else
        for (size_t i = 0; rc == 0 && i < json_object_array_length(calls); i++)
            rc = do_group(ctx, change, i, json_object_array_get_idx(calls, i));
    json_object_put(all);
    return rc;
}

/* The description. */

static const char *
data_type(struct json_object *type)
{
    static const char *const names[][2] = {
        { "NilClass", "Undef" },     { "nil", "Undef" },      { "TrueClass", "Boolean" },
        { "FalseClass", "Boolean" }, { "true", "Boolean" },   { "false", "Boolean" },
        { "Symbol", "String" },      { "Fixnum", "Integer" }, { "Array", "Array" },
        { "Hash", "Hash" },
    };
    const char *name = json_object_get_string(type);

    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return name ? name : "Any";
}

static void
add_list(char *text, const char *open, struct json_object *list, int quoted)
{
    size_t n = strlen(text);

    n += (size_t)snprintf(text + n, LONGEST - n, "%s[", open);
    for (size_t i = 0; i < json_object_array_length(list) && n < LONGEST; i++) {
        struct json_object *v = json_object_array_get_idx(list, i);

        n += (size_t)snprintf(text + n, LONGEST - n, quoted ? "%s'%s'" : "%s%s", i ? ", " : "",
                              quoted ? json_object_get_string(v) : data_type(v));
    }
    if (n < LONGEST)
        snprintf(text + n, LONGEST - n, "]");
}

static int
has_default(struct json_object *prop)
{
    return json_object_object_get_ex(prop, "default", NULL)
           || json_object_object_get_ex(prop, "lazy_default", NULL);
}

/* What may be left out admits undef, unless a default says what it then is. */
static void
describe_type(struct json_object *prop, char *text)
{
    struct json_object *type = get(prop, "type");
    int name = is_true(prop, "name_property") || is_true(prop, "identity");
    int bare = !type && !get(prop, "equal_to");
    const char *around = is_true(prop, "sensitive") ? "Sensitive" : NULL;
    const char *outer = is_true(prop, "required") && bare                                ? "NotUndef"
                        : is_true(prop, "required") || name || bare || has_default(prop) ? NULL
                                                                                         : "Optional";

    *text = '\0';
    if (outer && bare) {
        snprintf(text, LONGEST, around ? "%s[%s]" : "%s", around ? around : outer, outer);
        return;
    }
    snprintf(text, LONGEST, "%s%s%s%s", outer ? outer : "", outer ? "[" : "", around ? around : "",
             around ? "[" : "");
    if (get(prop, "equal_to"))
        add_list(text, "Enum", get(prop, "equal_to"), 1);
    else if (json_object_is_type(type, json_type_array))
        add_list(text, "Variant", type, 0);
    else
        snprintf(text + strlen(text), LONGEST - strlen(text), "%s", bare && name ? "Any" : data_type(type));
    snprintf(text + strlen(text), LONGEST - strlen(text), "%s%s", around ? "]" : "", outer ? "]" : "");
}

static const char *
describe_initial(struct json_object *prop, char *text)
{
    struct json_object *v = get(prop, "default") ? get(prop, "default") : get(prop, "lazy_default");

    if (!v)
        return NULL;
    v = coerce(prop, v);
    snprintf(text, LONGEST, "%s", json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN));
    json_object_put(v);
    return text;
}

/* `pattern` says which name the title is, where there are several. */
static size_t
describe(struct rhost_attr *attrs, char *pattern)
{
    static char types[MOST][LONGEST], initials[MOST][LONGEST];
    size_t n = 0, names = 0;

    json_object_object_foreach(get(input, "props"), name, prop)
    {
        struct json_object *state = get(prop, "desired_state");

        if (n == MOST - 1)
            break;
        attrs[n] = (struct rhost_attr){ .name = name, .type = types[n], .desc = "Of the vector." };
        describe_type(prop, types[n]);
        if (is_true(prop, "name_property") || is_true(prop, "identity"))
            attrs[n].behaviour = RHOST_NAMEVAR;
        else if (state && !json_object_get_boolean(state))
            attrs[n].behaviour = RHOST_PARAMETER;
        else
            attrs[n].initial = describe_initial(prop, initials[n]);
        if (attrs[n].behaviour == RHOST_NAMEVAR && (!names++ || is_true(prop, "name_property")))
            snprintf(pattern, LONGEST, "\\A(?<%s>.*)\\z", name);
        n++;
    }
    if (names < 2)
        *pattern = '\0';
    if (!names)
        attrs[n++] = (struct rhost_attr){
            .name = "name", .type = "String", .desc = "Its name.", .behaviour = RHOST_NAMEVAR
        };
    return n;
}

RHOST_ENTRY const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    static struct rhost_attr attrs[MOST];
    static char pattern[LONGEST];
    static const char *const patterns[] = { pattern, NULL };
    static struct rhost_provider probe = {
        RHOST_PROVIDER("probe", "What a vector says."),
        .attr_stride = sizeof(struct rhost_attr),
        .attrs = attrs,
        .canonicalize = probe_canonicalize,
        .load = probe_load,
        .converge = probe_converge,
    };
    static const struct rhost_provider *const providers[] = { &probe, NULL };
    static const struct rhost_plugin plugin = {
        .struct_size = sizeof plugin,
        .name = "probe",
        .version = "1.0",
        .providers = providers,
    };
    static const struct rhost_plugin none = {
        .struct_size = sizeof none,
        .name = "probe",
        .version = "1.0",
    };
    const char *path = getenv("RHOST_PROBE");

    if (input || !path)
        return input ? &plugin : &none;
    input = json_object_from_file(path);
    if (!input)
        return &none;
    probe.n_attrs = describe(attrs, pattern);
    if (*pattern)
        probe.title_patterns = patterns;
    if (json_object_is_type(get(input, "current"), json_type_string)
        && strcmp(json_object_get_string(get(input, "current")), "none") == 0)
        probe.load = NULL;
    return &plugin;
}
