/* SPDX-License-Identifier: Apache-2.0 */
/* complete-session - what manifests, plugins and this machine know: types, attributes, resources, tags,
 * paths. Sessions are passive here: no plugin and no program of facts is started. */
#include "config.h"

#include "cli/complete.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/meta.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cli/target.h"
#include "facts/facts.h"
#include "node/node.h"
#include "plugin/registry.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
is_file(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* A session with the manifests of the command line; without any, with site.yaml in this directory. */
static void
open_manifests(struct rh_completion *c, struct rh_session *s)
{
    const char **files = rh_arena_alloc(c->arena, (c->n_operands + 1) * sizeof *files);
    size_t n = 0;

    for (size_t i = 0; i < c->n_operands; i++)
        if (is_file(c->operands[i]))
            files[n++] = c->operands[i];
    if (!n && is_file("site.yaml"))
        files[n++] = "site.yaml";
    rh_session_open(s, c->settings);
    if (n)
        rh_discard(rh_session_read(s, files, n));
}

static void
close_session(struct rh_session *s)
{
    rh_complaints_clear(&s->complaints);
    rh_session_close(s);
}

/* Types. */

static void
offer_type(void *data, const struct rh_type *t)
{
    rh_completion_offer(data, t->type, t->desc);
}

void
rh_complete_types(struct rh_completion *c)
{
    struct rh_session s;

    rh_session_open(&s, c->settings);
    rh_registry_each(s.registry, offer_type, c);
    close_session(&s);
}

void
rh_complete_providers(struct rh_completion *c, const char *type)
{
    struct rh_session s;

    rh_session_open(&s, c->settings);
    for (const struct rh_type *t = NULL; (t = rh_registry_next(s.registry, type, t));)
        rh_completion_offer(c, t->provider, t->desc);
    close_session(&s);
}

/* The words of "Optional[Enum['present', absent]]", and true and false of a Boolean. */
static void
offer_values(struct rh_completion *c, const struct rh_attr *attr)
{
    const char *at = attr->type_text ? strstr(attr->type_text, "Enum[") : NULL;

    if (attr->type_text && strstr(attr->type_text, "Boolean"))
        rh_completion_offer_list(c, "true, false");
    for (at = at ? at + 5 : ""; *at && *at != ']'; at += strspn(at, "'\", ")) {
        size_t n;

        at += strspn(at, "'\", ");
        n = strcspn(at, "'\",]");
        if (n)
            rh_completion_offer(c, rh_arena_strndup(c->arena, at, n), NULL);
        at += n;
    }
}

void
rh_complete_attributes(struct rh_completion *c, const char *type)
{
    rh_autoerror struct rh_error err = { 0 };
    const char *equals = strchr(c->word, '=');
    struct rh_session s;
    const struct rh_type *t;

    rh_session_open(&s, c->settings);
    t = rh_registry_find(s.registry, type, c->settings->provider, &err);
    for (size_t i = 0; t && i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];
        size_t n = strlen(attr->name);

        if (attr->behaviour & RH_READ_ONLY)
            continue;
        if (!equals) {
            rh_completion_offer(c, rh_arena_printf(c->arena, "%s=", attr->name), attr->desc);
        } else if ((size_t)(equals - c->word) == n && strncmp(c->word, attr->name, n) == 0) {
            c->lead = rh_arena_printf(c->arena, "%s%s=", c->lead, attr->name);
            c->word = equals + 1;
            offer_values(c, attr);
            break;
        }
    }
    close_session(&s);
}

/* Resources. */

void
rh_complete_titles(struct rh_completion *c, const char *type)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_session s;
    const struct rh_type *t;

    rh_complete_known_resources(c, type, true);
    rh_session_open(&s, c->settings);
    t = rh_registry_find(s.registry, type, NULL, &err);
    if (t && t->n_namevars == 1 && strcmp(t->namevars[0]->name, "path") == 0)
        c->files = true;
    if (is_file("site.yaml"))
        rh_discard(rh_session_read(&s, (const char *const[]){ "site.yaml" }, 1));
    for (size_t i = 0; i < s.catalog.n_resources; i++)
        if (strcmp(s.catalog.resources[i]->type->type, type) == 0)
            rh_completion_offer(c, s.catalog.resources[i]->title, NULL);
    close_session(&s);
}

/* Of the manifests; of earlier runs where the command has none. */
void
rh_complete_resources(struct rh_completion *c)
{
    struct rh_session s;

    if (!strstr(c->command->arguments, "FILE"))
        rh_complete_known_resources(c, NULL, false);
    open_manifests(c, &s);
    for (size_t i = 0; i < s.catalog.n_resources; i++) {
        const struct rh_resource *r = s.catalog.resources[i];
        rh_autofree char *place = rh_place_text(&s.sources, r->place, false);

        rh_completion_offer(c, rh_arena_printf(c->arena, "%s[%s]", r->type->type, r->title), place);
    }
    close_session(&s);
}

