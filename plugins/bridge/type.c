/* SPDX-License-Identifier: Apache-2.0 */
/* type - the file type.yaml, made into the descriptor that a shared object would have.
 *
 * Only its form is looked at here. Whether data types can be read, defaults fit and so on is for the
 * host to find out, as with any plugin. */

#include "type.h"

#include "text.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, MOST = 1000 };

enum feature {
    BATCH,
    CANONICALIZE,
    CUSTOM_INSYNC,
    FORGETS_WORLD,
    GET_DESIRED,
    LOOSE_EQUALITY,
    READ_BACK,
    SIMPLE_GET_FILTER,
    SUITS,
    SUPPORTS_NOOP,
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
    [GET_DESIRED] = { "get_desired", 0 },
    [LOOSE_EQUALITY] = { "loose_equality", 0 },
    [READ_BACK] = { "read_back", RHOST_READ_BACK },
    [SIMPLE_GET_FILTER] = { "simple_get_filter", RHOST_SIMPLE_GET_FILTER },
    [SUITS] = { "suits", 0 },
    [SUPPORTS_NOOP] = { "supports_noop", RHOST_SUPPORTS_NOOP },
}, behaviours[] = {
    { "init_only", RHOST_INIT_ONLY },
    { "namevar", RHOST_NAMEVAR },
    { "parameter", RHOST_PARAMETER },
    { "read_only", RHOST_READ_ONLY },
    { "unordered", RHOST_UNORDERED },
};

enum { N_BEHAVIOURS = sizeof behaviours / sizeof behaviours[0] };

/* A list of texts that grows; NULL-terminated. */
struct list {
    const char **at;
    size_t n, room;
};

struct reading {
    struct served *served;
    struct rhost_attr *attrs;
    struct rhost_action *actions;
    struct list argv, env, passed, patterns, relations;
    const char *relation; /* that is being read: "autorequire file" */
    const char *version;
    yaml_node_t *program; /* where it stands */
    bool has_features[N_FEATURES];
};

/* Memory that stays until the process ends, as a shared object's would; it is in a chain, so that
 * nobody who looks for leaks takes it for one. */
struct kept {
    struct kept *before;
    void *words[]; /* aligned for what is kept */
};

static void *
keep_room(size_t n)
{
    static struct kept *last;
    struct kept *k = need(sizeof *k + n);

    k->before = last;
    last = k;
    return k->words;
}

static const char *
keep(const char *text)
{
    return text ? memcpy(keep_room(strlen(text) + 1), text, strlen(text)) : NULL;
}

static void
list_add(struct list *l, const char *text)
{
    if (l->n + 1 >= l->room) {
        const char **more = keep_room((l->room = 2 * l->room + 8) * sizeof *more);

        if (l->n)
            memcpy(more, l->at, l->n * sizeof *more);
        l->at = more;
    }
    l->at[l->n++] = text;
}

/* One of a few keys, by its number; -1 after complaining. */
static int
find_key(struct tree *tree, const yaml_node_t *at, const char *key, const char *const *keys, const char *of)
{
    struct near near = { .wanted = key };
    struct text more = { 0 };

    for (int i = 0; keys[i]; i++) {
        if (strcmp(keys[i], key) == 0)
            return i;
        near_try(&near, keys[i]);
    }
    text_addf(&more, "'%.*s' is not a key of %s", 100, key, of);
    near_add(&near, &more);
    (void)tree_refuse(tree, at, "%s", more.s);
    text_clear(&more);
    return -1;
}

static int
read_text(struct tree *tree, const yaml_node_t *node, const char *what, const char **text)
{
    *text = keep(tree_text(tree, node, what));
    return *text ? 0 : -1;
}

static int
read_json(struct tree *tree, const yaml_node_t *node, const char **text)
{
    struct text json = { 0 };
    int rc = tree_json(tree, node, &json);

    *text = rc == 0 ? keep(json.s) : NULL;
    text_clear(&json);
    return rc;
}

static int
add_argument(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    const char *s = tree_text(tree, value, "program");

    (void)key;
    if (!s)
        return -1;
    if (!*s && !r->argv.n)
        return tree_refuse(tree, at, "the program has no name");
    list_add(&r->argv, keep(s));
    return 0;
}

static int
add_variable(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    const char *s = tree_text(tree, value, key);
    struct text both = { 0 };

    if (!s)
        return -1;
    if (!*key || strchr(key, '='))
        return tree_refuse(tree, at, "'%s' is not a valid name of a variable", key);
    text_addf(&both, "%s=%s", key, s);
    list_add(&r->env, keep(both.s));
    text_clear(&both);
    return 0;
}

