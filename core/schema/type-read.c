/* SPDX-License-Identifier: Apache-2.0 */
/* type-read - reading the description of a type. */
#include "config.h"

#include "schema/type.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/alias.h"
#include "datatype/datatype.h"
#include "schema/attribute-value.h"
#include "schema/auto-relation.h"
#include "schema/check.h"
#include "schema/claim.h"
#include "schema/loss.h"
#include "schema/need.h"
#include "schema/restore.h"

#include <string.h>

enum { MOST_ATTRIBUTES = 1000 };

/* A default must fit its own type, or no resource that relies on it ever works (I15). */
static int
check_default(struct rh_arena *a, const struct rh_attr *attr, const char *what, const struct rh_value **value,
              struct rh_error *err)
{
    rh_autobuf struct rh_buf why = { 0 };
    const struct rh_value *v;

    if (!*value)
        return 0;
    *value = v = rh_attribute_marked(a, attr, *value);
    if (rh_attribute_find_nul(attr, v))
        return rh_error_set(err, RH_EINPUT,
                            "attribute '%s': the %s must not contain a NUL character: its type is not Binary",
                            attr->name, what);
    if (rh_datatype_match(attr->type, v))
        return 0;
    rh_datatype_explain(attr->type, "", v, &why);
    return rh_error_set(err, RH_EINPUT, "attribute '%s': invalid %s: %s", attr->name, what,
                        rh_buf_text(&why));
}

static int
read_attr(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *v,
          struct rh_attr *attr, struct rh_error *err)
{
    const struct rh_value *behaviour = rh_value_get(v, "behaviour");
    const struct rh_value *behavior = rh_value_get(v, "behavior");

    attr->name = rh_value_get_str(v, "name", NULL);
    attr->desc = rh_value_get_str(v, "desc", "");
    attr->type_text = rh_value_get_str(v, "type", NULL);
    attr->default_value = rh_value_get(v, "default");
    attr->initial = rh_value_get(v, "initial");
    attr->deprecated = rh_value_get_str(v, "deprecated", NULL);
    attr->formerly = rh_value_get(v, "formerly");

    if (!attr->name || !rh_is_name(attr->name))
        return rh_error_set(err, RH_EINPUT, "'%s' is not a valid name for an attribute",
                            attr->name ? attr->name : "");
    if (rh_is_reserved_attribute(attr->name))
        return rh_error_set(err, RH_EINPUT, "attribute '%s': the name is reserved", attr->name);
    if (!attr->type_text)
        return rh_error_set(err, RH_EINPUT, "attribute '%s': missing type", attr->name);
    if (behaviour && behavior)
        return rh_error_set(err, RH_EINPUT,
                            "attribute '%s': 'behaviour' and 'behavior' cannot be used together", attr->name);
    behaviour = behaviour ? behaviour : behavior;
    if (rh_value_is(behaviour, RH_INTEGER) && behaviour->u.integer & ~(int64_t)RH_BEHAVIOURS)
        return rh_error_set(err, RH_EINPUT,
                            "attribute '%s': unknown behaviour (bits "
                            "0x%llx): the plugin needs a newer rhost than " PACKAGE_VERSION,
                            attr->name, (unsigned long long)(behaviour->u.integer & ~(int64_t)RH_BEHAVIOURS));
    attr->behaviour = rh_value_is(behaviour, RH_INTEGER) ? (uint32_t)behaviour->u.integer : 0;
    attr->type = rh_datatype_parse(a, aliases, attr->type_text, err);
    if (!attr->type)
        return rh_error_prefix(err, "attribute '%s': invalid type '%s' at character %zu", attr->name,
                               attr->type_text, err ? err->at + 1 : 0);
    rh_attribute_inspect(attr);
    attr->required = !attr->default_value && !attr->initial && !rh_datatype_match(attr->type, NULL)
                     && !(attr->behaviour & (RH_NAMEVAR | RH_READ_ONLY));
    if (check_default(a, attr, "default", &attr->default_value, err) < 0)
        return -1;
    return check_default(a, attr, "initial value", &attr->initial, err);
}

/* An older name must be one that an attribute could have, and that no other attribute has or had. */
static int
check_former_names(const struct rh_type *t, struct rh_error *err)
{
    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];

        for (size_t k = 0; k < rh_value_count(attr->formerly); k++) {
            const char *name = rh_value_str(rh_value_at(attr->formerly, k), "");

            if (!rh_is_name(name) || rh_is_reserved_attribute(name))
                return rh_error_set(err, RH_EINPUT, "attribute '%s': '%s' is not a valid former name",
                                    attr->name, name);
            if (rh_type_attr(t, name) != attr || strcmp(name, attr->name) == 0)
                return rh_error_set(err, RH_EINPUT,
                                    "attribute '%s': its former name '%s' is that of another attribute",
                                    attr->name, name);
        }
    }
    return 0;
}

