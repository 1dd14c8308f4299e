/* SPDX-License-Identifier: Apache-2.0 */
/* schema - a type or a transport as type.yaml describes it, made into the descriptor of a shared object.
 *
 * Only its form is looked at here. Whether data types can be read, defaults fit and so on is for the
 * host to find out, as with any plugin. */

#include "schema.h"

#include <string.h>

enum { MOST = 1000 };

enum feature {
    BATCH,
    CANONICALIZE,
    CUSTOM_INSYNC,
    FORGETS_WORLD,
    GATHERS,
    GET_DESIRED,
    LOOSE_EQUALITY,
    READ_BACK,
    REMOTE_RESOURCE,
    SIMPLE_GET_FILTER,
    SUITS,
    SUPPORTS_NOOP,
    VALIDATE,
    N_FEATURES,
};

static const struct {
    const char *name;
    uint64_t bit;
} features[N_FEATURES] = {
    [BATCH] = { "batch", 0 },
    [CANONICALIZE] = { "canonicalize", 0 },
    [CUSTOM_INSYNC] = { "custom_insync", 0 },
    [FORGETS_WORLD] = { "forgets_world", RHOST_FORGETS_WORLD },
    [GATHERS] = { "gathers", RHOST_GATHERS },
    [GET_DESIRED] = { "get_desired", 0 },
    [LOOSE_EQUALITY] = { "loose_equality", 0 },
    [READ_BACK] = { "read_back", RHOST_READ_BACK },
    [REMOTE_RESOURCE] = { "remote_resource", RHOST_REMOTE_RESOURCE },
    [SIMPLE_GET_FILTER] = { "simple_get_filter", RHOST_SIMPLE_GET_FILTER },
    [SUITS] = { "suits", 0 },
    [SUPPORTS_NOOP] = { "supports_noop", RHOST_SUPPORTS_NOOP },
    [VALIDATE] = { "validate", 0 },
}, behaviours[] = {
    { "init_only", RHOST_INIT_ONLY },
    { "namevar", RHOST_NAMEVAR },
    { "parameter", RHOST_PARAMETER },
    { "read_only", RHOST_READ_ONLY },
    { "unordered", RHOST_UNORDERED },
};

enum { N_BEHAVIOURS = sizeof behaviours / sizeof behaviours[0] };

struct attrs {
    struct rhost_attr *at;
    size_t n;
};

struct reading {
    struct served *served;
    struct attrs attrs;
    struct rhost_action *actions;
    struct list patterns, relations;
    const char *relation; /* that is being read: "autorequire file" */
    bool has_features[N_FEATURES];
};

static int
add_feature(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    const char *names[N_FEATURES + 1] = { NULL }, *s = tree_text(tree, value, "features");
    struct reading *r = data;
    int i;

    (void)key;
    if (s && strcmp(s, "generate") == 0)
        return tree_refuse(
            tree, at,
            "the feature 'generate' needs a newer rhost: this one has no resources that make others");
    for (i = 0; i < N_FEATURES; i++)
        names[i] = features[i].name;
    i = s ? find_key(tree, at, s, names, "'features'") : -1;
    if (i < 0)
        return -1;
    r->has_features[i] = true;
    r->served->provider.features |= features[i].bit;
    return 0;
}

static int
add_behaviour(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    const char *names[N_BEHAVIOURS + 1] = { NULL }, *s = tree_text(tree, value, "behaviour");
    struct rhost_attr *attr = data;
    int i;

    (void)key;
    for (i = 0; i < N_BEHAVIOURS; i++)
        names[i] = behaviours[i].name;
    i = s ? find_key(tree, at, s, names, "'behaviour'") : -1;
    if (i < 0)
        return -1;
    attr->behaviour |= behaviours[i].bit;
    return 0;
}

static int
add_name(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    const char *s = tree_text(tree, value, "formerly");

    (void)key;
    (void)at;
    if (!s)
        return -1;
    list_add(data, keep(s));
    return 0;
}