/* pass_environment: [HOME, https_proxy]: the host's own value, where it has one. */
static int
add_passed(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    const char *s = tree_text(tree, value, "pass_environment"), *now;
    struct text both = { 0 };

    (void)key;
    if (!s)
        return -1;
    if (!*s || strchr(s, '='))
        return tree_refuse(tree, at, "'%s' is not a valid name of a variable", s);
    now = getenv(s);
    if (!now)
        return 0;
    text_addf(&both, "%s=%s", s, now);
    list_add(&r->passed, keep(both.s));
    text_clear(&both);
    return 0;
}

static int
add_feature(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    const char *names[N_FEATURES + 1] = { NULL }, *s = tree_text(tree, value, "features");
    struct reading *r = data;
    int i;

    (void)key;
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
add_to_attribute(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = { "behaviour", "behavior", "default", "desc", "initial", "type", NULL };
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
    default:
        return -1;
    }
}

static int
add_attribute(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    struct rhost_provider *p = &r->served->provider;
    struct rhost_attr *attr;

    if (p->n_attrs >= MOST)
        return tree_refuse(tree, at, "there are more than %d attributes", MOST);
    attr = &r->attrs[p->n_attrs++];
    attr->name = keep(key);
    if (tree_each(tree, value, "an attribute", add_to_attribute, attr) < 0)
        return -1;
    return attr->type ? 0 : tree_refuse(tree, at, "the attribute '%s' has no 'type'", key);
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
add_target(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct reading *r = data;
    const char *s = tree_text(tree, value, r->relation);
    struct text whole = { 0 };

    (void)key;
    (void)at;
    if (!s)
        return -1;
    text_addf(&whole, "%s[%s]", r->relation, s);
    list_add(&r->relations, keep(whole.s));
    text_clear(&whole);
    return 0;
}

/* autorequire: {file: [$path, /etc]} */
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
    rc = tree_items(tree, value, "the titles", add_target, r);
    r->relation = kind;
    text_clear(&both);
    return rc;
}

static int
read_timeout(struct tree *tree, const yaml_node_t *node, uint32_t *milliseconds)
{
    const char *s = tree_text(tree, node, "timeout");
    char *end;
    long n;

    if (!s)
        return -1;
    n = strtol(s, &end, 10);
    if (*end || end == s || n < 1 || n > 86400)
        return tree_refuse(tree, node, "'timeout' is a number of seconds, from 1 to 86400");
    *milliseconds = (uint32_t)n * 1000;
    return 0;
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
    ENVIRONMENT,
    FEATURES,
    PASS_ENVIRONMENT,
    PROGRAM,
    PROVIDER,
    REFRESH_ACTION,
    TIMEOUT,
    TITLE_PATTERNS,
    TYPE,
    VERSION,
};

static int
add_key(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = {
        [ACTIONS] = "actions",
        [ATTRIBUTES] = "attributes",
        [AUTOBEFORE] = "autobefore",
        [AUTONOTIFY] = "autonotify",
        [AUTOREQUIRE] = "autorequire",
        [AUTOSUBSCRIBE] = "autosubscribe",
        [DEFAULT_ACTION] = "default_action",
        [DESC] = "desc",
        [ENVIRONMENT] = "environment",
        [FEATURES] = "features",
        [PASS_ENVIRONMENT] = "pass_environment",
        [PROGRAM] = "program",
        [PROVIDER] = "provider",
        [REFRESH_ACTION] = "refresh_action",
        [TIMEOUT] = "timeout",
        [TITLE_PATTERNS] = "title_patterns",
        [TYPE] = "type",
        [VERSION] = "version",
        NULL,
    };
    struct reading *r = data;
    struct rhost_provider *p = &r->served->provider;
    int which = find_key(tree, at, key, keys, "a type");

    switch (which) {
    case ACTIONS:
        return tree_each(tree, value, "'actions'", add_action, r);
    case ATTRIBUTES:
        return tree_each(tree, value, "'attributes'", add_attribute, r);
    case AUTOBEFORE:
    case AUTONOTIFY:
    case AUTOREQUIRE:
    case AUTOSUBSCRIBE:
        r->relation = keys[which];
        return tree_each(tree, value, key, add_relation, r);
    case DEFAULT_ACTION:
        return read_text(tree, value, key, &p->default_action);
    case DESC:
        return read_text(tree, value, key, &p->desc);
    case ENVIRONMENT:
        return tree_each(tree, value, "'environment'", add_variable, r);
    case FEATURES:
        return tree_items(tree, value, "'features'", add_feature, r);
    case PASS_ENVIRONMENT:
        return tree_items(tree, value, "'pass_environment'", add_passed, r);
    case PROGRAM:
        r->program = value;
        return tree_items(tree, value, "'program'", add_argument, r);
    case PROVIDER:
        return read_text(tree, value, key, &p->name);
    case REFRESH_ACTION:
        return read_text(tree, value, key, &p->refresh_action);
    case TIMEOUT:
        return read_timeout(tree, value, &r->served->timeout);
    case TITLE_PATTERNS:
        return tree_items(tree, value, "'title_patterns'", add_pattern, r);
    case TYPE:
        return read_text(tree, value, key, &p->type);
    case VERSION:
        return read_text(tree, value, key, &r->version);
    default:
        return -1;
    }
}