static int
read_attrs(struct rh_arena *a, const struct rh_aliases *aliases, const struct rh_value *list,
           struct rh_type *t, struct rh_error *err)
{
    size_t n = rh_value_count(list);

    if (!n || n > MOST_ATTRIBUTES)
        return rh_error_set(err, RH_EINPUT, n ? "too many attributes" : "missing attributes");
    t->attrs = rh_arena_alloc(a, n * sizeof *t->attrs);
    t->namevars = rh_arena_alloc(a, n * sizeof *t->namevars);
    for (size_t i = 0; i < n; i++) {
        struct rh_attr *attr = &t->attrs[i];
        const struct rh_attr *same;

        if (read_attr(a, aliases, rh_value_at(list, i), attr, err) < 0)
            return -1;
        same = rh_type_attr(t, attr->name);
        if (same && strcmp(same->name, attr->name) == 0) /* not by a former name */
            return rh_error_set(err, RH_EINPUT, "duplicate attribute '%s'", attr->name);
        rh_type_index_attr(t, t->n_attrs++);
        t->renamed |= rh_value_count(attr->formerly) > 0;
        if (attr->behaviour & RH_NAMEVAR)
            t->namevars[t->n_namevars++] = attr;
        if (strcmp(attr->name, "ensure") == 0 && !rh_type_has_run_state(attr))
            t->ensure = attr;
    }
    if (!t->n_namevars)
        return rh_error_set(err, RH_EINPUT, "at least one attribute must be a namevar");
    return check_former_names(t, err);
}