static void
offer_tag(void *data, const char *tag)
{
    rh_completion_offer(data, tag, NULL);
}

/* The last one of a list. */
void
rh_complete_tags(struct rh_completion *c)
{
    const char *comma = strrchr(c->word, ',');
    struct rh_session s;

    if (comma) {
        c->lead = rh_arena_printf(c->arena, "%s%.*s", c->lead, (int)(comma + 1 - c->word), c->word);
        c->word = comma + 1;
    }
    open_manifests(c, &s);
    for (size_t i = 0; i < s.catalog.n_resources; i++)
        rh_resource_each_tag(s.catalog.resources[i], offer_tag, c);
    close_session(&s);
}

/* Paths: one step at a time. */

/* As it can be written without quotes. */
static bool
is_key(const char *key)
{
    return *key
           && strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(key);
}

/* `before` has the dot; what has more below it ends with one. */
static void
offer_step(struct rh_completion *c, const char *before, const char *key, const struct rh_value *v,
           const char *end)
{
    const char *behind = rh_value_is(v, RH_HASH) && rh_value_count(v) ? "." : end;

    if (is_key(key))
        rh_completion_offer(c, rh_arena_printf(c->arena, "%s%s%s", before, key, behind), NULL);
}

static void
offer_keys(struct rh_completion *c, const char *before, const struct rh_value *hash, const char *end)
{
    for (size_t i = 0; rh_value_is(hash, RH_HASH) && i < rh_value_count(hash); i++)
        offer_step(c, before, rh_value_entry(hash, i)->key, rh_value_entry(hash, i)->value, end);
}

/* What is up to the last dot: "os." of "os.fam"; and the same without it. */
static const char *
split_path(struct rh_completion *c, const char **above)
{
    const char *dot = strrchr(c->word, '.');

    *above = dot ? rh_arena_strndup(c->arena, c->word, (size_t)(dot - c->word)) : NULL;
    return dot ? rh_arena_strndup(c->arena, c->word, (size_t)(dot + 1 - c->word)) : "";
}

struct naming {
    struct rh_completion *completion;
    struct rh_facts *facts;
};

/* Whether a fact has more below it is only known once it is evaluated: only those that the word may mean are.
 */
static void
offer_fact(void *to, const char *name)
{
    struct naming *n = to;
    struct rh_completion *c = n->completion;
    bool meant = *c->word && strncmp(c->word, name, strlen(c->word)) == 0;

    offer_step(c, "", name, meant ? rh_facts_get(n->facts, name) : NULL, "");
}

void
rh_complete_facts(struct rh_completion *c)
{
    const char *above, *before = split_path(c, &above);
    const struct rh_value *v, *path;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_session s;
    struct naming naming = { .completion = c };

    rh_session_open(&s, c->settings);
    naming.facts = s.machine.facts;
    if (!above) {
        rh_facts_names(s.machine.facts, offer_fact, &naming);
    } else if ((path = rh_node_path_parse(c->arena, above, &err))) {
        v = rh_node_read(s.machine.node, path);
        offer_keys(c, before, v, "");
    }
    close_session(&s);
}

void
rh_complete_paths(struct rh_completion *c, const char *end)
{
    static const char *const views[] = { "combined_default", "normal", "combined_override" };
    const char *above, *before = split_path(c, &above);
    const struct rh_value *path;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_session s;
    struct naming naming = { .completion = c };

    if (strchr(c->word, '='))
        return;
    open_manifests(c, &s);
    naming.facts = s.machine.facts;
    if (above && (path = rh_node_path_parse(c->arena, above, &err)))
        offer_keys(c, before, rh_node_read(s.machine.node, path), end);
    for (size_t i = 0; !above && i < sizeof views / sizeof views[0]; i++)
        offer_keys(c, "", rh_node_view(s.machine.node, views[i]), end);
    if (!above && !*end)
        rh_facts_names(s.machine.facts, offer_fact, &naming);
    close_session(&s);
}

/* Devices. */

void
rh_complete_targets(struct rh_completion *c, const char *file)
{
    struct rh_reach reach;
    struct rh_session s;

    if (!is_file(file))
        return;
    rh_session_open(&s, c->settings);
    rh_discard(rh_reach_open(&reach, &s, file, NULL));
    for (size_t i = 0; i < reach.targets.n_resources; i++)
        rh_completion_offer(c, reach.targets.resources[i]->title, reach.targets.resources[i]->type->type);
    rh_reach_close(&reach);
    close_session(&s);
}