static int
read_former(struct tree *tree, yaml_node_t *value, struct rhost_attr *attr)
{
    struct list names = { 0 };
    int rc = tree_items(tree, value, "'formerly'", add_name, &names);

    attr->formerly = names.at;
    return rc;
}

static int
add_to_attribute(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = { "behaviour", "behavior",   "default",  "desc", "initial",
                                        "type",      "deprecated", "formerly", NULL };
    struct rhost_attr *attr = data;

    switch (find_key(tree, at, key, keys, "an attribute")) {
    case 0:
    case 1:
        if (attr->behaviour)
            return tree_refuse(tree, at, "the attribute '%s' has both 'behaviour' and 'behavior'",
                               attr->name);
        return tree_items(tree, value, "'behaviour'", add_behaviour, attr);
    case 2:
        return read_json(tree, value, &attr->default_value);
    case 3:
        return read_text(tree, value, key, &attr->desc);
    case 4:
        return read_json(tree, value, &attr->initial);
    case 5:
        return read_text(tree, value, key, &attr->type);
    case 6:
        return read_text(tree, value, key, &attr->deprecated);
    case 7:
        return read_former(tree, value, attr);
    default:
        return -1;
    }
}

static int
add_attribute(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct attrs *attrs = data;
    struct rhost_attr *attr;

    if (attrs->n >= MOST)
        return tree_refuse(tree, at, "there are more than %d attributes", MOST);
    attr = &attrs->at[attrs->n++];
    attr->name = keep(key);
    if (tree_each(tree, value, "an attribute", add_to_attribute, attr) < 0)
        return -1;
    return attr->type ? 0 : tree_refuse(tree, at, "missing 'type' of attribute '%s'", key);
}

static int
add_to_action(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = { "desc", "overlay", NULL };
    struct rhost_action *action = data;

    switch (find_key(tree, at, key, keys, "an action")) {
    case 0:
        return read_text(tree, value, key, &action->desc);
    case 1:
        return read_json(tree, value, &action->overlay);
    default:
        return -1;
    }
}

static int
add_action(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    struct rhost_provider *p = &r->served->provider;
    struct rhost_action *action;

    if (p->n_actions >= MOST)
        return tree_refuse(tree, at, "there are more than %d actions", MOST);
    action = &r->actions[p->n_actions++];
    action->name = keep(key);
    return tree_each(tree, value, "an action", add_to_action, action);
}

static int
add_pattern(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    const char *s = tree_text(tree, value, "title_patterns");

    (void)key;
    (void)at;
    if (s)
        list_add(&r->patterns, keep(s));
    return s ? 0 : -1;
}

static int
add_need(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    const char *s = tree_text(tree, value, "needs");

    (void)key;
    (void)at;
    if (s)
        list_add(data, keep(s));
    return s ? 0 : -1;
}

int
schema_needs(struct tree *tree, yaml_node_t *value, const char *const **needs)
{
    static const char *const nothing[] = { NULL }; /* "needs: []" declares that */
    struct list list = { 0 };

    if (tree_items(tree, value, "'needs'", add_need, &list) < 0)
        return -1;
    *needs = list.at ? list.at : nothing;
    return 0;
}

/* server: $server */
static int
add_namevar(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    const char *s = tree_text(tree, value, key);
    struct text *name = data;

    if (!s)
        return -1;
    if (!*s || strchr(s, ',') || *s == ' ')
        return tree_refuse(tree, at, "'%s' must be '$attribute', or text without ','", key);
    text_addf(name, "%s%s: %s", name->n ? ", " : "", key, s);
    return 0;
}

/* A hash of namevars in place of a title. */
static int
add_named(struct tree *tree, struct reading *r, yaml_node_t *value)
{
    struct text name = { 0 }, whole = { 0 };
    int rc = tree_each(tree, value, r->relation, add_namevar, &name);

    if (rc == 0) {
        text_addf(&whole, "%s[{%s}]", r->relation, name.n ? name.s : "");
        list_add(&r->relations, keep(whole.s));
    }
    text_clear(&name);
    text_clear(&whole);
    return rc;
}

