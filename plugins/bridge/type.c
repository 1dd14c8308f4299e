/* SPDX-License-Identifier: Apache-2.0 */
/* type - the file type.yaml: its program, and the types, transports, lookups and facts that the program
 * serves. */

#include "type.h"

#include "schema.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TYPES = 500 };

/* A file that is being read. Its one type is described at its top, or several below `types`. */
struct file {
    struct description *description;
    struct list argv, env, passed;
    const char *version;
    yaml_node_t *program;       /* where it stands */
    struct reading *only, *one; /* the type at the top; the one that is being read below `types` */
    const yaml_node_t *at_top;  /* the first key of a type at the top */
    const struct rhost_provider **providers;
    const struct rhost_transport **transports;
    const struct rhost_lookup **lookups;
    const struct rhost_fact **facts;
    size_t n_providers, n_transports, n_lookups, n_facts;
};

static int
add_argument(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;
    const char *s = tree_text(tree, value, "program");

    (void)key;
    if (!s)
        return -1;
    if (!*s && !f->argv.n)
        return tree_refuse(tree, at, "the program has no name");
    list_add(&f->argv, keep(s));
    return 0;
}

static int
add_variable(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;
    const char *s = tree_text(tree, value, key);
    struct text both = { 0 };

    if (!s)
        return -1;
    if (!*key || strchr(key, '='))
        return tree_refuse(tree, at, "'%s' is not a valid name of a variable", key);
    text_addf(&both, "%s=%s", key, s);
    list_add(&f->env, keep(both.s));
    text_clear(&both);
    return 0;
}