static int
read_relations(struct rh_arena *a, const struct rh_value *list, struct rh_type *t, struct rh_error *err)
{
    size_t n = rh_value_count(list);

    t->relations = rh_arena_alloc(a, n * sizeof *t->relations);
    t->claims = rh_arena_alloc(a, n * sizeof *t->claims);
    t->losses = rh_arena_alloc(a, n * sizeof *t->losses);
    t->restores = rh_arena_alloc(a, n * sizeof *t->restores);
    for (size_t i = 0; i < n; i++) {
        const char *text = rh_value_str(rh_value_at(list, i), NULL);

        if (rh_is_claim(text)) {
            if (rh_claim_read(a, t, text, &t->claims[t->n_claims++], err) < 0)
                return -1;
        } else if (rh_is_loss(text)) {
            if (rh_loss_read(a, t, text, &t->losses[t->n_losses++], err) < 0)
                return -1;
        } else if (rh_is_restore(text)) {
            if (rh_restore_read(a, t, text, &t->restores[t->n_restores++], err) < 0)
                return -1;
        } else if (rh_auto_relation_read(a, t, text, &t->relations[t->n_relations++], err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
read_needs(struct rh_arena *a, const struct rh_value *list, struct rh_type *t, struct rh_error *err)
{
    size_t n = rh_value_count(list);

    t->declares_needs = list != NULL;
    t->needs = rh_arena_alloc(a, n * sizeof *t->needs);
    for (size_t i = 0; i < n; i++)
        if (rh_need_read(a, t, rh_value_str(rh_value_at(list, i), NULL), &t->needs[t->n_needs++], err) < 0)
            return -1;
    return 0;
}

static int
read_actions(struct rh_arena *a, const struct rh_value *v, struct rh_type *t, struct rh_error *err)
{
    const struct rh_value *list = rh_value_get(v, "actions");

    t->actions = rh_arena_alloc(a, rh_value_count(list) * sizeof *t->actions);
    for (size_t i = 0; i < rh_value_count(list); i++) {
        const struct rh_value *one = rh_value_at(list, i);
        struct rh_action *action = &t->actions[i];

        action->name = rh_value_get_str(one, "name", "");
        action->desc = rh_value_get_str(one, "desc", "");
        action->overlay = rh_value_get(one, "overlay");
        if (!rh_is_name(action->name))
            return rh_error_set(err, RH_EINPUT, "'%s' is not a valid name for an action", action->name);
        if (strcmp(action->name, "nothing") == 0 || strcmp(action->name, "converge") == 0)
            return rh_error_set(err, RH_EINPUT, "action '%s': the name is reserved", action->name);
        if (rh_type_action(t, action->name))
            return rh_error_set(err, RH_EINPUT, "duplicate action '%s'", action->name);
        if (rh_type_check_action(t, action, err) < 0)
            return -1;
        t->n_actions++;
    }
    t->default_action = rh_value_get_str(v, "default_action", "converge");
    t->refresh_action = rh_value_get_str(v, "refresh_action", NULL);
    if (strcmp(t->default_action, "converge") != 0 && !rh_type_action(t, t->default_action))
        return rh_error_set(err, RH_EINPUT, "unknown default action '%s'", t->default_action);
    if (t->refresh_action && !rh_type_action(t, t->refresh_action))
        return rh_error_set(err, RH_EINPUT, "unknown refresh action '%s'", t->refresh_action);
    return 0;
}

/* What a provider can do must be something that the runtime can drive. */
static int
check_slots(const struct rh_type *t, struct rh_error *err)
{
    bool simple = t->slots & (RH_HAS_CREATE | RH_HAS_UPDATE | RH_HAS_REMOVE);
    int ways = !!(t->slots & RH_HAS_SET) + simple + !!(t->slots & RH_HAS_CONVERGE);

    if (t->features & ~(uint32_t)RH_FEATURES)
        return rh_error_set(err, RH_EINPUT, "unknown feature (bits 0x%x): the plugin needs a newer rhost",
                            t->features & ~(uint32_t)RH_FEATURES);
    if (!(t->slots & (RH_HAS_GET | RH_HAS_LOAD)) && !(t->slots & RH_HAS_CONVERGE))
        return rh_error_set(err, RH_EINPUT, "missing callback: the provider needs get or load");
    if (ways > 1)
        return rh_error_set(err, RH_EINPUT, "set, create/update/remove and converge cannot be used together");
    if (t->features & RH_SIMPLE_GET_FILTER && !(t->slots & RH_HAS_GET))
        return rh_error_set(err, RH_EINPUT, "the feature simple_get_filter needs the callback get");
    return 0;
}

struct rh_type *
rh_type_read(struct rh_arena *a, const struct rh_value *v, struct rh_error *err)
{
    struct rh_type *t = rh_arena_alloc(a, sizeof *t);
    const struct rh_value *features = rh_value_get(v, "features");
    const struct rh_value *slots = rh_value_get(v, "slots");
    const struct rh_aliases *aliases = NULL;

    t->type = rh_value_get_str(v, "type", NULL);
    t->provider = rh_value_get_str(v, "provider", NULL);
    t->desc = rh_value_get_str(v, "desc", "");
    t->plugin = rh_value_get_str(v, "plugin", "");
    t->version = rh_value_get_str(v, "version", "");
    t->built_with = rh_value_get_str(v, "built_with", "");
    t->irreversible = rh_value_get_str(v, "irreversible", NULL);
    t->features = rh_value_is(features, RH_INTEGER) ? (uint32_t)features->u.integer : 0;
    t->slots = rh_value_is(slots, RH_INTEGER) ? (uint32_t)slots->u.integer : 0;
    t->one_worker = rh_value_is(rh_value_get(v, "one_worker"), RH_BOOLEAN);
    if (!t->type || !rh_is_type_name(t->type) || !t->provider || !rh_is_type_name(t->provider)) {
        const char *bad = !t->type || !rh_is_type_name(t->type) ? t->type : t->provider;

        rh_error_set(err, RH_EINPUT, "'%s' is not a valid name for a type or provider", bad ? bad : "");
        return NULL;
    }
    t->data_types = rh_value_get(v, "data_types");
    if (t->data_types && !(aliases = rh_aliases_from_value(a, t->data_types, err))) {
        rh_error_prefix(err, "type '%s'", t->type);
        return NULL;
    }
    if (read_attrs(a, aliases, rh_value_get(v, "attributes"), t, err) < 0
        || rh_title_patterns_read(a, t, rh_value_get(v, "title_patterns"), err) < 0
        || read_relations(a, rh_value_get(v, "relations"), t, err) < 0
        || read_needs(a, rh_value_get(v, "needs"), t, err) < 0 || read_actions(a, v, t, err) < 0
        || check_slots(t, err) < 0 || rh_type_check(t, err) < 0) {
        rh_error_prefix(err, "type '%s'", t->type);
        return NULL;
    }
    return t;
}

struct rh_type *
rh_type_read_question(struct rh_arena *a, const struct rh_value *v, struct rh_error *err)
{
    struct rh_type *t = rh_type_read(a, v, err);

    for (size_t i = 0; t && i < t->n_needs; i++)
        if (t->needs[i].kind == RH_NEED_ROOT || t->needs[i].kind == RH_NEED_USER
            || t->needs[i].kind == RH_NEED_WRITE) {
            rh_error_set(err, RH_EINPUT, "'%s': need '%s': lookups and facts may only look", t->type,
                         t->needs[i].text);
            return NULL;
        }
    return t;
}