static int
add_target(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    struct text whole = { 0 };
    const char *s;

    (void)key;
    (void)at;
    if (value->type == YAML_MAPPING_NODE)
        return add_named(tree, r, value);
    s = tree_text(tree, value, r->relation);
    if (!s)
        return -1;
    text_addf(&whole, "%s[%s]", r->relation, s);
    list_add(&r->relations, keep(whole.s));
    text_clear(&whole);
    return 0;
}

/* autorequire: {file: [$path, /etc], role: {server: $server, name: $owner}} */
static int
add_relation(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    const char *kind = r->relation;
    struct text both = { 0 };
    int rc;

    (void)at;
    text_addf(&both, "%s %s", kind, key);
    r->relation = both.s;
    rc = value->type == YAML_MAPPING_NODE ? add_named(tree, r, value)
                                          : tree_items(tree, value, "the titles", add_target, r);
    r->relation = kind;
    text_clear(&both);
    return rc;
}

enum key {
    ACTIONS,
    ATTRIBUTES,
    AUTOBEFORE,
    AUTONOTIFY,
    AUTOREQUIRE,
    AUTOSUBSCRIBE,
    DEFAULT_ACTION,
    DESC,
    FEATURES,
    IRREVERSIBLE,
    NEEDS,
    PROVIDER,
    REFRESH_ACTION,
    TITLE_PATTERNS,
};

const char *const schema_keys[] = {
    [ACTIONS] = "actions",
    [ATTRIBUTES] = "attributes",
    [AUTOBEFORE] = "autobefore",
    [AUTONOTIFY] = "autonotify",
    [AUTOREQUIRE] = "autorequire",
    [AUTOSUBSCRIBE] = "autosubscribe",
    [DEFAULT_ACTION] = "default_action",
    [DESC] = "desc",
    [FEATURES] = "features",
    [IRREVERSIBLE] = "irreversible",
    [NEEDS] = "needs",
    [PROVIDER] = "provider",
    [REFRESH_ACTION] = "refresh_action",
    [TITLE_PATTERNS] = "title_patterns",
    NULL,
};

struct reading *
schema_new(const struct description *of, const char *type)
{
    struct reading *r = keep_room(sizeof *r);

    r->served = keep_room(sizeof *r->served);
    r->served->of = of;
    r->served->provider.type = type;
    r->attrs.at = keep_room(MOST * sizeof *r->attrs.at);
    r->actions = keep_room(MOST * sizeof *r->actions);
    return r;
}

struct served *
schema_served(struct reading *r)
{
    return r->served;
}

int
schema_key(struct tree *tree, struct reading *r, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct rhost_provider *p = &r->served->provider;
    int which = find_key(tree, at, key, schema_keys, "a type");

    switch (which) {
    case ACTIONS:
        return tree_each(tree, value, "'actions'", add_action, r);
    case ATTRIBUTES:
        return tree_each(tree, value, "'attributes'", add_attribute, &r->attrs);
    case AUTOBEFORE:
    case AUTONOTIFY:
    case AUTOREQUIRE:
    case AUTOSUBSCRIBE:
        r->relation = schema_keys[which];
        return tree_each(tree, value, key, add_relation, r);
    case DEFAULT_ACTION:
        return read_text(tree, value, key, &p->default_action);
    case DESC:
        return read_text(tree, value, key, &p->desc);
    case FEATURES:
        return tree_items(tree, value, "'features'", add_feature, r);
    case IRREVERSIBLE:
        return read_text(tree, value, key, &p->irreversible);
    case NEEDS:
        return schema_needs(tree, value, &p->needs);
    case PROVIDER:
        return read_text(tree, value, key, &p->name);
    case REFRESH_ACTION:
        return read_text(tree, value, key, &p->refresh_action);
    case TITLE_PATTERNS:
        return tree_items(tree, value, "'title_patterns'", add_pattern, r);
    default:
        return -1;
    }
}