static int
check_whole(struct tree *tree, const struct reading *r)
{
    const struct rhost_provider *p = &r->served->provider;
    const char *missing = !p->type      ? "type"
                          : !p->desc    ? "desc"
                          : !r->program ? "program"
                          : !p->n_attrs ? "attributes"
                                        : NULL;

    if (missing)
        return tree_refuse(tree, tree_root(tree), "there is no '%s'", missing);
    if (!r->argv.n)
        return tree_refuse(tree, r->program, "the program has no name");
    return 0;
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
    p->suits = r->has_features[SUITS] ? all->suits : NULL;
    for (size_t i = 0; i < p->n_actions; i++)
        if (!r->actions[i].overlay)
            p->act = all->act;
}

static void
finish(struct reading *r)
{
    struct served *s = r->served;
    struct rhost_provider *p = &s->provider;

    p->struct_size = sizeof *p;
    p->attr_stride = sizeof *p->attrs;
    p->attrs = r->attrs;
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
    s->argv = r->argv.at;
    for (size_t i = 0; i < r->env.n; i++) /* what stands in the file wins */
        list_add(&r->passed, r->env.at[i]);
    s->env = r->passed.at;
    s->list[0] = p;
    s->plugin = (struct rhost_plugin){
        .struct_size = sizeof s->plugin,
        .name = p->name,
        .version = r->version ? r->version : "0",
        .providers = s->list,
    };
}

/* What is named by a path, from the folder on, is to be ours as the file is; the rest is looked up. */
static int
find_program(const struct rhost_bridge_host *host, struct served *s)
{
    struct text why = { 0 };
    int rc = 0;

    s->program = NULL;
    for (size_t i = 0; rc == 0 && s->argv[i]; i++) {
        const char *arg = s->argv[i];
        bool beside = strncmp(arg, "./", 2) == 0;

        if (i == 0 && arg[0] != '/' && strchr(arg, '/') && !beside) {
            text_addf(&why, "its program '%s' is neither a name, nor a path that begins with / or ./", arg);
            host->refuse(host, 0, why.s);
            rc = -1;
        }
        if (beside) {
            struct text path = { 0 };

            text_addf(&path, "%s%s", s->folder, arg + 1);
            s->argv[i] = keep(path.s);
            if (!s->program)
                s->program = s->argv[i];
            text_clear(&path);
        }
        if (rc == 0 && (beside || (i == 0 && arg[0] == '/')))
            rc = host->check_file(host, s->argv[i]);
    }
    if (rc == 0 && strchr(s->argv[0], '/') && access(s->argv[0], X_OK) < 0) {
        text_addf(&why, "its program '%s' cannot be executed: %s", s->argv[0], strerror(errno));
        host->refuse(host, 1, why.s);
        rc = -1;
    }
    if (!s->program)
        s->program = s->argv[0];
    text_clear(&why);
    return rc;
}

static char *
read_file(const struct rhost_bridge_host *host, const char *path, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct text why = { 0 }, all = { 0 };
    char chunk[8192], *copy = NULL;
    ssize_t got = fd < 0 ? -1 : 0;

    while (fd >= 0 && all.n <= LARGEST && (got = read(fd, chunk, sizeof chunk)) > 0)
        text_add(&all, chunk, (size_t)got);
    if (got < 0 || all.n > LARGEST) {
        text_addf(&why, "it cannot be read: %s", got < 0 ? strerror(errno) : "it is larger than 1 MiB");
        host->refuse(host, 1, why.s);
    } else {
        copy = need_text(all.n ? all.s : "", all.n);
        *n = all.n;
    }
    if (fd >= 0)
        (void)close(fd);
    text_clear(&why);
    text_clear(&all);
    return copy;
}

const struct rhost_plugin *
type_open(const struct rhost_bridge_host *host, const char *path)
{
    struct reading r = { .served = keep_room(sizeof *r.served) };
    size_t n = 0;
    char *text = read_file(host, path, &n), *folder;
    struct tree tree;
    bool good;

    if (!text)
        return NULL;
    folder = need_text(path, (size_t)(strrchr(path, '/') - path));
    r.served->folder = keep(folder);
    free(folder);
    r.attrs = keep_room(MOST * sizeof *r.attrs);
    r.actions = keep_room(MOST * sizeof *r.actions);
    good = tree_open(&tree, text, n) == 0 && tree_each(&tree, tree_root(&tree), "a type", add_key, &r) == 0
           && check_whole(&tree, &r) == 0;
    if (!good)
        host->refuse(host, 0, tree.why.s);
    tree_close(&tree);
    free(text);
    if (!good)
        return NULL;
    finish(&r);
    return find_program(host, r.served) < 0 ? NULL : &r.served->plugin;
}