/* pass_environment: [HOME, https_proxy]: the host's own value, where it has one. */
static int
add_passed(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;
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
    list_add(&f->passed, keep(both.s));
    text_clear(&both);
    return 0;
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

static int
add_to_type(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;

    return schema_key(tree, f->one, key, at, value);
}

static int
add_type(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;
    const struct served *s;

    if (f->n_providers == MOST_TYPES)
        return tree_refuse(tree, at, "there are more than %d types", MOST_TYPES);
    f->one = schema_new(f->description, keep(key));
    if (tree_each(tree, value, "a type", add_to_type, f) < 0)
        return -1;
    s = schema_finish(tree, at, f->one);
    if (!s)
        return -1;
    f->providers[f->n_providers++] = &s->provider;
    return 0;
}

static int
add_transport(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;
    const struct route *route;

    if (f->n_transports == MOST_TYPES)
        return tree_refuse(tree, at, "there are more than %d transports", MOST_TYPES);
    route = schema_transport(tree, f->description, key, at, value);
    if (!route)
        return -1;
    f->transports[f->n_transports++] = &route->transport;
    return 0;
}

static int
add_lookup(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;

    if (f->n_lookups == MOST_TYPES)
        return tree_refuse(tree, at, "there are more than %d lookups", MOST_TYPES);
    f->lookups[f->n_lookups] = source_lookup(tree, f->description, key, at, value);
    return f->lookups[f->n_lookups] ? (f->n_lookups++, 0) : -1;
}

static int
add_fact(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    struct file *f = data;

    if (f->n_facts == MOST_TYPES)
        return tree_refuse(tree, at, "there are more than %d facts", MOST_TYPES);
    f->facts[f->n_facts] = source_fact(tree, f->description, key, at, value);
    return f->facts[f->n_facts] ? (f->n_facts++, 0) : -1;
}

enum key {
    ENVIRONMENT,
    FACTS,
    LOOKUPS,
    PASS_ENVIRONMENT,
    PROGRAM,
    TIMEOUT,
    TRANSPORTS,
    TYPE,
    TYPES,
    VERSION,
    N_KEYS,
};

static int
add_key(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = {
        [ENVIRONMENT] = "environment",
        [FACTS] = "facts",
        [LOOKUPS] = "lookups",
        [PASS_ENVIRONMENT] = "pass_environment",
        [PROGRAM] = "program",
        [TIMEOUT] = "timeout",
        [TRANSPORTS] = "transports",
        [TYPE] = "type",
        [TYPES] = "types",
        [VERSION] = "version",
    };
    const char *all[N_KEYS + 20] = { NULL };
    struct file *f = data;
    int which;

    for (size_t i = 0; i < N_KEYS; i++)
        all[i] = keys[i];
    for (size_t i = 0; schema_keys[i] && N_KEYS + i + 1 < sizeof all / sizeof all[0]; i++)
        all[N_KEYS + i] = schema_keys[i];
    which = find_key(tree, at, key, all, "a type");
    if (!f->at_top && (which == TYPE || which >= N_KEYS))
        f->at_top = at;
    switch (which) {
    case -1:
        return -1;
    case ENVIRONMENT:
        return tree_each(tree, value, "'environment'", add_variable, f);
    case FACTS:
        return tree_each(tree, value, "'facts'", add_fact, f);
    case LOOKUPS:
        return tree_each(tree, value, "'lookups'", add_lookup, f);
    case PASS_ENVIRONMENT:
        return tree_items(tree, value, "'pass_environment'", add_passed, f);
    case PROGRAM:
        f->program = value;
        return tree_items(tree, value, "'program'", add_argument, f);
    case TIMEOUT:
        return read_timeout(tree, value, &f->description->timeout);
    case TRANSPORTS:
        return tree_each(tree, value, "'transports'", add_transport, f);
    case TYPE:
        return read_text(tree, value, key, &schema_served(f->only)->provider.type);
    case TYPES:
        f->description->several = true;
        return tree_each(tree, value, "'types'", add_type, f);
    case VERSION:
        return read_text(tree, value, key, &f->version);
    default:
        return schema_key(tree, f->only, key, at, value);
    }
}

static int
check_whole(struct tree *tree, struct file *f)
{
    const struct served *s;

    if (f->description->several && f->at_top)
        return tree_refuse(tree, f->at_top,
                           "a file with 'types' describes each type there, and not at its top");
    if (!f->description->several && (f->at_top || !f->n_lookups + !f->n_facts == 2)) {
        s = schema_finish(tree, tree_root(tree), f->only);
        if (!s)
            return -1;
        f->providers[f->n_providers++] = &s->provider;
    }
    if (!f->n_providers && f->description->several)
        return tree_refuse(tree, tree_root(tree), "'types' is empty");
    if (!f->program)
        return tree_refuse(tree, tree_root(tree), "missing 'program'");
    if (!f->argv.n)
        return tree_refuse(tree, f->program, "the program has no name");
    return 0;
}

static void
finish(struct file *f)
{
    struct description *d = f->description;

    for (size_t i = 0; i < f->env.n; i++) /* what stands in the file wins */
        list_add(&f->passed, f->env.at[i]);
    d->argv = f->argv.at;
    d->env = f->passed.at;
    d->shared = d->several || f->n_transports;
    d->plugin = (struct rhost_plugin){
        .struct_size = sizeof d->plugin,
        .name = f->n_providers ? f->providers[0]->name : strrchr(d->folder, '/') + 1,
        .version = f->version ? f->version : "0",
        .providers = f->providers,
        .transports = f->transports,
        .lookups = f->lookups,
        .facts = f->facts,
        .flags = d->shared ? RHOST_ONE_WORKER : 0,
    };
}

int
type_read(struct description *description, const char *text, size_t n, struct text *why)
{
    struct file f = { .description = description };
    struct tree tree;
    int rc = -1;

    f.only = schema_new(description, NULL);
    f.providers = keep_room((MOST_TYPES + 1) * sizeof *f.providers);
    f.transports = keep_room((MOST_TYPES + 1) * sizeof *f.transports);
    f.lookups = keep_room((MOST_TYPES + 1) * sizeof *f.lookups);
    f.facts = keep_room((MOST_TYPES + 1) * sizeof *f.facts);
    if (tree_open(&tree, text, n) == 0 && tree_each(&tree, tree_root(&tree), "a type", add_key, &f) == 0
        && check_whole(&tree, &f) == 0) {
        finish(&f);
        rc = 0;
    } else {
        text_adds(why, tree.why.s);
    }
    tree_close(&tree);
    return rc;
}