/* The callbacks that the program says it answers to; read and set always. */
static void
take_callbacks(const struct reading *r)
{
    struct rhost_provider *p = &r->served->provider;
    const struct rhost_provider *all = &bridge_callbacks;

    p->open = all->open;
    p->close = all->close;
    p->get = all->get;
    p->set = all->set;
    p->canonicalize = r->has_features[CANONICALIZE] ? all->canonicalize : NULL;
    p->insync = r->has_features[CUSTOM_INSYNC] || r->has_features[LOOSE_EQUALITY] ? all->insync : NULL;
    p->validate = r->has_features[VALIDATE] ? all->validate : NULL;
    p->suits = r->has_features[SUITS] ? all->suits : NULL;
    for (size_t i = 0; i < p->n_actions; i++)
        if (!r->actions[i].overlay)
            p->act = all->act;
}

const struct served *
schema_finish(struct tree *tree, const yaml_node_t *at, struct reading *r)
{
    struct served *s = r->served;
    struct rhost_provider *p = &s->provider;
    const char *missing = !p->type ? "type" : !p->desc ? "desc" : !r->attrs.n ? "attributes" : NULL;

    if (missing) {
        (void)tree_refuse(tree, at, "missing '%s'", missing);
        return NULL;
    }
    p->struct_size = sizeof *p;
    p->attr_stride = sizeof *p->attrs;
    p->attrs = r->attrs.at;
    p->n_attrs = r->attrs.n;
    p->action_stride = sizeof *p->actions;
    p->actions = r->actions;
    p->title_patterns = r->patterns.at;
    p->relations = r->relations.at;
    if (!p->name)
        p->name = p->type;
    take_callbacks(r);
    s->batch = r->has_features[BATCH];
    s->custom_insync = r->has_features[CUSTOM_INSYNC];
    s->get_desired = r->has_features[GET_DESIRED];
    s->loose_equality = r->has_features[LOOSE_EQUALITY];
    return s;
}

int
schema_attributes(struct tree *tree, yaml_node_t *value, const char *what, const struct rhost_attr **attrs,
                  size_t *n)
{
    struct attrs all = { .at = keep_room(MOST * sizeof *all.at) };
    int rc = tree_each(tree, value, what, add_attribute, &all);

    *attrs = all.at;
    *n = all.n;
    return rc;
}

/* transports: {nimbus: {desc: ..., attributes: {...}, features: [verify, facts]}} */
struct way {
    struct route *route;
    struct attrs attrs;
    bool verify, facts;
};

static int
add_ability(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const names[] = { "facts", "verify", NULL };
    const char *s = tree_text(tree, value, "features");
    struct way *w = data;
    int i = s ? find_key(tree, at, s, names, "'features' of a transport") : -1;

    (void)key;
    w->facts |= i == 0;
    w->verify |= i == 1;
    return i < 0 ? -1 : 0;
}

static int
add_to_transport(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = { "attributes", "desc", "features", "needs", NULL };
    struct way *w = data;

    switch (find_key(tree, at, key, keys, "a transport")) {
    case 0:
        return tree_each(tree, value, "'attributes'", add_attribute, &w->attrs);
    case 1:
        return read_text(tree, value, key, &w->route->transport.desc);
    case 2:
        return tree_items(tree, value, "'features'", add_ability, w);
    case 3:
        return schema_needs(tree, value, &w->route->transport.needs);
    default:
        return -1;
    }
}

const struct route *
schema_transport(struct tree *tree, const struct description *of, const char *name, const yaml_node_t *at,
                 yaml_node_t *value)
{
    struct way w = { .route = keep_room(sizeof *w.route), .attrs.at = keep_room(MOST * sizeof *w.attrs.at) };
    struct rhost_transport *t = &w.route->transport;

    *t = bridge_transport;
    t->name = keep(name);
    w.route->of = of;
    if (tree_each(tree, value, "a transport", add_to_transport, &w) < 0)
        return NULL;
    if (!t->desc) {
        (void)tree_refuse(tree, at, "missing 'desc' of transport '%s'", name);
        return NULL;
    }
    t->attr_stride = sizeof *t->attrs;
    t->attrs = w.attrs.at;
    t->n_attrs = w.attrs.n;
    if (!w.verify)
        t->verify = NULL;
    if (!w.facts)
        t->facts = NULL;
    return w.route;
}
