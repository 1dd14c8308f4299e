/* SPDX-License-Identifier: Apache-2.0 */
/* inventory-entry - one target, one group of a file of targets. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "reach/inventory-parts.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 128, MOST_TARGETS = 100000 };

/* Whether a word can be the name of a target or a group. */
static bool
is_name(const char *name)
{
    static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = strlen(name);

    return n > 0 && n <= LONGEST_NAME && strspn(name, characters) == n && name[0] != '-' && name[0] != '.';
}

static bool
check_name(struct rh_inventory *inv, const char *what, const char *name, struct rh_place place)
{
    if (is_name(name))
        return true;
    rh_complain(inv->complaints, place,
                "letters, digits, '.', '_' and '-'; the first one a letter or a digit",
                "invalid name '%s' of a %s", name, what);
    return false;
}

struct rh_push_target *
rh_inventory_new_target(struct rh_inventory *inv, const char *name, struct rh_place place)
{
    struct rh_push_target *t;

    if (!check_name(inv, "target", name, place))
        return NULL;
    if (rh_map_get(&inv->by_name, name) || inv->n_targets >= MOST_TARGETS) {
        rh_complain(inv->complaints, place, NULL,
                    inv->n_targets >= MOST_TARGETS ? "target '%s' is one too many" : "duplicate target '%s'",
                    name);
        return NULL;
    }
    t = rh_arena_alloc(inv->arena, sizeof *t);
    t->name = rh_arena_strdup(inv->arena, name);
    inv->targets = rh_xgrow(inv->targets, &inv->cap_targets, inv->n_targets, sizeof(struct rh_push_target *));
    inv->targets[inv->n_targets++] = t;
    (void)rh_map_put(&inv->by_name, t->name, t);
    return t;
}

struct rh_target_group *
rh_inventory_new_group(struct rh_inventory *inv, const char *name, struct rh_place place)
{
    struct rh_target_group *g;

    if (!check_name(inv, "group", name, place))
        return NULL;
    if (rh_map_get(&inv->groups_by_name, name)) {
        rh_complain(inv->complaints, place, NULL, "duplicate group '%s'", name);
        return NULL;
    }
    g = rh_arena_alloc(inv->arena, sizeof *g);
    g->name = rh_arena_strdup(inv->arena, name);
    g->place = place;
    inv->groups = rh_xgrow(inv->groups, &inv->cap_groups, inv->n_groups, sizeof(struct rh_target_group *));
    inv->groups[inv->n_groups++] = g;
    (void)rh_map_put(&inv->groups_by_name, g->name, g);
    return g;
}

/* A text, or NULL after a complaint. */
static const char *
text_of(struct rh_inventory *inv, const char *key, const struct rh_value *v)
{
    const char *text = rh_value_str(v, NULL);

    if (!text || !*text)
        rh_complain(inv->complaints, rh_value_place(v), NULL, "'%s' must be a text", key);
    return text && *text ? text : NULL;
}

/* A list of texts, NULL-terminated; NULL after a complaint. */
static const char *const *
texts_of(struct rh_inventory *inv, const char *key, const struct rh_value *v)
{
    size_t n = rh_value_count(v);
    const char **list = rh_arena_alloc(inv->arena, (n + 1) * sizeof *list);

    if (!rh_value_is(v, RH_ARRAY)) {
        rh_complain(inv->complaints, rh_value_place(v), NULL, "'%s' must be a list of texts", key);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (!(list[i] = text_of(inv, key, rh_value_at(v, i))))
            return NULL;
    return list;
}

static void
read_become(struct rh_inventory *inv, struct rh_target_settings *s, const struct rh_value *v)
{
    const char *word = rh_value_str(v, "");

    s->has_become = true;
    if (strcmp(word, "sudo") == 0)
        s->become = RH_BECOME_SUDO;
    else if (strcmp(word, "doas") == 0)
        s->become = RH_BECOME_DOAS;
    else if (strcmp(word, "none") != 0)
        rh_complain(inv->complaints, rh_value_place(v), NULL, "'become' must be sudo, doas or none");
}

static const struct rh_value *
attributes_of(struct rh_inventory *inv, const struct rh_value *v)
{
    if (!rh_value_is(v, RH_HASH))
        rh_complain(inv->complaints, rh_value_place(v), NULL, "'attributes' must be a hash");
    else
        return v;
    return NULL;
}

static const char *const target_keys[] = { "connect", "command",     "attributes", "become",
                                           "rhost",   "become_user", "options",    NULL };
static const char *const group_keys[] = { "targets", "groups",      "attributes", "become",
                                          "rhost",   "become_user", "options",    NULL };

static bool
is_among(const char *const *keys, const char *key)
{
    for (size_t i = 0; keys[i]; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static void
refuse_key(struct rh_inventory *inv, const char *what, const char *name, const char *const *keys,
           const char *key, struct rh_place place)
{
    struct rh_suggest s;
    rh_autofree char *hint = NULL;

    rh_suggest_init(&s, key);
    for (size_t i = 0; keys[i]; i++)
        rh_suggest_try(&s, keys[i]);
    hint = rh_did_you_mean(s.best, NULL);
    rh_complain(inv->complaints, place, hint, "unknown key '%s' in %s '%s'", key, what, name);
}

const char *
rh_inventory_read_user(struct rh_inventory *inv, const char *key, const struct rh_value *v)
{
    const char *user = text_of(inv, key, v);

    if (user && !is_name(user)) {
        rh_complain(inv->complaints, rh_value_place(v), NULL, "invalid user '%s'", user);
        return NULL;
    }
    return user;
}

/* It goes through the login shell of the target, whichever that is: so it needs no quotes. */
static const char *
program_of(struct rh_inventory *inv, const struct rh_value *v)
{
    const char *path = text_of(inv, "rhost", v);

    if (path && (*path != '/' || !rh_endpoint_is_path(path))) {
        rh_complain(inv->complaints, rh_value_place(v), NULL,
                    "'rhost' must be an absolute path of letters, digits, '.', '_', '+' and '-'");
        return NULL;
    }
    return path;
}

/* What targets and groups have in common. */
static void
read_settings(struct rh_inventory *inv, struct rh_target_settings *s, const struct rh_value *v)
{
    const struct rh_value *one;

    if ((one = rh_value_get(v, "become")))
        read_become(inv, s, one);
    if ((one = rh_value_get(v, "become_user")))
        s->become_user = rh_inventory_read_user(inv, "become_user", one);
    if ((one = rh_value_get(v, "rhost")))
        s->rhost = program_of(inv, one);
    if ((one = rh_value_get(v, "options")))
        s->options = texts_of(inv, "options", one);
}

static void
read_endpoint(struct rh_inventory *inv, struct rh_push_target *t, const struct rh_value *connect,
              const struct rh_value *command, struct rh_place place)
{
    rh_autoerror struct rh_error err = { 0 };
    const char *text = connect ? text_of(inv, "connect", connect) : t->name;

    if (connect && command)
        rh_complain(inv->complaints, rh_value_place(command), NULL,
                    "target '%s': 'connect' and 'command' exclude each other", t->name);
    if (command) {
        t->at = (struct rh_endpoint){ .connector = RH_CONNECT_COMMAND,
                                      .text = rh_arena_printf(inv->arena, "command:%s", t->name),
                                      .template = texts_of(inv, "command", command) };
        if (t->at.template && !t->at.template[0])
            rh_complain(inv->complaints, rh_value_place(command), NULL, "target '%s': 'command' is empty",
                        t->name);
    } else if (text && rh_endpoint_read(&t->at, inv->arena, text, &err) < 0) {
        rh_complain_error(inv->complaints, connect ? rh_value_place(connect) : place, NULL, &err);
    }
}

void
rh_inventory_read_target(struct rh_inventory *inv, const char *name, struct rh_place place,
                         const struct rh_value *v)
{
    struct rh_push_target *t = rh_inventory_new_target(inv, name, place);
    const struct rh_value *attributes = rh_value_get(v, "attributes");

    if (!t)
        return;
    if (v && !rh_value_is(v, RH_HASH) && !rh_value_is(v, RH_STRING) && !rh_value_is(v, RH_UNDEF)) {
        rh_complain(inv->complaints, rh_value_place(v), NULL, "target '%s' must be a URI or a hash", name);
        return;
    }
    for (size_t i = 0; rh_value_is(v, RH_HASH) && i < v->count; i++)
        if (!is_among(target_keys, rh_value_entry(v, i)->key))
            refuse_key(inv, "target", name, target_keys, rh_value_entry(v, i)->key, rh_value_key_place(v, i));
    read_settings(inv, &t->settings, v);
    read_endpoint(inv, t, rh_value_is(v, RH_STRING) ? v : rh_value_get(v, "connect"),
                  rh_value_get(v, "command"), place);
    if (attributes && (attributes = attributes_of(inv, attributes))) {
        t->attributes = rh_arena_alloc(inv->arena, sizeof *t->attributes);
        t->attributes[t->n_attributes++] = (struct rh_target_attributes){ t->name, attributes };
    }
}

void
rh_inventory_read_group(struct rh_inventory *inv, const char *name, struct rh_place place,
                        const struct rh_value *v)
{
    struct rh_target_group *g = rh_inventory_new_group(inv, name, place);
    const struct rh_value *attributes;

    if (!g)
        return;
    if (rh_value_is(v, RH_ARRAY)) { /* the targets alone */
        g->members = v;
        return;
    }
    if (!rh_value_is(v, RH_HASH)) {
        rh_complain(inv->complaints, rh_value_place(v), NULL,
                    "group '%s' must be a hash, or a list of targets", name);
        return;
    }
    for (size_t i = 0; i < v->count; i++)
        if (!is_among(group_keys, rh_value_entry(v, i)->key))
            refuse_key(inv, "group", name, group_keys, rh_value_entry(v, i)->key, rh_value_key_place(v, i));
    read_settings(inv, &g->settings, v);
    g->members = rh_value_get(v, "targets");
    g->children = rh_value_get(v, "groups");
    if (strcmp(name, "all") == 0 && (g->members || g->children))
        rh_complain(inv->complaints, place, NULL, "group 'all' has every target: it takes no members");
    if (g->members)
        (void)texts_of(inv, "targets", g->members);
    if (g->children)
        (void)texts_of(inv, "groups", g->children);
    attributes = rh_value_get(v, "attributes");
    g->attributes = attributes ? attributes_of(inv, attributes) : NULL;
}
